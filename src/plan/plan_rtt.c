/* SPDX-License-Identifier: Apache-2.0 */
/* Round trips in an empty fabric, from the links that a pair of NICs uses. */
#include "plan/plan.h"

enum {
    OUTER_BYTES = 40,
    KIB = 1024,
};

/* The time of a byte on a link, in femtoseconds. */
static uint64_t byte_fs(uint64_t rate_bps)
{
    return UINT64_C(8000000000000000) / rate_bps;
}

static uint64_t fastest_port_bps(const struct plan *plan, uint32_t nic)
{
    uint64_t fastest_bps = 0;

    for (uint32_t plane = 0; plane < plan->topology.config.plane_count; plane++) {
        struct topology_end end = { .is_nic = true, .node = nic, .port = plane };
        struct topology_link_kind kind;
        struct topology_element link;

        if (topology_link_at(&plan->topology, end, &link, &kind) && kind.rate_bps > fastest_bps)
            fastest_bps = kind.rate_bps;
    }
    return fastest_bps ? fastest_bps : plan->topology.config.host_link.rate_bps;
}

struct plan_rtt plan_rtt_of(const struct plan *plan, const struct plan_route *route)
{
    const struct topology_config *config = &plan->topology.config;
    uint64_t delay_ps =
        2 * config->nic_latency_ps + route->switch_count * config->switch_latency_ps;
    uint64_t way_fs = 0;
    uint64_t port_bps = 0;
    uint32_t headers_bytes = OUTER_BYTES + TOPOLOGY_SACK_BYTES + 2 * plan_route_srh_bytes(route);

    for (uint32_t i = 0; i <= route->switch_count; i++) {
        struct graph_end peer;
        const struct graph_link *link = graph_link_at(plan->topology.graph, route->hops[i], &peer);

        delay_ps += link->delay_ps;
        way_fs += byte_fs(link->rate_bps);
        port_bps = link->rate_bps;
    }
    return (struct plan_rtt){
        .fixed_ps = 2 * delay_ps + way_fs * headers_bytes / 1000,
        .per_kib_ps = way_fs * KIB / 1000,
        .port_bps = port_bps,
    };
}

/* Packets of a slow NIC queue at its own port. That time belongs to the base RTT, not to a queue of
 * the network. */
struct plan_rtt plan_rtt(const struct plan *plan, uint32_t from, uint32_t to)
{
    const struct topology_config *config = &plan->topology.config;
    bool is_local = plan_is_local(plan, from, to);
    uint64_t from_bps = fastest_port_bps(plan, from);
    uint64_t to_bps = fastest_port_bps(plan, to);
    uint64_t usual_bps = config->host_link.rate_bps;
    uint64_t way_fs = byte_fs(from_bps) + byte_fs(to_bps) +
                      (is_local ? 0 : 2 * byte_fs(config->uplink.rate_bps)) +
                      (from_bps < usual_bps ? byte_fs(from_bps) - byte_fs(usual_bps) : 0);
    uint64_t delay_ps = 2 * (config->nic_latency_ps + config->host_link.delay_ps) +
                        config->switch_latency_ps +
                        (is_local ? 0 : 2 * (config->switch_latency_ps + config->uplink.delay_ps));

    return (struct plan_rtt){
        .fixed_ps = 2 * delay_ps + way_fs * (OUTER_BYTES + TOPOLOGY_SACK_BYTES) / 1000,
        .per_kib_ps = way_fs * KIB / 1000,
        .port_bps = to_bps,
    };
}
