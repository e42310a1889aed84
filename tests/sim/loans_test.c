/* SPDX-License-Identifier: Apache-2.0 */
/* The records of flows: a flow that has ended leaves its memory to others, and nothing else
 * changes. */
#include "cluster.h"
#include "spec.h"

#include <stdio.h>
#include <string.h>

#include "files/files.h"
#include "sim/loans.h"

enum { NICS = 16, CHAIN_FLOWS = 200, CHAIN_TEXT_BYTES = 16384 };

#define SECOND_PS UINT64_C(1000000000000)
#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

static struct yaml yaml;

static void describe(struct cluster *cluster, const struct sim_workload *workload)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = NICS / 2;
    cluster->fabric_config.t1_count = 8;
    cluster->config.checks = true;
    cluster->config.duration_ps = SECOND_PS;
    cluster->config.workload_count = 1;
    cluster->workloads[0] = *workload;
}

/* Every rank writes to `peers_at_once` others at a time. */
static void describe_all_to_all(struct cluster *cluster, uint32_t peers_at_once)
{
    describe(cluster, &(struct sim_workload){ .name = "turns",
                          .kind = SIM_ALL_TO_ALL,
                          .rank_count = NICS,
                          .message_bytes = NICS * UINT64_C(4000000),
                          .iterations = 1,
                          .outstanding = 1,
                          .qps = 1,
                          .peers_at_once = peers_at_once });
}

/* Flows between different NICs, each of which begins some time after the end of the one before. */
static void describe_chain(struct cluster *cluster)
{
    static char text[CHAIN_TEXT_BYTES];
    struct schedule_options options = { .format = SCHEDULE_CSV, .rank_max = NICS };
    size_t length = (size_t)snprintf(text, sizeof(text), "id,source,destination,bytes,start\n");

    for (uint32_t i = 0; i < CHAIN_FLOWS; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "f%u,%u,%u,%u,%uus\n", i,
            i % NICS, (i + 1 + i / NICS) % NICS, 10000 + i, 100 * i);
    yaml_fini(&yaml);
    yaml_init(&yaml);
    describe(cluster, &(struct sim_workload){ .name = "chain",
                          .kind = SIM_SCHEDULE,
                          .schedule = schedule_file_read(&yaml, "chain", text, &options),
                          .message_bytes = 20000,
                          .iterations = 1,
                          .outstanding = 1,
                          .qps = 1 });
    EXPECT_STR_EQ(yaml.problem, "");
    cluster->workloads[0].rank_count = cluster->workloads[0].schedule->rank_count;
}

/* Returns the number of records that were ever used. */
static uint32_t records_used(const struct sim *sim)
{
    uint32_t used = sim->flow_count;

    for (uint32_t i = 0; i < sim->shard_count; i++)
        for (uint32_t class = 0; class < sim->config.workload_count; class ++)
            used -= sim->shards[i].loans.pools[class].new_count;
    return used;
}

/* Runs it to its end. Returns the records that were used. */
static uint32_t run(struct cluster *cluster)
{
    uint32_t used;

    cluster_open(cluster);
    EXPECT_EQ(sim_run(cluster->sim, SECOND_PS), SIM_FINISHED);
    EXPECT_STR_EQ(sim_violation(cluster->sim), "");
    used = records_used(cluster->sim);
    cluster_close(cluster);
    return used;
}

SPEC("flows that send one after the other use the same memory")
{
    struct cluster cluster;

    describe_chain(&cluster);
    EXPECT_EQ(run(&cluster), 1);
}

SPEC("an all-to-all in turns needs memory for the flows of a few turns")
{
    struct cluster cluster;
    uint32_t turns;

    describe_all_to_all(&cluster, 1);
    turns = run(&cluster);
    EXPECT_GE(turns, 1 * NICS);
    EXPECT_LE(turns, 3 * NICS);
    describe_all_to_all(&cluster, 0);
    EXPECT_EQ(run(&cluster), NICS * (NICS - 1));
}

/* Returns the bytes that are expected to be used. */
static size_t bytes_expected(struct cluster *cluster)
{
    struct arena measure;

    cluster_open(cluster);
    arena_init(&measure, NULL, 0);
    sim_init(&measure, &cluster->config);
    cluster_close(cluster);
    return measure.used_bytes - measure.spare_bytes;
}

