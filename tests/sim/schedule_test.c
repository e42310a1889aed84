/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules on the simulator: operations begin when what they wait for has happened, with every
 * protocol, engine and number of shards. */
#include "cluster.h"
#include "spec.h"

#include <stdio.h>
#include <string.h>

#include "base/prng.h"
#include "files/files.h"

enum { FLOWS = 200, NICS = 16 };

#define SECOND_PS UINT64_C(1000000000000)
#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

static struct yaml yaml;

/* When the message of each size began and ended: sizes are different. */
static struct sim_completion seen[FLOWS + 1];

static void on_completion(void *context, const struct sim_completion *completion)
{
    (void)context;
    if (completion->flow != SIM_NO_FLOW && completion->bytes <= FLOWS * UINT64_C(1000) &&
        completion->bytes % 1000 == 0)
        seen[completion->bytes / 1000] = *completion;
}

static void describe(struct cluster *cluster, enum schedule_format format, const char *text)
{
    struct schedule_options options = { .format = format, .rank_max = NICS };

    yaml_fini(&yaml);
    yaml_init(&yaml);
    memset(seen, 0, sizeof(seen));
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = 8;
    cluster->fabric_config.t1_count = 8;
    cluster->config.checks = true;
    cluster->config.duration_ps = SECOND_PS;
    cluster->config.workload_count = 1;
    roce_settings_init(&cluster->config.roce);
    uet_settings_init(&cluster->config.uet);
    ib_settings_init(&cluster->config.infiniband);
    cluster->config.observer.on_completion = on_completion;
    cluster->workloads[0] = (struct sim_workload){ .name = "work",
        .kind = SIM_SCHEDULE,
        .schedule = schedule_file_read(&yaml, "f", text, &options),
        .message_bytes = 1000 * FLOWS,
        .iterations = 1,
        .outstanding = 2,
        .qps = 1 };
    EXPECT_STR_EQ(yaml.problem, "");
    cluster->workloads[0].rank_count = cluster->workloads[0].schedule->rank_count;
}

static void run(struct cluster *cluster)
{
    struct cluster_outcome outcome = cluster_run(cluster);

    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_STR_EQ(outcome.violation, "");
}

SPEC("a flow begins at its time, or after its delay when another has ended")
{
    struct cluster cluster;

    describe(&cluster, SCHEDULE_CSV,
        "id,source,destination,bytes,start,after,delay\n"
        "a,0,9,1000,3us,,\nb,0,9,2000,,a,7us\nc,9,1,3000,,a,\nd,0,9,4000,50us,a,\n");
    run(&cluster);
    EXPECT_EQ(seen[1].posted_ps, US(3));
    EXPECT_EQ(seen[2].posted_ps, seen[1].done_ps + US(7));
    EXPECT_GT(seen[3].posted_ps, seen[1].posted_ps); /* when it has arrived, before its SACK has */
    EXPECT_LT(seen[3].posted_ps, seen[1].done_ps);
    EXPECT_EQ(seen[4].posted_ps, US(50));
}

SPEC("computing on one processor is done one after the other, on two at the same time")
{
    struct cluster cluster;

    describe(&cluster, SCHEDULE_GOAL,
        "num_ranks 2\nrank 0 {\na: calc 5000\nb: calc 3000\nc: calc 2000 cpu 1\n"
        "s: send 1000b to 1 tag 1\ns requires b\nt: send 2000b to 1 tag 2\nt requires c\n"
        "u: send 3000b to 1 tag 3\nu irequires b\n}\n"
        "rank 1 {\nrecv 1000b from 0 tag 1\nrecv 2000b from 0 tag 2\nrecv 3000b from 0 tag 3\n}\n");
    run(&cluster);
    EXPECT_EQ(seen[1].posted_ps, US(8));
    EXPECT_EQ(seen[2].posted_ps, US(2));
    EXPECT_EQ(seen[3].posted_ps, US(5));
}

/* Each flow waits for up to two before it, of any NIC. */
static void write_flows(char *text, size_t room, uint32_t before[FLOWS + 1][2], uint64_t seed)
{
    struct prng prng = prng_stream(seed, 0);
    size_t length = (size_t)snprintf(text, room, "id,source,destination,bytes,after\n");

    for (uint32_t i = 1; i <= FLOWS; i++) {
        uint32_t from = prng_below(&prng, NICS);
        uint32_t to = (from + 1 + prng_below(&prng, NICS - 1)) % NICS;

        for (uint32_t k = 0; k < 2; k++)
            before[i][k] = i > 8 && prng_below(&prng, 2) ? i - 1 - prng_below(&prng, 8) : 0;
        length +=
            (size_t)snprintf(text + length, room - length, "f%u,%u,%u,%u000,", i, from, to, i);
        for (uint32_t k = 0; k < 2; k++)
            if (before[i][k])
                length += (size_t)snprintf(text + length, room - length, "f%u;", before[i][k]);
        length += (size_t)snprintf(text + length, room - length, "\n");
    }
}

/* A message arrives at least the time of its bytes on a 400 Gb/s link after it was posted. */
static void expect_order(const uint32_t before[FLOWS + 1][2])
{
    for (uint32_t i = 1; i <= FLOWS; i++) {
        EXPECT_GT(seen[i].done_ps, 0);
        for (uint32_t k = 0; k < 2; k++)
            if (before[i][k])
                EXPECT_GE(seen[i].posted_ps,
                    seen[before[i][k]].posted_ps + before[i][k] * UINT64_C(1000) * 20);
    }
}

SPEC("random flows begin after those that they wait for, with every protocol")
{
    static uint32_t before[FLOWS + 1][2];
    static char text[32768];
    struct cluster cluster;

    for (uint32_t protocol = 0; protocol < SIM_PROTOCOL_COUNT; protocol++) {
        write_flows(text, sizeof(text), before, protocol);
        describe(&cluster, SCHEDULE_CSV, text);
        cluster.config.protocol = (enum sim_protocol)protocol;
        cluster.workloads[0].qps = 1 + protocol % 2;
        run(&cluster);
        expect_order((const uint32_t(*)[2])before);
    }
}

SPEC("engines and shards agree on a schedule, with every protocol")
{
    static uint32_t before[FLOWS + 1][2];
    static char text[32768];
    struct cluster cluster;

    for (uint32_t protocol = 0; protocol < SIM_PROTOCOL_COUNT; protocol++) {
        write_flows(text, sizeof(text), before, 17 + protocol);
        describe(&cluster, SCHEDULE_CSV, text);
        cluster.config.protocol = (enum sim_protocol)protocol;
        cluster.workloads[0].jitter_ps = US(3);
        cluster_expect_same_runs(&cluster);
    }
}
