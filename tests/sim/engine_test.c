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

/* Adds up the times at which workloads end. */
static void note_end(void *context, const struct sim_event *event)
{
    uint64_t *sum = context;

    if (event->kind == SIM_EVENT_WORKLOAD_DONE)
        *sum += (event->subject + 1) * event->time_ps;
}

static uint64_t sum_of_ends(struct cluster *cluster, enum sim_engine engine)
{
    uint64_t sum = 0;

    cluster->config.engine = engine;
    cluster->config.observer = (struct sim_observer){ .on_event = note_end, .context = &sum };
    cluster_run(cluster);
    return sum;
}

PROPERTY("a workload ends with its last rank, in whatever order ranks are run", 100)
{
    struct cluster cluster;

    cluster_random(&cluster, seed);
    EXPECT_EQ(sum_of_ends(&cluster, SIM_WINDOWS), sum_of_ends(&cluster, SIM_HEAP));
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
