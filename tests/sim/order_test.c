/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which packets are placed. */
#include "cluster.h"
#include "spec.h"

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

/* One flow of 1 MB over `evs` paths; a path with a slow link makes packets late. */
static struct sim_order run_flow(uint32_t evs, bool has_slow_link, uint32_t shard_count)
{
    struct cluster cluster;
    struct sim_order order;

    cluster_leaf_spine(&cluster);
    cluster.config.parameters.ev_active = evs;
    cluster.config.counts_order = true;
    cluster.config.shard_count = shard_count;
    cluster.config.duration_ps = US(200);
    cluster.config.workload_count = 1;
    cluster.workloads[0] = (struct sim_workload){ .name = "w",
        .kind = SIM_STREAM,
        .placement = SIM_LIST,
        .nics = (const uint32_t[]){ 0, 64 },
        .rank_count = 2,
        .message_bytes = 1000000,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };
    if (has_slow_link) {
        cluster.config.fault_count = 1;
        cluster.places[0] = (struct topology_element){ .kind = TOPOLOGY_UPLINK };
        cluster.faults[0] = (struct fault){ .kind = FAULT_SLOW,
            .rate_bps = UINT64_C(20000000000),
            .where = &cluster.places[0],
            .where_count = 1,
            .until_ps = SIM_NEVER_PS };
    }
    cluster_open(&cluster);
    sim_run(cluster.sim, US(200));
    sim_order(cluster.sim, &order);
    cluster_close(&cluster);
    return order;
}

SPEC("over one path all packets are placed in order")
{
    struct sim_order order = run_flow(1, false, 1);

    EXPECT_EQ(order.placed, (1000000 + 4095) / 4096);
    EXPECT_EQ(order.late, 0);
    EXPECT_EQ(order.behind_max, 0);
}

SPEC("a slow path delays its packets, by the packets that overtake them")
{
    struct sim_order order = run_flow(64, true, 1);
    uint64_t late = 0;

    EXPECT_EQ(order.placed, (1000000 + 4095) / 4096);
    EXPECT_GT(order.late, 0);
    EXPECT_LT(order.late, order.placed / 8);
    EXPECT_GE(order.behind_max, 8);
    for (uint32_t i = 0; i < SIM_ORDER_LEVELS; i++)
        late += order.by_level[i];
    EXPECT_EQ(late, order.late);
}

SPEC("shards count as one does")
{
    struct sim_order one = run_flow(64, true, 1);
    struct sim_order two = run_flow(64, true, 2);

    EXPECT_EQ(two.late, one.late);
    EXPECT_EQ(two.behind_max, one.behind_max);
}
