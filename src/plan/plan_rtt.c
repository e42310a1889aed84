/* SPDX-License-Identifier: Apache-2.0 */
/* Round trips in an empty fabric, from the links that a pair of NICs uses. */
#include <assert.h>

#include "plan/plan.h"

enum {
    OUTER_BYTES = 40,
    KIB = 1024,
};

/* The time of a byte on a link, in femtoseconds. */
static uint64_t byte_fs(uint64_t rate_bps)
{
    assert(rate_bps > 0);
    return UINT64_C(8000000000000000) / rate_bps;
}

static uint64_t fastest_port_bps(const struct plan *plan, uint32_t nic)
{
    uint64_t fastest_bps = 0;

    for (uint32_t plane = 0; plane < plan->topology.config.plane_count; plane++) {
        struct topology_end end = { .is_nic = true, .node = nic, .port = plane };
        uint64_t port_bps = topology_port_bps(&plan->topology, end);

        if (port_bps > fastest_bps)
            fastest_bps = port_bps;
    }
    return fastest_bps ? fastest_bps : plan->topology.config.host_link.rate_bps;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool has_port(const struct plan *plan, uint32_t nic, uint32_t plane)
{
    struct topology_end end = { .is_nic = true, .node = nic, .port = plane };

    return topology_port_bps(&plan->topology, end) > 0;
}

/* Returns the rate of the fastest path of a plane between the leaves of two NICs; 0: none. Most
 * often the first path has the usual rate, and the others are not examined. */
static uint64_t fastest_in_plane_bps(
    const struct plan *plan, uint32_t from, uint32_t to, uint32_t plane)
{
    const struct topology *topology = &plan->topology;
    struct topology_leaf_uplink up = { .plane = plane,
        .leaf = topology_leaf_number(topology, from) };
    struct topology_leaf_uplink down = { .plane = plane,
        .leaf = topology_leaf_number(topology, to) };
    uint32_t uplink_count = topology_leaf_uplink_count(topology, plane, up.leaf);
    uint64_t fastest_bps = 0;

    while (up.number < uplink_count && fastest_bps < topology->config.uplink.rate_bps) {
        uint64_t path_bps = smaller(
            topology_leaf_uplink_bps(topology, &up), topology_leaf_uplink_bps(topology, &down));

        if (path_bps > fastest_bps)
            fastest_bps = path_bps;
        down.number = ++up.number;
    }
    return fastest_bps;
}

/* Returns the rate of the fastest path between the leaves of two NICs. */
static uint64_t fastest_between_bps(const struct plan *plan, uint32_t from, uint32_t to)
{
    const struct topology_config *config = &plan->topology.config;
    uint64_t fastest_bps = 0;

    if (config->exception_count == 0)
        return config->uplink.rate_bps;
    for (uint32_t plane = 0; plane < config->plane_count && fastest_bps < config->uplink.rate_bps;
         plane++) {
        uint64_t plane_bps = has_port(plan, from, plane) && has_port(plan, to, plane)
                                 ? fastest_in_plane_bps(plan, from, to, plane)
                                 : 0;

        if (plane_bps > fastest_bps)
            fastest_bps = plane_bps;
    }
    return fastest_bps ? fastest_bps : config->uplink.rate_bps;
}

/* The crossings of the links of a path, summed: what a packet of no bytes costs there and back, and
 * what each of its bytes costs. With cut-through, only the head of a packet delays a link to a
 * switch. */
struct crossings {
    const struct topology_config *config;
    uint64_t fastest_bps;
    uint32_t srh_bytes; /* of each packet */
    uint64_t fixed_fs;
    uint64_t per_byte_fs;
};

static struct crossings crossings_of(const struct plan *plan)
{
    const struct topology_config *config = &plan->topology.config;

    return (struct crossings){ .config = config,
        .fastest_bps = config->cut_through_bytes ? topology_fastest_bps(&plan->topology) : 0 };
}

static void cross_link(struct crossings *sum, uint64_t rate_bps, bool is_last)
{
    uint64_t sack_bytes = OUTER_BYTES + TOPOLOGY_SACK_BYTES + sum->srh_bytes;
    uint64_t framing_bytes = sum->config->framing_bytes;
    uint64_t back_bytes =
        topology_head_bytes(sum->config, sum->fastest_bps, rate_bps, sack_bytes + framing_bytes);
    uint64_t full_bytes = TOPOLOGY_PACKET_BYTES + sum->srh_bytes + framing_bytes;
    uint64_t head_bytes = topology_head_bytes(sum->config, sum->fastest_bps, rate_bps, full_bytes);
    uint64_t time_fs = byte_fs(rate_bps);

    if (is_last)
        back_bytes = sack_bytes + framing_bytes;
    if (is_last || head_bytes == full_bytes) {
        sum->fixed_fs += time_fs * (framing_bytes + sum->srh_bytes + back_bytes);
        sum->per_byte_fs += time_fs;
    } else {
        sum->fixed_fs += time_fs * (head_bytes + back_bytes);
    }
}

struct plan_rtt plan_rtt_of(const struct plan *plan, const struct plan_route *route)
{
    const struct topology_config *config = &plan->topology.config;
    uint64_t delay_ps =
        2 * config->nic_latency_ps + route->switch_count * config->switch_latency_ps;
    struct crossings sum = crossings_of(plan);
    uint64_t port_bps = 0;

    sum.srh_bytes = plan_route_srh_bytes(route);
    for (uint32_t i = 0; i <= route->switch_count; i++) {
        struct graph_end peer;
        const struct graph_link *link = graph_link_at(plan->topology.graph, route->hops[i], &peer);

        delay_ps += link->delay_ps;
        cross_link(&sum, link->rate_bps, i == route->switch_count);
        port_bps = link->rate_bps;
    }
    return (struct plan_rtt){
        .fixed_ps = 2 * delay_ps + sum.fixed_fs / 1000,
        .per_kib_ps = sum.per_byte_fs * KIB / 1000,
        .arrival_bps = port_bps,
    };
}

/* Packets of a slow NIC queue at its own port. That time belongs to the base RTT, not to a queue of
 * the network. Uplinks that are all slower than usual limit what arrives as a slow port does. */
struct plan_rtt plan_rtt(const struct plan *plan, uint32_t from, uint32_t to)
{
    const struct topology_config *config = &plan->topology.config;
    bool is_local = plan_is_local(plan, from, to);
    uint64_t from_bps = fastest_port_bps(plan, from);
    uint64_t to_bps = fastest_port_bps(plan, to);
    uint64_t uplink_bps = is_local ? config->uplink.rate_bps : fastest_between_bps(plan, from, to);
    uint64_t usual_bps = config->host_link.rate_bps;
    uint64_t wait_fs = from_bps < usual_bps ? byte_fs(from_bps) - byte_fs(usual_bps) : 0;
    struct crossings sum = crossings_of(plan);
    uint64_t delay_ps = 2 * (config->nic_latency_ps + config->host_link.delay_ps) +
                        config->switch_latency_ps +
                        (is_local ? 0 : 2 * (config->switch_latency_ps + config->uplink.delay_ps));

    cross_link(&sum, from_bps, false);
    for (uint32_t i = 0; !is_local && i < 2; i++)
        cross_link(&sum, uplink_bps, false);
    cross_link(&sum, to_bps, true);
    sum.fixed_fs += wait_fs * (OUTER_BYTES + TOPOLOGY_SACK_BYTES + config->framing_bytes);
    sum.per_byte_fs += wait_fs;
    return (struct plan_rtt){
        .fixed_ps = 2 * delay_ps + sum.fixed_fs / 1000,
        .per_kib_ps = sum.per_byte_fs * KIB / 1000,
        .arrival_bps = uplink_bps < config->uplink.rate_bps ? smaller(to_bps, uplink_bps) : to_bps,
    };
}
