/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of the simulator: the fast one does what the plain one does. */
#include "cluster.h"
#include "spec.h"

PROPERTY("windows and a heap of events give the same run, whatever happens in it", 400)
{
    struct cluster cluster;
    struct cluster_outcome windows;
    struct cluster_outcome heap;

    cluster_random(&cluster, seed);
    cluster.config.engine = SIM_WINDOWS;
    windows = cluster_run(&cluster);
    cluster.config.engine = SIM_HEAP;
    heap = cluster_run(&cluster);
    cluster_expect_same(&windows, &heap);
}

PROPERTY("random clusters with random faults violate no invariant", 200)
{
    struct cluster cluster;
    struct cluster_outcome outcome;

    cluster_random(&cluster, seed);
    cluster.config.checks = true;
    outcome = cluster_run(&cluster);
    EXPECT_STR_EQ(outcome.violation, "");
    EXPECT(outcome.status == SIM_FINISHED || outcome.status == SIM_OUT_OF_TIME);
}

PROPERTY("the same seed gives the same run, in one go or in many", 100)
{
    struct cluster cluster;
    struct cluster_outcome at_once;
    enum sim_status status = SIM_RUNNING;

    cluster_random(&cluster, seed);
    at_once = cluster_run(&cluster);
    cluster_open(&cluster);
    for (uint64_t until_ps = 0; status == SIM_RUNNING; until_ps += 3333333)
        status = sim_run(cluster.sim, until_ps);
    EXPECT_EQ(sim_hash(cluster.sim), at_once.hash);
    EXPECT_EQ(status, at_once.status);
    EXPECT_EQ(sim_now_ps(cluster.sim), at_once.now_ps);
    cluster_close(&cluster);
}

PROPERTY("another seed gives another run", 20)
{
    struct cluster cluster;
    struct cluster_outcome one;
    struct cluster_outcome other;

    cluster_random(&cluster, seed);
    one = cluster_run(&cluster);
    cluster.config.seed++;
    other = cluster_run(&cluster);
    EXPECT(one.hash != other.hash || one.totals.packets_delivered == 0);
}

PROPERTY("converting packets to bytes on every hop changes nothing", 100)
{
    struct cluster cluster;
    struct cluster_outcome packets;
    struct cluster_outcome frames;

    cluster_random(&cluster, seed);
    packets = cluster_run(&cluster);
    cluster.config.wire = true;
    frames = cluster_run(&cluster);
    cluster_expect_same(&packets, &frames);
}
