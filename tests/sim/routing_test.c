/* SPDX-License-Identifier: Apache-2.0 */
/* RoCEv2 with each kind of routing, before and after failures: everything arrives, engines and
 * shards agree, and flows over a dead link wait until routing has converged. */
#include "cluster.h"
#include "spec.h"

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))
#define MS(count) (US(count) * 1000)

enum {
    NICS_PER_T0 = 8,
    T1S = 8,
};

static void describe(struct cluster *cluster, enum routing_kind kind, enum convergence_set set)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = NICS_PER_T0;
    cluster->fabric_config.t1_count = T1S;
    cluster->config.protocol = SIM_ROCE;
    cluster->config.checks = true;
    cluster->config.duration_ps = MS(100);
    cluster->config.workload_count = 1;
    roce_settings_init(&cluster->config.roce);
    cluster->config.roce.cc = ROCE_CC_NONE;
    cluster->config.roce.recovery = ROCE_SELECTIVE_REPEAT;
    cluster->config.roce.timeout_ps = US(500);
    cluster->config.roce.routing = kind;
    cluster->config.roce.convergence = set;
    cluster->workloads[0] = (struct sim_workload){ .name = "work",
        .kind = SIM_PERMUTATION,
        .rank_count = 2 * NICS_PER_T0,
        .message_bytes = 500000,
        .iterations = 4,
        .outstanding = 2,
        .qps = 1,
        .shift = NICS_PER_T0 };
}

/* One or more uplinks of the first T0 fail at 10 us. */
static void cut_links(struct cluster *cluster, uint32_t count, uint64_t until_ps)
{
    for (uint32_t i = 0; i < count; i++) {
        cluster->places[i] = (struct topology_element){ .kind = TOPOLOGY_UPLINK, .t1 = i };
        cluster->faults[i] = (struct fault){ .kind = FAULT_DOWN,
            .where = &cluster->places[i],
            .where_count = 1,
            .from_ps = US(10),
            .until_ps = until_ps };
    }
    cluster->config.fault_count = count;
}

SPEC("with every kind of routing everything arrives, and engines and shards agree")
{
    for (enum routing_kind kind = 0; kind < ROUTING_KIND_COUNT; kind++) {
        struct cluster cluster;

        describe(&cluster, kind, CONVERGENCE_SHIELD);
        cut_links(&cluster, 3, MS(2));
        EXPECT_EQ(cluster_run(&cluster).status, SIM_FINISHED);
        cluster_expect_same_runs(&cluster);
    }
}

SPEC("adaptive routing spreads flows that collide with ECMP")
{
    struct cluster cluster;
    uint64_t ecmp_ps;

    describe(&cluster, ROUTING_ECMP, CONVERGENCE_NONE);
    ecmp_ps = cluster_run(&cluster).now_ps;
    describe(&cluster, ROUTING_ADAPTIVE, CONVERGENCE_NONE);
    EXPECT_LE(cluster_run(&cluster).now_ps, ecmp_ps * 3 / 4);
}

/* Returns when all work is done; 0: not in time. */
static uint64_t end_with(enum convergence_set set)
{
    struct cluster cluster;
    struct cluster_outcome outcome;

    describe(&cluster, ROUTING_ECMP, set);
    cut_links(&cluster, 4, FAULT_NEVER_PS);
    outcome = cluster_run(&cluster);
    EXPECT_STR_EQ(outcome.violation, "");
    EXPECT_GE(outcome.totals.packets_lost[LOST_LINK_DOWN], 1);
    return outcome.status == SIM_FINISHED ? outcome.now_ps : 0;
}

SPEC("flows over a dead link wait until routing has converged")
{
    uint64_t shield_ps = end_with(CONVERGENCE_SHIELD);

    EXPECT_GE(shield_ps, US(500)); /* a timeout */
    EXPECT_LE(shield_ps, MS(5));
    EXPECT_EQ(end_with(CONVERGENCE_NONE), 0);
    EXPECT_EQ(end_with(CONVERGENCE_SLOW), 0);
}
