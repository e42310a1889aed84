/* SPDX-License-Identifier: Apache-2.0 */
/* Components of a fabric and their links, computed for two tiers. */

#include <assert.h>

#include "topology/topology_exception.h"
#include "topology/topology_graph.h"

/* ---- components ------------------------------------------------------------------------------ */

uint32_t topology_component_count(
    const struct topology *topology, enum topology_component component)
{
    const struct topology_config *config = &topology->config;

    if (topology->graph && component == TOPOLOGY_PLANE)
        return topology->graph->plane_count;
    switch (component) {
    case TOPOLOGY_NIC:
        return topology->nic_count;
    case TOPOLOGY_HOST_LINK:
        return topology->nic_count * config->plane_count;
    case TOPOLOGY_PLANE:
        return config->plane_count;
    case TOPOLOGY_T0:
        return config->plane_count * config->t0_count;
    case TOPOLOGY_T1:
        return config->plane_count * config->t1_count;
    case TOPOLOGY_UPLINK:
        return config->plane_count * config->t0_count * config->t1_count;
    case TOPOLOGY_SWITCH:
        return topology->graph ? topology->switch_count : 0;
    case TOPOLOGY_LINK:
        return topology->graph ? topology->graph->link_count : 0;
    case TOPOLOGY_GROUP:
        return topology->group_count;
    case TOPOLOGY_COMPONENT_COUNT:
        break;
    }
    assert(component < TOPOLOGY_COMPONENT_COUNT);
    return 0;
}

bool topology_knows(const struct topology *topology, enum topology_component component)
{
    bool is_of_two_tiers = component <= TOPOLOGY_UPLINK;

    return (!topology->graph && is_of_two_tiers) ||
           topology_component_count(topology, component) > 0;
}

struct topology_element topology_component_at(
    const struct topology *topology, enum topology_component component, uint32_t number)
{
    const struct topology_config *config = &topology->config;
    struct topology_element element = { .kind = component };

    switch (component) {
    case TOPOLOGY_NIC:
        element.nic = number;
        break;
    case TOPOLOGY_HOST_LINK:
        element.nic = number / config->plane_count;
        element.plane = number % config->plane_count;
        break;
    case TOPOLOGY_PLANE:
        element.plane = number;
        break;
    case TOPOLOGY_T0:
        element.plane = number / config->t0_count;
        element.t0 = number % config->t0_count;
        break;
    case TOPOLOGY_T1:
        element.plane = number / config->t1_count;
        element.t1 = number % config->t1_count;
        break;
    case TOPOLOGY_UPLINK:
        element.plane = number / (config->t0_count * config->t1_count);
        element.t0 = number / config->t1_count % config->t0_count;
        element.t1 = number % config->t1_count;
        break;
    case TOPOLOGY_SWITCH:
        return topology_switch_at(topology, number);
    case TOPOLOGY_LINK:
        return topology_graph_link(topology->graph, number);
    case TOPOLOGY_GROUP:
        element.group = &topology->groups[number];
        break;
    case TOPOLOGY_COMPONENT_COUNT:
        assert(component < TOPOLOGY_COMPONENT_COUNT);
    }
    return element;
}

size_t topology_link_count(const struct topology *topology)
{
    const struct topology_config *config = &topology->config;

    if (topology->graph)
        return topology->graph->link_count;
    return (size_t)config->plane_count *
           (topology->nic_count + (size_t)config->t0_count * config->t1_count);
}

/* Host links come first, by NIC, then uplinks by plane and T0. A graph keeps the order of its
 * list. */
size_t topology_link_number(const struct topology *topology, struct topology_end end)
{
    const struct topology_config *config = &topology->config;
    struct topology_element link = { 0 };
    struct topology_link_kind kind;

    if (topology->graph)
        return topology_graph_link_number(topology->graph, end);
    topology_link_at(topology, end, &link, &kind);
    if (link.kind == TOPOLOGY_HOST_LINK)
        return (size_t)link.nic * config->plane_count + link.plane;
    return (size_t)topology->nic_count * config->plane_count +
           ((size_t)link.plane * config->t0_count + link.t0) * config->t1_count + link.t1;
}

