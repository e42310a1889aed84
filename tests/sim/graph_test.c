/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations on graphs of every kind, with links of unequal rates and whatever breaks. */
#include <string.h>

#include "cluster.h"
#include "spec.h"

PROPERTY("on any graph, windows, a heap of events and bytes give the same run", 100)
{
    struct cluster cluster;
    struct cluster_outcome windows;
    struct cluster_outcome heap;
    struct cluster_outcome frames;

    cluster_random_graph(&cluster, seed);
    windows = cluster_run(&cluster);
    cluster.config.engine = SIM_HEAP;
    heap = cluster_run(&cluster);
    cluster.config.engine = SIM_WINDOWS;
    cluster.config.wire = true;
    frames = cluster_run(&cluster);
    EXPECT_STR_EQ(windows.violation, "");
    EXPECT_EQ(windows.hash, heap.hash);
    EXPECT_EQ(windows.hash, frames.hash);
    EXPECT_EQ(windows.totals.packets_delivered, heap.totals.packets_delivered);
    cluster_free_graph(&cluster);
}

PROPERTY("on any graph, random faults violate no invariant", 100)
{
    struct cluster cluster;
    struct cluster_outcome outcome;

    cluster_random_graph(&cluster, seed);
    cluster.config.checks = true;
    outcome = cluster_run(&cluster);
    EXPECT_STR_EQ(outcome.violation, "");
    EXPECT(outcome.status == SIM_FINISHED || outcome.status == SIM_OUT_OF_TIME);
    cluster_free_graph(&cluster);
}

PROPERTY("on any healthy graph nothing is lost, and every pair has a path", 100)
{
    struct cluster cluster;
    struct cluster_outcome outcome;

    cluster_random_graph(&cluster, seed);
    cluster.config.fault_count = 0;
    outcome = cluster_run(&cluster);
    EXPECT(outcome.totals.packets_delivered > 0);
    EXPECT_EQ(outcome.totals.packets_lost[LOST_NO_ROUTE], 0);
    EXPECT_EQ(outcome.totals.packets_lost[LOST_LINK_DOWN], 0);
    cluster_free_graph(&cluster);
}

/* Paths 0 and 1 from port 0. */
static const uint32_t first_two[] = { 0, 1 };

static void expect_first_two(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim_flow_count(sim); i++) {
        const struct path_profile *profile = sim_flow_profile(sim, i);

        EXPECT_GE(profile->entry_count, 1);
        EXPECT_LE(profile->entry_count, 2);
        for (uint32_t k = 0; k < profile->entry_count; k++)
            EXPECT_LE(profile->entries[k].ev, 1);
    }
}

static void give_evs(struct cluster *cluster, const uint32_t *evs, uint32_t count)
{
    cluster->config.fault_count = 0;
    for (uint32_t i = 0; i < cluster->config.workload_count; i++) {
        cluster->workloads[i].evs = evs;
        cluster->workloads[i].ev_count = count;
        cluster->workloads[i].ev_active_per_plane = 0;
    }
}

PROPERTY("on any graph, a workload with given EVs uses those of its pairs, and no other", 40)
{
    struct cluster cluster;
    struct sim_totals totals;

    cluster_random_graph(&cluster, seed);
    give_evs(&cluster, first_two, 2);
    cluster_open(&cluster);
    sim_run(cluster.sim, SIM_NEVER_PS);
    sim_totals(cluster.sim, &totals);
    EXPECT_STR_EQ(sim_violation(cluster.sim), "");
    EXPECT_GE(totals.packets_delivered, 1);
    EXPECT_EQ(totals.packets_lost[LOST_NO_ROUTE], 0);
    expect_first_two(cluster.sim);
    cluster_close(&cluster);
    cluster_free_graph(&cluster);
}

SPEC("a pair that has none of the given EVs is refused with its name")
{
    static const uint32_t last[] = { 255 };
    struct cluster cluster;
    struct cluster_outcome outcome;

    cluster_random_graph(&cluster, 1);
    give_evs(&cluster, last, 1);
    outcome = cluster_run(&cluster);
    EXPECT_EQ(outcome.status, SIM_VIOLATED);
    EXPECT(strstr(outcome.violation, "has none of the paths `evs` of its workload to h") != NULL);
    cluster_free_graph(&cluster);
}

SPEC("packets on a row of eleven switches carry an SRH, in struct and in bytes alike")
{
    struct cluster cluster;
    struct cluster_outcome structs;
    struct cluster_outcome bytes;

    cluster_chain(&cluster, 11);
    structs = cluster_run(&cluster);
    cluster.config.wire = true;
    bytes = cluster_run(&cluster);
    EXPECT_STR_EQ(bytes.violation, "");
    EXPECT_EQ(structs.status, SIM_FINISHED);
    EXPECT_EQ(structs.hash, bytes.hash);
    EXPECT_GE(structs.totals.packets_delivered, 100);
    for (uint32_t reason = 0; reason < LOSS_REASON_COUNT; reason++)
        EXPECT_EQ(structs.totals.packets_lost[reason], 0);
    cluster_free_graph(&cluster);
}
