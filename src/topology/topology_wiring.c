/* SPDX-License-Identifier: Apache-2.0 */
/* The two ends of each cable (docs/fabric.md §1, §15). */
#include <assert.h>

#include "topology/topology.h"
#include "topology/topology_exception.h"
#include "topology/topology_graph.h"

/* ---- numbers of switches and ports ----------------------------------------------------------- */

static uint32_t switches_per_plane(const struct topology_config *config)
{
    return config->t0_count + config->t1_count;
}

uint32_t topology_switch_index(
    const struct topology *topology, const struct topology_element *element)
{
    uint32_t first;

    if (topology->graph)
        return topology_graph_switch_index(topology->graph, &element->lower);
    first = element->plane * switches_per_plane(&topology->config);
    assert(element->kind == TOPOLOGY_T0 || element->kind == TOPOLOGY_T1);
    return first +
           (element->kind == TOPOLOGY_T0 ? element->t0 : topology->config.t0_count + element->t1);
}

struct topology_element topology_switch_at(const struct topology *topology, uint32_t switch_index)
{
    uint32_t plane;
    uint32_t within;

    assert(switch_index < topology->switch_count);
    if (topology->graph)
        return topology_graph_switch(topology->graph, switch_index);
    plane = switch_index / switches_per_plane(&topology->config);
    within = switch_index % switches_per_plane(&topology->config);
    if (within < topology->config.t0_count)
        return (struct topology_element){ .kind = TOPOLOGY_T0, .plane = plane, .t0 = within };
    return (struct topology_element){
        .kind = TOPOLOGY_T1, .plane = plane, .t1 = within - topology->config.t0_count
    };
}

struct topology_place topology_place_of(const struct topology_element *element)
{
    if (element->kind == TOPOLOGY_SWITCH)
        return element->lower;
    return (struct topology_place){ .plane = element->plane,
        .tier = element->kind == TOPOLOGY_T1,
        .index = element->kind == TOPOLOGY_T1 ? element->t1 : element->t0 };
}

uint32_t topology_port_count(const struct topology *topology, uint32_t switch_index)
{
    if (topology->graph)
        return topology->graph->nodes[topology->nic_count + switch_index].port_count;
    if (topology_switch_at(topology, switch_index).kind == TOPOLOGY_T0)
        return topology->config.hosts_per_t0 + topology->config.t1_count;
    return topology->config.t0_count;
}

bool topology_port_faces_host(const struct topology *topology, uint32_t switch_index, uint32_t port)
{
    if (topology->graph)
        return topology_graph_port_faces_host(topology->graph, switch_index, port);
    return topology_switch_at(topology, switch_index).kind == TOPOLOGY_T0 &&
           port < topology->config.hosts_per_t0;
}

uint32_t topology_host_port_count(const struct topology *topology, uint32_t switch_index)
{
    uint32_t count = 0;

    if (!topology->graph)
        return topology_port_faces_host(topology, switch_index, 0) ? topology->config.hosts_per_t0
                                                                   : 0;
    while (count < topology_port_count(topology, switch_index) &&
           topology_port_faces_host(topology, switch_index, count))
        count++;
    return count;
}

/* ---- cables ---------------------------------------------------------------------------------- */

/* Returns the link at a port, even if its cable is missing. False: the fabric has no such port or
 * NIC. */
static bool link_of_port(
    const struct topology *topology, struct topology_end end, struct topology_element *link)
{
    struct topology_element at;
    uint32_t hosts = topology->config.hosts_per_t0;

    if (end.is_nic) {
        assert(end.node < topology->nic_count);
        *link = (struct topology_element){
            .kind = TOPOLOGY_HOST_LINK, .nic = end.node, .plane = end.port
        };
        return end.port < topology->config.plane_count;
    }
    at = topology_switch_at(topology, end.node);
    if (end.port >= topology_port_count(topology, end.node))
        return false;
    if (at.kind == TOPOLOGY_T0 && end.port < hosts) {
        *link = (struct topology_element){
            .kind = TOPOLOGY_HOST_LINK, .nic = at.t0 * hosts + end.port, .plane = at.plane
        };
        return link->nic < topology->nic_count;
    }
    *link = (struct topology_element){ .kind = TOPOLOGY_UPLINK,
        .plane = at.plane,
        .t0 = at.kind == TOPOLOGY_T0 ? at.t0 : end.port,
        .t1 = at.kind == TOPOLOGY_T0 ? end.port - hosts : at.t1 };
    return true;
}

