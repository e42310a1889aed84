/* SPDX-License-Identifier: Apache-2.0 */
/* Steady traffic without a fault: 64 NICs on four planes, 8 T0s and 8 T1s each, keep their links
 * full, and take nothing for lost. */
#include "cluster.h"
#include "spec.h"

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

enum {
    NICS = 64,
    BEGIN_US = 200, /* measured from here */
};

static void prepare(struct cluster *cluster, enum sim_workload_kind kind, uint64_t end_us)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.plane_count = 4;
    cluster->fabric_config.t0_count = 8;
    cluster->fabric_config.t1_count = 8;
    cluster->fabric_config.hosts_per_t0 = NICS / 8;
    cluster->fabric_config.host_link.rate_bps = UINT64_C(100000000000);
    cluster->fabric_config.uplink.rate_bps = UINT64_C(100000000000);
    cluster->workloads[0] = (struct sim_workload){ .name = "steady",
        .kind = kind,
        .rank_count = NICS,
        .message_bytes = kind == SIM_ALL_REDUCE ? UINT64_C(64) << 20 : 2000000,
        .outstanding = 2,
        .qps = 1 };
    cluster->config.workload_count = 1;
    cluster->config.duration_ps = US(end_us);
}

static uint64_t placed_bytes(const struct cluster *cluster, uint32_t flow)
{
    struct sim_flow seen;

    sim_flow_at(cluster->sim, flow, &seen);
    return seen.placed_bytes;
}

struct outcome {
    uint32_t least_permille; /* of its share of the ideal, the slowest flow */
    uint32_t all_permille;
    struct sim_totals totals;
};

static struct outcome run(struct cluster *cluster)
{
    uint64_t measured_ps = cluster->config.duration_ps - US(BEGIN_US);
    uint64_t before_bytes[NICS];
    uint64_t sum_bytes = 0;
    uint64_t least_bytes = UINT64_MAX;
    uint64_t ideal_bytes;
    struct outcome outcome;

    cluster_open(cluster);
    sim_run(cluster->sim, US(BEGIN_US));
    for (uint32_t flow = 0; flow < NICS; flow++)
        before_bytes[flow] = placed_bytes(cluster, flow);
    sim_run(cluster->sim, cluster->config.duration_ps);
    for (uint32_t flow = 0; flow < NICS; flow++) {
        uint64_t bytes = placed_bytes(cluster, flow) - before_bytes[flow];

        sum_bytes += bytes;
        least_bytes = bytes < least_bytes ? bytes : least_bytes;
    }
    ideal_bytes = sim_ideal_bps(cluster->sim, 0) / NICS / 8 * (measured_ps / 1000000) / 1000000;
    outcome.least_permille = (uint32_t)(least_bytes * 1000 / ideal_bytes);
    outcome.all_permille = (uint32_t)(sum_bytes * 1000 / NICS / ideal_bytes);
    sim_totals(cluster->sim, &outcome.totals);
    cluster_close(cluster);
    return outcome;
}

SPEC("a permutation across the T1s leaves every flow 95 % of its line")
{
    struct cluster cluster;
    struct outcome outcome;

    prepare(&cluster, SIM_PERMUTATION, 700);
    outcome = run(&cluster);
    EXPECT_GE(outcome.least_permille, 950);
    EXPECT_GE(outcome.all_permille, 970);
    EXPECT_LE(outcome.totals.transport[COUNTER_SACK_SENT] * 3,
        outcome.totals.transport[COUNTER_DATA_RECEIVED]);
}

SPEC("a ring with its neighbours behind one T0 keeps 97 % and loses no plane to long queues")
{
    struct cluster cluster;
    struct outcome outcome;

    prepare(&cluster, SIM_ALL_REDUCE, 2200);
    outcome = run(&cluster);
    EXPECT_GE(outcome.all_permille, 970);
    EXPECT_EQ(outcome.totals.transport[COUNTER_DATA_RETRANSMITTED], 0);
    EXPECT_EQ(outcome.totals.transport[COUNTER_EV_TURNED_BAD], 0);
}

SPEC("a ring whose ranks lie anywhere keeps 97 %")
{
    struct cluster cluster;
    struct outcome outcome;

    prepare(&cluster, SIM_ALL_REDUCE, 700);
    cluster.workloads[0].placement = SIM_RANDOM;
    outcome = run(&cluster);
    EXPECT_GE(outcome.all_permille, 970);
    EXPECT_EQ(outcome.totals.transport[COUNTER_DATA_RETRANSMITTED], 0);
}
