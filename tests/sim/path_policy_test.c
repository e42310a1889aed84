/* SPDX-License-Identifier: Apache-2.0 */
/* Every path policy, and placement in order, on whole fabrics: everything arrives, also with losses
 * and failed links; what each of them costs. */
#include "cluster.h"
#include "spec.h"

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))
#define SECOND_PS UINT64_C(1000000000000)

enum {
    NICS_PER_T0 = 8,
    T1S = 8,
};

/* All NICs of one T0 write to those of the other, and back. */
static void describe(struct cluster *cluster, uint64_t policy)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = NICS_PER_T0;
    cluster->fabric_config.t1_count = T1S;
    cluster->config.checks = true;
    cluster->config.duration_ps = SECOND_PS;
    cluster->config.parameters.ev_policy = policy;
    cluster->config.parameters.ev_active = 0;
    cluster->config.workload_count = 1;
    cluster->workloads[0] = (struct sim_workload){ .name = "work",
        .kind = SIM_PERMUTATION,
        .rank_count = 2 * NICS_PER_T0,
        .message_bytes = 500000,
        .iterations = 4,
        .outstanding = 2,
        .qps = 1,
        .shift = NICS_PER_T0 };
}

static void add_fault(
    struct cluster *cluster, enum fault_kind kind, uint32_t number, uint64_t from_ps)
{
    uint32_t index = cluster->config.fault_count++;

    cluster->places[index] = (struct topology_element){
        .kind = TOPOLOGY_UPLINK, .t0 = number / T1S, .t1 = number % T1S
    };
    cluster->faults[index] = (struct fault){ .kind = kind,
        .where = &cluster->places[index],
        .where_count = 1,
        .from_ps = from_ps,
        .until_ps = FAULT_NEVER_PS,
        .probability = UINT32_MAX / 50 };
}

static struct cluster_outcome expect_all_arrives(struct cluster *cluster)
{
    struct cluster_outcome outcome = cluster_run(cluster);

    EXPECT_STR_EQ(outcome.violation, "");
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    return outcome;
}

SPEC("with every policy everything arrives in a healthy fabric")
{
    for (uint64_t policy = 0; policy < PATH_POLICY_COUNT; policy++) {
        struct cluster cluster;

        describe(&cluster, policy);
        expect_all_arrives(&cluster);
    }
}

SPEC("with every policy everything arrives over lossy links")
{
    for (uint64_t policy = 0; policy < PATH_POLICY_COUNT; policy++) {
        struct cluster cluster;
        struct cluster_outcome outcome;

        describe(&cluster, policy);
        for (uint32_t t1 = 0; t1 < 4; t1++)
            add_fault(&cluster, FAULT_LOSS, t1, 0);
        outcome = expect_all_arrives(&cluster);
        EXPECT_GE(outcome.totals.packets_lost[LOST_FAULT], 1);
    }
}

SPEC("with every policy everything arrives if links fail for good")
{
    for (uint64_t policy = 0; policy < PATH_POLICY_COUNT; policy++) {
        struct cluster cluster;
        struct cluster_outcome outcome;

        describe(&cluster, policy);
        add_fault(&cluster, FAULT_DOWN, 0, US(20));
        add_fault(&cluster, FAULT_DOWN, T1S + 3, US(30)); /* of the other T0 */
        outcome = expect_all_arrives(&cluster);
        EXPECT_GE(outcome.totals.packets_lost[LOST_LINK_DOWN], 1);
    }
}

SPEC("with every policy shards agree")
{
    for (uint64_t policy = 0; policy < PATH_POLICY_COUNT; policy++) {
        struct cluster cluster;
        struct cluster_outcome one;
        struct cluster_outcome two;

        describe(&cluster, policy);
        add_fault(&cluster, FAULT_DOWN, 0, US(20));
        one = expect_all_arrives(&cluster);
        describe(&cluster, policy);
        add_fault(&cluster, FAULT_DOWN, 0, US(20));
        cluster.config.shard_count = 2;
        two = expect_all_arrives(&cluster);
        cluster_expect_same(&one, &two);
    }
}

static uint64_t duration_with(uint64_t policy, uint64_t placement)
{
    struct cluster cluster;

    describe(&cluster, policy);
    cluster.config.parameters.placement = placement;
    return expect_all_arrives(&cluster).now_ps;
}

SPEC("flows of one path collide, sprayed ones do not")
{
    uint64_t sprayed_ps = duration_with(PATH_POLICY_ROTATION, PLACEMENT_ANY_ORDER);

    EXPECT_GE(duration_with(PATH_POLICY_SINGLE, PLACEMENT_ANY_ORDER), sprayed_ps * 3 / 2);
    EXPECT_LE(duration_with(PATH_POLICY_OBLIVIOUS, PLACEMENT_ANY_ORDER), sprayed_ps * 3 / 2);
}

/* One flow, alone. */
static struct cluster_outcome lone_flow(uint64_t policy, uint64_t placement, bool with_loss)
{
    static const uint32_t nics[2] = { 0, NICS_PER_T0 };
    struct cluster cluster;

    describe(&cluster, policy);
    cluster.config.parameters.placement = placement;
    cluster.workloads[0].kind = SIM_STREAM;
    cluster.workloads[0].placement = SIM_LIST;
    cluster.workloads[0].nics = nics;
    cluster.workloads[0].rank_count = 2;
    for (uint32_t t1 = 0; with_loss && t1 < CLUSTER_FAULTS_MAX; t1++)
        add_fault(&cluster, FAULT_LOSS, t1, 0);
    return expect_all_arrives(&cluster);
}

SPEC("placement in order costs nothing on a single path without losses")
{
    struct cluster_outcome any = lone_flow(PATH_POLICY_SINGLE, PLACEMENT_ANY_ORDER, false);
    struct cluster_outcome in_order = lone_flow(PATH_POLICY_SINGLE, PLACEMENT_IN_ORDER, false);

    EXPECT_EQ(in_order.hash, any.hash);
    EXPECT_EQ(in_order.totals.transport[COUNTER_NO_BITMAP], 0);
}

SPEC("placement in order refuses what overtakes, and everything arrives all the same")
{
    struct cluster_outcome any = lone_flow(PATH_POLICY_ROTATION, PLACEMENT_ANY_ORDER, true);
    struct cluster_outcome in_order = lone_flow(PATH_POLICY_ROTATION, PLACEMENT_IN_ORDER, true);

    EXPECT_EQ(any.totals.transport[COUNTER_NO_BITMAP], 0);
    EXPECT_GE(in_order.totals.transport[COUNTER_NO_BITMAP], 1);
    EXPECT_GE(in_order.totals.transport[COUNTER_RETRANSMIT_NACK], 1);
    EXPECT_GE(in_order.now_ps, any.now_ps * 2);
}
