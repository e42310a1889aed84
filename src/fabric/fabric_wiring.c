/* SPDX-License-Identifier: Apache-2.0 */
/* Where cables go (docs/fabric.md §1, §15). */
#include <assert.h>

#include "fabric/fabric.h"
#include "fabric/fabric_exception.h"

/* ---- numbers of switches and ports ----------------------------------------------------------- */

static uint32_t switches_per_plane(const struct fabric_config *config)
{
    return config->t0_count + config->t1_count;
}

uint32_t fabric_switch_index(const struct fabric *fabric, const struct fabric_element *element)
{
    uint32_t first = element->plane * switches_per_plane(&fabric->config);

    assert(element->kind == FABRIC_T0 || element->kind == FABRIC_T1);
    return first +
           (element->kind == FABRIC_T0 ? element->t0 : fabric->config.t0_count + element->t1);
}

struct fabric_element fabric_switch_at(const struct fabric *fabric, uint32_t switch_index)
{
    uint32_t plane = switch_index / switches_per_plane(&fabric->config);
    uint32_t within = switch_index % switches_per_plane(&fabric->config);

    assert(switch_index < fabric->switch_count);
    if (within < fabric->config.t0_count)
        return (struct fabric_element){ .kind = FABRIC_T0, .plane = plane, .t0 = within };
    return (struct fabric_element){
        .kind = FABRIC_T1, .plane = plane, .t1 = within - fabric->config.t0_count
    };
}

uint32_t fabric_port_count(const struct fabric *fabric, uint32_t switch_index)
{
    if (fabric_switch_at(fabric, switch_index).kind == FABRIC_T0)
        return fabric->config.hosts_per_t0 + fabric->config.t1_count;
    return fabric->config.t0_count;
}

bool fabric_port_faces_host(const struct fabric *fabric, uint32_t switch_index, uint32_t port)
{
    return fabric_switch_at(fabric, switch_index).kind == FABRIC_T0 &&
           port < fabric->config.hosts_per_t0;
}

/* ---- cables ---------------------------------------------------------------------------------- */

/* The link that a port is made for; false: the fabric has no such port, or no such NIC. */
static bool link_of_port(
    const struct fabric *fabric, struct fabric_end end, struct fabric_element *link)
{
    struct fabric_element at;
    uint32_t hosts = fabric->config.hosts_per_t0;

    if (end.is_nic) {
        assert(end.node < fabric->nic_count);
        *link =
            (struct fabric_element){ .kind = FABRIC_HOST_LINK, .nic = end.node, .plane = end.port };
        return end.port < fabric->config.plane_count;
    }
    at = fabric_switch_at(fabric, end.node);
    if (end.port >= fabric_port_count(fabric, end.node))
        return false;
    if (at.kind == FABRIC_T0 && end.port < hosts) {
        *link = (struct fabric_element){
            .kind = FABRIC_HOST_LINK, .nic = at.t0 * hosts + end.port, .plane = at.plane
        };
        return link->nic < fabric->nic_count;
    }
    *link = (struct fabric_element){ .kind = FABRIC_UPLINK,
        .plane = at.plane,
        .t0 = at.kind == FABRIC_T0 ? at.t0 : end.port,
        .t1 = at.kind == FABRIC_T0 ? end.port - hosts : at.t1 };
    return true;
}

static struct fabric_end t0_end(const struct fabric *fabric, const struct fabric_element *link)
{
    bool is_uplink = link->kind == FABRIC_UPLINK;
    struct fabric_element t0 = { .kind = FABRIC_T0,
        .plane = link->plane,
        .t0 = is_uplink ? link->t0 : fabric_t0_of(fabric, link->nic) };

    return (struct fabric_end){ .node = fabric_switch_index(fabric, &t0),
        .port = is_uplink ? fabric->config.hosts_per_t0 + link->t1
                          : fabric_downlink_of(fabric, link->nic) };
}

/* The end that is not the T0's. */
static struct fabric_end other_end(const struct fabric *fabric, const struct fabric_element *link)
{
    struct fabric_element t1 = { .kind = FABRIC_T1, .plane = link->plane, .t1 = link->t1 };

    if (link->kind == FABRIC_HOST_LINK)
        return (struct fabric_end){ .is_nic = true, .node = link->nic, .port = link->plane };
    return (struct fabric_end){ .node = fabric_switch_index(fabric, &t1), .port = link->t0 };
}

static bool is_t0(const struct fabric *fabric, struct fabric_end end)
{
    return !end.is_nic && fabric_switch_at(fabric, end.node).kind == FABRIC_T0;
}

bool fabric_peer(const struct fabric *fabric, struct fabric_end end, struct fabric_end *peer)
{
    struct fabric_element link;
    struct fabric_link_kind kind;

    if (!fabric_link_at(fabric, end, &link, &kind))
        return false;
    *peer = is_t0(fabric, end) ? other_end(fabric, &link) : t0_end(fabric, &link);
    return true;
}

bool fabric_link_at(const struct fabric *fabric, struct fabric_end end, struct fabric_element *link,
    struct fabric_link_kind *kind)
{
    const struct fabric_exception *exception;

    if (!link_of_port(fabric, end, link))
        return false;
    *kind = link->kind == FABRIC_HOST_LINK ? fabric->config.host_link : fabric->config.uplink;
    exception = fabric_exception_of(&fabric->config, link);
    if (!exception)
        return true;
    if (exception->rate_bps)
        kind->rate_bps = exception->rate_bps;
    return !exception->missing;
}
