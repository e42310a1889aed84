/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations on graphs of every kind, with links of unequal rates and whatever breaks. */
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

PROPERTY("on any graph, random faults break no rule", 100)
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

PROPERTY("on any healthy graph nothing is lost, and packets have a way", 100)
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