bool topology_link_numbered(const struct topology *topology, size_t number,
    struct topology_element *link, struct topology_link_kind *kind)
{
    size_t host_links = (size_t)topology->nic_count * topology->config.plane_count;
    enum topology_component component = number < host_links ? TOPOLOGY_HOST_LINK : TOPOLOGY_UPLINK;

    if (topology->graph)
        return topology_graph_link_numbered(topology->graph, (uint32_t)number, link, kind);
    *link = topology_component_at(
        topology, component, (uint32_t)(number < host_links ? number : number - host_links));
    return topology_exception_kind(&topology->config, link, kind);
}

/* ---- links of a component -------------------------------------------------------------------- */

uint32_t topology_links_of(const struct topology *topology, const struct topology_element *element)
{
    const struct topology_config *config = &topology->config;

    if (topology->graph)
        return topology_graph_links_of(topology->graph, element);
    switch (element->kind) {
    case TOPOLOGY_NIC:
        return config->plane_count;
    case TOPOLOGY_PLANE:
        return topology->nic_count + config->t0_count * config->t1_count;
    case TOPOLOGY_T0:
        return config->hosts_per_t0 + config->t1_count;
    case TOPOLOGY_T1:
        return config->t0_count;
    default:
        assert(topology_is_link(element->kind));
        return 1;
    }
}

uint32_t topology_links_of_any(const struct topology *topology, enum topology_component component)
{
    const struct topology_element any = { .kind = component };

    return topology->graph ? topology_graph_links_of_any(topology->graph, component)
                           : topology_links_of(topology, &any);
}

static struct topology_element host_link(uint32_t nic, uint32_t plane)
{
    return (struct topology_element){ .kind = TOPOLOGY_HOST_LINK, .nic = nic, .plane = plane };
}

static struct topology_element uplink(uint32_t plane, uint32_t t0, uint32_t t1)
{
    return (struct topology_element){ .kind = TOPOLOGY_UPLINK, .plane = plane, .t0 = t0, .t1 = t1 };
}

static struct topology_element link_of_plane(
    const struct topology *topology, uint32_t plane, uint32_t number)
{
    uint32_t above_hosts = number - topology->nic_count;

    if (number < topology->nic_count)
        return host_link(number, plane);
    return uplink(
        plane, above_hosts / topology->config.t1_count, above_hosts % topology->config.t1_count);
}

static struct topology_element link_of_t0(
    const struct topology *topology, const struct topology_element *t0, uint32_t number)
{
    uint32_t hosts = topology->config.hosts_per_t0;

    if (number < hosts)
        return host_link(t0->t0 * hosts + number, t0->plane);
    return uplink(t0->plane, t0->t0, number - hosts);
}

static struct topology_element nth_link(
    const struct topology *topology, const struct topology_element *element, uint32_t number)
{
    switch (element->kind) {
    case TOPOLOGY_NIC:
        return host_link(element->nic, number);
    case TOPOLOGY_PLANE:
        return link_of_plane(topology, element->plane, number);
    case TOPOLOGY_T0:
        return link_of_t0(topology, element, number);
    case TOPOLOGY_T1:
        return uplink(element->plane, number, element->t1);
    default:
        return *element;
    }
}

bool topology_link_of(const struct topology *topology, const struct topology_element *element,
    uint32_t number, struct topology_end *lower, struct topology_end *upper)
{
    struct topology_element t0 = { .kind = TOPOLOGY_T0 };
    struct topology_element link;

    if (topology->graph)
        return topology_graph_link_of(topology->graph, element, number, lower, upper);
    link = nth_link(topology, element, number);
    if (link.kind == TOPOLOGY_HOST_LINK && link.nic >= topology->nic_count)
        return false;
    t0.plane = link.plane;
    t0.t0 = link.t0;
    *lower = link.kind == TOPOLOGY_HOST_LINK
                 ? (struct topology_end){ .is_nic = true, .node = link.nic, .port = link.plane }
                 : (struct topology_end){ .node = topology_switch_index(topology, &t0),
                       .port = topology->config.hosts_per_t0 + link.t1 };
    return topology_peer(topology, *lower, upper);
}
