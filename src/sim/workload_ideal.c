/* SPDX-License-Identifier: Apache-2.0 */
/* The goodput a workload could have: every link shared equally by the pairs of ranks that cross it,
 * all planes and uplinks used alike. */
#include <stddef.h>

#include "sim/workload_family.h"

struct pair {
    uint32_t from_nic;
    uint32_t to_nic;
    uint32_t from_t0;
    uint32_t to_t0;
};

static struct pair pair_at(
    const struct workload_layout *layout, const struct topology *topology, uint32_t index)
{
    struct workload_flow flow = workload_flow_at(layout, index * layout->workload->qps);
    uint32_t from_nic = layout->nic_of_rank[flow.from_rank];
    uint32_t to_nic = layout->nic_of_rank[flow.to_rank];

    if (topology->graph) /* of links between switches capacity knows more */
        return (struct pair){ .from_nic = from_nic, .to_nic = to_nic };
    return (struct pair){ .from_nic = from_nic,
        .to_nic = to_nic,
        .from_t0 = topology_t0_of(topology, from_nic),
        .to_t0 = topology_t0_of(topology, to_nic) };
}

static uint32_t pairs_out_of_rank(const struct sim_workload *workload)
{
    return workload_pattern(workload) == SIM_ALL_TO_ALL ? workload->rank_count - 1 : 1;
}

static uint32_t pairs_into_rank(const struct sim_workload *workload)
{
    return workload_pattern(workload) == SIM_INCAST ? workload->rank_count - 1
                                                    : pairs_out_of_rank(workload);
}

static uint64_t port_bps(const struct topology *topology, struct topology_end end)
{
    struct topology_element link;
    struct topology_link_kind kind;

    return topology_link_at(topology, end, &link, &kind) ? kind.rate_bps : 0;
}

static uint64_t nic_bps(const struct topology *topology, uint32_t nic)
{
    uint64_t sum_bps = 0;

    for (uint32_t plane = 0; plane < topology->config.plane_count; plane++)
        sum_bps +=
            port_bps(topology, (struct topology_end){ .is_nic = true, .node = nic, .port = plane });
    return sum_bps;
}

static uint64_t uplinks_bps(const struct topology *topology, uint32_t t0)
{
    const struct topology_config *config = &topology->config;
    uint64_t sum_bps = 0;

    if (config->exception_count == 0)
        return config->uplink.rate_bps * config->t1_count * config->plane_count;
    for (uint32_t plane = 0; plane < config->plane_count; plane++) {
        struct topology_element element = { .kind = TOPOLOGY_T0, .plane = plane, .t0 = t0 };
        uint32_t node = topology_switch_index(topology, &element);

        for (uint32_t t1 = 0; t1 < config->t1_count; t1++)
            sum_bps += port_bps(
                topology, (struct topology_end){ .node = node, .port = config->hosts_per_t0 + t1 });
    }
    return sum_bps;
}

static uint64_t smaller(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

/* What the narrowest link leaves to this pair, headers included. */
static uint64_t pair_bps(
    const struct workload_layout *layout, const struct topology *topology, const struct pair *pair)
{
    const uint32_t *up_load = layout->scratch;
    const uint32_t *down_load = layout->scratch + topology->config.t0_count;
    uint64_t out_bps = nic_bps(topology, pair->from_nic) / pairs_out_of_rank(layout->workload);
    uint64_t in_bps = nic_bps(topology, pair->to_nic) / pairs_into_rank(layout->workload);
    uint64_t bps = smaller(out_bps, in_bps);

    if (pair->from_t0 == pair->to_t0)
        return bps;
    bps = smaller(bps, uplinks_bps(topology, pair->from_t0) / up_load[pair->from_t0]);
    return smaller(bps, uplinks_bps(topology, pair->to_t0) / down_load[pair->to_t0]);
}

static void count_loads(
    const struct workload_layout *layout, const struct topology *topology, uint32_t pair_count)
{
    uint32_t *loads = layout->scratch;

    for (uint32_t i = 0; i < 2 * topology->config.t0_count; i++)
        loads[i] = 0;
    for (uint32_t i = 0; i < pair_count; i++) {
        struct pair pair = pair_at(layout, topology, i);

        if (pair.from_t0 != pair.to_t0) {
            loads[pair.from_t0]++;
            loads[topology->config.t0_count + pair.to_t0]++;
        }
    }
}

/* In a collective all wait for the slowest. */
uint64_t workload_ideal_bps(const struct workload_layout *layout, const struct topology *topology,
    uint32_t payload_bytes, uint32_t wire_bytes)
{
    uint32_t pair_count = workload_flow_count(layout->workload) / layout->workload->qps;
    bool is_collective = workload_family_of(layout->workload)->is_complete != NULL;
    uint64_t slowest_bps = UINT64_MAX;
    uint64_t sum_bps = 0;

    count_loads(layout, topology, pair_count);
    for (uint32_t i = 0; i < pair_count; i++) {
        struct pair pair = pair_at(layout, topology, i);
        uint64_t bps = pair_bps(layout, topology, &pair) * payload_bytes / wire_bytes;

        slowest_bps = smaller(slowest_bps, bps);
        sum_bps += bps;
    }
    return is_collective ? slowest_bps * pair_count : sum_bps;
}