static struct topology_end t0_end(
    const struct topology *topology, const struct topology_element *link)
{
    bool is_uplink = link->kind == TOPOLOGY_UPLINK;
    struct topology_element t0 = { .kind = TOPOLOGY_T0,
        .plane = link->plane,
        .t0 = is_uplink ? link->t0 : topology_leaf_of(topology, link->nic) };

    return (struct topology_end){ .node = topology_switch_index(topology, &t0),
        .port = is_uplink ? topology->config.hosts_per_t0 + link->t1
                          : topology_downlink_of(topology, link->nic) };
}

/* Returns the end of the link that is not at the T0. */
static struct topology_end other_end(
    const struct topology *topology, const struct topology_element *link)
{
    struct topology_element t1 = { .kind = TOPOLOGY_T1, .plane = link->plane, .t1 = link->t1 };

    if (link->kind == TOPOLOGY_HOST_LINK)
        return (struct topology_end){ .is_nic = true, .node = link->nic, .port = link->plane };
    return (struct topology_end){ .node = topology_switch_index(topology, &t1), .port = link->t0 };
}

static bool is_t0(const struct topology *topology, struct topology_end end)
{
    return !end.is_nic && topology_switch_at(topology, end.node).kind == TOPOLOGY_T0;
}

bool topology_peer(
    const struct topology *topology, struct topology_end end, struct topology_end *peer)
{
    struct topology_element link;
    struct topology_link_kind kind;

    if (topology->graph)
        return topology_graph_peer(topology->graph, end, peer);
    if (!topology_link_at(topology, end, &link, &kind))
        return false;
    *peer = is_t0(topology, end) ? other_end(topology, &link) : t0_end(topology, &link);
    return true;
}

static bool leads_to(
    const struct topology *topology, uint32_t switch_index, uint32_t port, uint32_t to_switch)
{
    struct topology_end end = { .node = switch_index, .port = port };
    struct topology_end peer;

    return topology_peer(topology, end, &peer) && !peer.is_nic && peer.node == to_switch;
}

bool topology_port_to(
    const struct topology *topology, uint32_t switch_index, uint32_t to_switch, uint32_t *port)
{
    struct topology_element to = topology_switch_at(topology, to_switch);
    uint32_t port_count = topology_port_count(topology, switch_index);

    *port = to.kind == TOPOLOGY_T1 ? topology->config.hosts_per_t0 + to.t1 : to.t0;
    if (!topology->graph)
        return *port < port_count && leads_to(topology, switch_index, *port, to_switch);
    for (*port = 0; *port < port_count; ++*port)
        if (leads_to(topology, switch_index, *port, to_switch))
            return true;
    return false;
}

bool topology_link_at(const struct topology *topology, struct topology_end end,
    struct topology_element *link, struct topology_link_kind *kind)
{
    if (topology->graph)
        return topology_graph_link_at(topology->graph, end, link, kind);
    return link_of_port(topology, end, link) &&
           topology_exception_kind(&topology->config, link, kind);
}

uint64_t topology_port_bps(const struct topology *topology, struct topology_end end)
{
    struct topology_link_kind kind;
    struct topology_element link;

    return topology_link_at(topology, end, &link, &kind) ? kind.rate_bps : 0;
}

bool topology_goes_up(const struct topology *topology, struct topology_end end)
{
    if (topology->graph)
        return topology_graph_goes_up(topology->graph, end);
    return end.is_nic ||
           (is_t0(topology, end) && !topology_port_faces_host(topology, end.node, end.port));
}
