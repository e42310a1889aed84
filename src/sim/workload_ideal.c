/* SPDX-License-Identifier: Apache-2.0 */
/* The ideal goodput of a workload: the pairs of ranks that cross a link share it equally, and all
 * planes and uplinks are used equally. */
#include <stddef.h>

#include "sim/workload_kind.h"

struct pair {
    uint32_t from_nic;
    uint32_t to_nic;
    uint32_t from_leaf;
    uint32_t to_leaf;
};

/* By leaf: the pairs that cross its uplinks upward, and those that cross them downward. */
struct loads {
    uint32_t *up;
    uint32_t *down;
};

static struct pair pair_at(
    const struct workload_layout *layout, const struct topology *topology, uint32_t index)
{
    struct workload_flow flow = workload_flow_at(layout, index * layout->workload->qps);
    uint32_t from_nic = layout->nic_of_rank[flow.from_rank];
    uint32_t to_nic = layout->nic_of_rank[flow.to_rank];

    if (topology->graph) /* capacity/ treats links between switches of graphs */
        return (struct pair){ .from_nic = from_nic, .to_nic = to_nic };
    return (struct pair){ .from_nic = from_nic,
        .to_nic = to_nic,
        .from_leaf = topology_leaf_number(topology, from_nic),
        .to_leaf = topology_leaf_number(topology, to_nic) };
}

static uint32_t peers_in(const struct sim_workload *workload)
{
    const struct workload_kind *pattern = workload_pattern_of(workload);

    return pattern->peers_in ? pattern->peers_in(workload) : sim_workload_peers(workload);
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

static uint64_t smaller(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

/* Returns the share of the narrowest link for this pair, including headers. */
static uint64_t pair_bps(const struct workload_layout *layout, const struct topology *topology,
    const struct loads *loads, const struct pair *pair)
{
    uint64_t out_bps = nic_bps(topology, pair->from_nic) / sim_workload_peers(layout->workload);
    uint64_t in_bps = nic_bps(topology, pair->to_nic) / peers_in(layout->workload);
    uint64_t bps = smaller(out_bps, in_bps);

    if (pair->from_leaf == pair->to_leaf)
        return bps;
    bps = smaller(
        bps, topology_leaf_uplinks_bps(topology, pair->from_leaf) / loads->up[pair->from_leaf]);
    return smaller(
        bps, topology_leaf_uplinks_bps(topology, pair->to_leaf) / loads->down[pair->to_leaf]);
}

static struct loads count_loads(
    const struct workload_layout *layout, const struct topology *topology, uint32_t pair_count)
{
    uint32_t leaf_count = topology_leaf_count(topology);
    struct loads loads = { .up = layout->scratch, .down = layout->scratch + leaf_count };

    for (uint32_t i = 0; i < leaf_count; i++)
        loads.up[i] = loads.down[i] = 0;
    for (uint32_t i = 0; i < pair_count; i++) {
        struct pair pair = pair_at(layout, topology, i);

        if (pair.from_leaf != pair.to_leaf) {
            loads.up[pair.from_leaf]++;
            loads.down[pair.to_leaf]++;
        }
    }
    return loads;
}

/* In a collective all ranks wait for the slowest. Messages of a schedule are not all under way at
 * once, so there is no such rate. */
uint64_t workload_ideal_bps(const struct workload_layout *layout, const struct topology *topology,
    uint32_t payload_bytes, uint32_t wire_bytes)
{
    uint32_t pair_count = workload_flow_count(layout->workload) / layout->workload->qps;
    bool is_collective = workload_pattern_of(layout->workload)->is_complete != NULL;
    uint64_t slowest_bps = UINT64_MAX;
    struct loads loads;
    uint64_t sum_bps = 0;

    if (sim_workload_is(layout->workload->kind, SIM_SCHEDULED))
        return 0;
    loads = count_loads(layout, topology, pair_count);
    for (uint32_t i = 0; i < pair_count; i++) {
        struct pair pair = pair_at(layout, topology, i);
        uint64_t bps = pair_bps(layout, topology, &loads, &pair) * payload_bytes / wire_bytes;

        slowest_bps = smaller(slowest_bps, bps);
        sum_bps += bps;
    }
    return is_collective ? slowest_bps * pair_count : sum_bps;
}