SPEC("less memory is expected of an all-to-all in turns")
{
    struct cluster cluster;
    size_t turns_bytes;

    describe_all_to_all(&cluster, 1);
    turns_bytes = bytes_expected(&cluster);
    describe_all_to_all(&cluster, 0);
    EXPECT_LT(turns_bytes, bytes_expected(&cluster));
}

SPEC("workloads whose flows need the same memory share it")
{
    struct cluster cluster;

    describe_all_to_all(&cluster, 1);
    cluster.workloads[0].rank_count = NICS / 2;
    cluster.workloads[1] = cluster.workloads[0];
    cluster.workloads[1].first_nic = NICS / 2;
    cluster.workloads[1].start_ps = US(100000);
    cluster.config.workload_count = 2;
    EXPECT_LE(run(&cluster), 3 * NICS / 2);
}

SPEC("engines and shards agree on flows that return their memory")
{
    struct cluster cluster;

    describe_all_to_all(&cluster, 1);
    cluster_expect_same_runs(&cluster);
    describe_chain(&cluster);
    cluster_expect_same_runs(&cluster);
}

/* A message from the first NIC to the other leaf over eight T1s, of which one loses everything
 * until `until_ps`, beside NICs that do not stop. */
static void open_beside_blackhole(struct cluster *cluster, uint64_t until_ps)
{
    static const uint32_t nics[] = { 0, NICS - 1 };
    const struct sim_workload pair = { .name = "pair",
        .kind = SIM_STREAM,
        .rank_count = 2,
        .placement = SIM_LIST,
        .nics = nics,
        .message_bytes = 4000000,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };

    describe(cluster, &pair);
    cluster->workloads[1] = pair;
    cluster->workloads[1].placement = SIM_PACKED;
    cluster->workloads[1].first_nic = 2;
    cluster->workloads[1].iterations = 0;
    cluster->config.workload_count = 2;
    cluster->places[0] = (struct topology_element){ .kind = TOPOLOGY_T1, .t1 = 3 };
    cluster->faults[0] = (struct fault){
        .kind = FAULT_BLACKHOLE, .where = cluster->places, .where_count = 1, .until_ps = until_ps
    };
    cluster->config.fault_count = 1;
    cluster_open(cluster);
}

/* Runs it for so long that a flow without bad EVs is closed. */
static bool keeps_records(struct cluster *cluster, uint64_t now_ps)
{
    const struct engine_flow *flow = &cluster->sim->flows[0];

    EXPECT_EQ(sim_run(cluster->sim, now_ps), SIM_RUNNING);
    EXPECT_EQ(flow->completed, 1);
    EXPECT_LT(flow->ended_ps, now_ps - 2 * cluster->sim->linger_ps);
    loans_close(&cluster->sim->shards[0], 0, sim_now_ps(cluster->sim));
    return flow->has_records;
}

SPEC("a flow that probes a bad EV keeps its memory until that is good")
{
    struct cluster cluster;

    open_beside_blackhole(&cluster, FAULT_NEVER_PS);
    EXPECT(keeps_records(&cluster, US(5000)));
    cluster_close(&cluster);
    open_beside_blackhole(&cluster, US(200));
    EXPECT(!keeps_records(&cluster, US(5000)));
    cluster_close(&cluster);
}

SPEC("a flow without memory has the EVs that it begins with")
{
    static struct sim_ev evs[PATH_EV_COUNT_MAX];
    struct cluster cluster;
    struct sim_ev_counts before;
    struct sim_ev_counts after;

    describe_all_to_all(&cluster, 1);
    cluster_open(&cluster);
    before = sim_ev_counts(cluster.sim);
    EXPECT_EQ(sim_flow_evs(cluster.sim, NICS - 2, evs), 8);
    EXPECT_EQ(evs[0].state, EV_GOOD);
    EXPECT(evs[0].is_active);
    EXPECT_EQ(sim_run(cluster.sim, SECOND_PS), SIM_FINISHED);
    after = sim_ev_counts(cluster.sim);
    EXPECT_EQ(after.usable, before.usable);
    EXPECT_EQ(after.bad, 0);
    EXPECT_EQ(sim_flow_evs(cluster.sim, NICS - 2, evs), 8);
    cluster_close(&cluster);
}
