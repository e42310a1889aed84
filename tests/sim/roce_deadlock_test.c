/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlocks under PFC: where links wait for each other in a circle, and what a watchdog does. */
#include "cluster.h"
#include "spec.h"

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

enum { SWITCHES = 5 };

/* Shortest paths lead all flows around the ring in one direction, over two of its links each. */
static void describe_ring(struct cluster *cluster, enum pfc_watchdog_action action)
{
    cluster_ring(cluster, SWITCHES);
    cluster->config.protocol = SIM_ROCE;
    cluster->config.checks = true;
    cluster->config.duration_ps = US(8000);
    roce_settings_init(&cluster->config.roce);
    cluster->config.roce.cc = ROCE_CC_NONE;
    cluster->config.roce.timeout_ps = US(400);
    cluster->config.roce.watchdog = (struct pfc_watchdog_config){
        .action = action, .detect_ps = US(1500), .restore_ps = US(500)
    };
}

struct course {
    enum sim_status status;
    uint64_t now_ps;
    uint64_t lost;
    struct sim_roce roce;
    bool is_deadlocked; /* at the end */
    struct sim_deadlock deadlock;
};

static struct course run(struct cluster *cluster, uint64_t until_ps)
{
    struct course course = { 0 };
    struct sim_totals totals;

    cluster_open(cluster);
    course.status = sim_run(cluster->sim, until_ps);
    EXPECT_STR_EQ(sim_violation(cluster->sim), "");
    course.now_ps = sim_now_ps(cluster->sim);
    sim_totals(cluster->sim, &totals);
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        course.lost += totals.packets_lost[i];
    EXPECT(sim_roce(cluster->sim, &course.roce));
    course.is_deadlocked = sim_deadlock(cluster->sim, &course.deadlock);
    cluster_close(cluster);
    return course;
}

static struct course run_ring(enum pfc_watchdog_action action, uint64_t until_ps)
{
    struct cluster cluster;
    struct course course;

    describe_ring(&cluster, action);
    course = run(&cluster, until_ps);
    cluster_free_graph(&cluster);
    return course;
}

SPEC("flows around a ring of switches deadlock, and all links of the ring are found in order")
{
    struct course course = run_ring(PFC_WATCHDOG_OFF, SIM_NEVER_PS);

    EXPECT_EQ(course.status, SIM_OUT_OF_TIME);
    EXPECT_EQ(course.lost, 0);
    EXPECT_EQ(course.roce.storms, 0);
    EXPECT(course.is_deadlocked);
    EXPECT_EQ(course.deadlock.link_count, SWITCHES);
    for (uint32_t i = 0; i < SWITCHES; i++) {
        EXPECT(!course.deadlock.ports[i].is_nic);
        EXPECT_EQ(course.deadlock.ports[i].node, i);
    }
}

SPEC("links are not deadlocked before they have waited for a millisecond")
{
    EXPECT(!run_ring(PFC_WATCHDOG_OFF, US(900)).is_deadlocked);
    EXPECT(run_ring(PFC_WATCHDOG_OFF, US(1400)).is_deadlocked);
}

SPEC("flows that use one link of the ring each do not wait for each other")
{
    struct cluster cluster;
    struct course course;

    describe_ring(&cluster, PFC_WATCHDOG_OFF);
    cluster.workloads[0].shift = 1;
    course = run(&cluster, SIM_NEVER_PS);
    cluster_free_graph(&cluster);
    EXPECT_EQ(course.status, SIM_FINISHED);
    EXPECT(!course.is_deadlocked);
}

/* Half of the NICs write to one, the others to a NIC of the other T0, over too few T1s. */
SPEC("a Clos network, whose paths lead up and then down, does not deadlock in congestion")
{
    static const uint32_t crowd[] = { 0, 8, 9, 10, 11, 12 };
    static const uint32_t back[] = { 15, 1, 2, 3, 4, 5 };

    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct cluster cluster;
        struct course course;

        cluster_leaf_spine(&cluster);
        cluster.fabric_config.hosts_per_t0 = 8;
        cluster.fabric_config.t1_count = 2;
        cluster.fabric_config.buffers.data_bytes = 2000000;
        cluster.fabric_config.buffers.host_data_bytes = 400000;
        cluster.config.seed = seed;
        cluster.config.protocol = SIM_ROCE;
        cluster.config.checks = true;
        cluster.config.duration_ps = US(2500);
        roce_settings_init(&cluster.config.roce);
        cluster.config.roce.cc = ROCE_CC_NONE;
        cluster.workloads[0] = (struct sim_workload){ .name = "crowd",
            .kind = SIM_INCAST,
            .placement = SIM_LIST,
            .nics = crowd,
            .rank_count = 6,
            .message_bytes = 2000000,
            .outstanding = 2,
            .qps = 1 };
        cluster.workloads[1] = cluster.workloads[0];
        cluster.workloads[1].nics = back;
        cluster.config.workload_count = 2;
        course = run(&cluster, SIM_NEVER_PS);
        EXPECT_GE(course.roce.pauses, 100);
        EXPECT_EQ(course.lost, 0);
        EXPECT(!course.is_deadlocked);
    }
}

/* ---- the watchdog ---------------------------------------------------------------------------- */

SPEC("a watchdog that drops frees the links after the time of detection, at the cost of packets")
{
    struct course before = run_ring(PFC_WATCHDOG_DROP, US(1400));
    struct course after = run_ring(PFC_WATCHDOG_DROP, US(1800));

    EXPECT_EQ(before.roce.storms, 0);
    EXPECT(before.is_deadlocked);
    EXPECT_EQ(after.roce.storms, SWITCHES);
    EXPECT(!after.is_deadlocked);
    EXPECT_GE(after.roce.watchdog_dropped, 1);
    EXPECT_EQ(after.lost, after.roce.watchdog_dropped);
}

SPEC("a watchdog that forwards ends this deadlock without a loss, and the work is done")
{
    struct course course = run_ring(PFC_WATCHDOG_FORWARD, SIM_NEVER_PS);

    EXPECT_EQ(course.status, SIM_FINISHED);
    EXPECT_EQ(course.roce.storms, SWITCHES);
    EXPECT_EQ(course.roce.watchdog_dropped, 0);
    EXPECT_EQ(course.lost, 0);
}

SPEC("engines and any number of shards agree on storms")
{
    for (uint32_t action = 0; action < PFC_WATCHDOG_ACTION_COUNT; action++) {
        struct cluster cluster;
        struct cluster_outcome one;
        struct cluster_outcome other;

        describe_ring(&cluster, (enum pfc_watchdog_action)action);
        one = cluster_run(&cluster);
        EXPECT_STR_EQ(one.violation, "");
        for (uint32_t shards = 2; shards <= 3; shards++) {
            cluster.config.shard_count = shards;
            other = cluster_run(&cluster);
            cluster_expect_same(&one, &other);
        }
        cluster.config.shard_count = 1;
        cluster.config.engine = SIM_HEAP;
        other = cluster_run(&cluster);
        cluster_expect_same(&one, &other);
        cluster_free_graph(&cluster);
    }
}
