/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run shards: every shard once per window, and the result of one thread. */
#include "cluster.h"
#include "spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carrier/carrier.h"
#include "carrier/threads_place.h"

/* ---- windows --------------------------------------------------------------------------------- */

enum { SHARDS = 7, WINDOWS = 300 };

struct tally {
    uint32_t runs[SHARDS];
    bool was_early[SHARDS]; /* a window began before the one before had ended */
    uint32_t window;
};

static void run_once(void *argument, uint32_t index)
{
    struct tally *tally = argument;

    tally->was_early[index] |= tally->runs[index] != tally->window;
    tally->runs[index]++;
}

SPEC("in each window, every shard is run once before the call returns")
{
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        struct tally tally = { 0 };
        int err;
        struct carrier_threads *team = carrier_threads_open(threads, &err);
        const struct sim_carrier *carrier = carrier_threads_carrier(team);

        EXPECT_EQ(err, 0);
        for (; tally.window < WINDOWS; tally.window++)
            carrier->run(carrier->context, SHARDS, run_once, &tally);
        for (uint32_t i = 0; i < SHARDS; i++) {
            EXPECT_EQ(tally.runs[i], WINDOWS);
            EXPECT(!tally.was_early[i]);
        }
        carrier_threads_close(team);
    }
}

SPEC("threads that slept long are woken")
{
    struct tally tally = { 0 };
    int err;
    struct carrier_threads *team = carrier_threads_open(3, &err);
    const struct sim_carrier *carrier = carrier_threads_carrier(team);

    for (; tally.window < 3; tally.window++) {
        usleep(20000);
        carrier->run(carrier->context, SHARDS, run_once, &tally);
    }
    for (uint32_t i = 0; i < SHARDS; i++)
        EXPECT_EQ(tally.runs[i], 3);
    carrier_threads_close(team);
}

/* ---- simulations ----------------------------------------------------------------------------- */

PROPERTY("a cluster runs on three threads as it does on one", 40)
{
    struct cluster cluster;
    struct cluster_outcome one;
    struct cluster_outcome several;
    int err;
    struct carrier_threads *team = carrier_threads_open(3, &err);

    cluster_random(&cluster, seed);
    one = cluster_run(&cluster);
    cluster.config.shard_count = 3;
    cluster.config.carrier = carrier_threads_carrier(team);
    several = cluster_run(&cluster);
    EXPECT_EQ(several.hash, one.hash);
    EXPECT_EQ(several.status, one.status);
    EXPECT_EQ(several.totals.packet_hops, one.totals.packet_hops);
    EXPECT_EQ(several.totals.packets_delivered, one.totals.packets_delivered);
    carrier_threads_close(team);
}

/* ---- places ---------------------------------------------------------------------------------- */

static void make_folder(const char *top, const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", top, name);
    EXPECT_EQ(mkdir(path, 0700), 0);
}

static void remove_folder(const char *top, const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", top, name);
    EXPECT_EQ(rmdir(path), 0);
}

static int processors_after_pinning(uint32_t spare)
{
    struct threads_place place;
    cpu_set_t now;

    threads_place_init(&place, NULL);
    threads_place_pin(&place, 0, place.count - spare);
    CPU_ZERO(&now);
    sched_getaffinity(0, sizeof(now), &now);
    sched_setaffinity(0, sizeof(place.allowed), &place.allowed);
    return CPU_COUNT(&now);
}

SPEC("threads are pinned if they fill the machine, and leave the choice to the system if not")
{
    EXPECT_EQ(processors_after_pinning(0), 1);
    if (carrier_processors() > 1)
        EXPECT_EQ(processors_after_pinning(1), carrier_processors());
}

SPEC("processors of one NUMA node come before those of the next")
{
    char top[] = "/tmp/mrc-nodes-XXXXXX";
    char first[64];
    struct threads_place plain;
    struct threads_place place;

    threads_place_init(&plain, NULL);
    EXPECT_GE(plain.count, 1);
    EXPECT_EQ(plain.count, carrier_processors());
    EXPECT(mkdtemp(top) != NULL);
    make_folder(top, "node1");
    snprintf(first, sizeof(first), "node1/cpu%u", plain.processors[0]);
    make_folder(top, first);
    threads_place_init(&place, top);
    EXPECT_EQ(place.count, plain.count);
    EXPECT_EQ(place.processors[place.count - 1], plain.processors[0]);
    remove_folder(top, first);
    remove_folder(top, "node1");
    EXPECT_EQ(rmdir(top), 0);
}
