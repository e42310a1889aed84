/* SPDX-License-Identifier: Apache-2.0 */
/* Shards: a cluster in several parts runs as it does in one. */
#include "cluster.h"
#include "seen.h"
#include "spec.h"

#include "sim/shard.h"

/* ---- the same run ---------------------------------------------------------------------------- */

struct run {
    struct cluster_outcome outcome;
    struct seen seen;
};

static struct run run_in_shards(struct cluster *cluster, uint32_t shard_count)
{
    struct run run = { 0 };

    cluster->config.shard_count = shard_count;
    cluster->config.observer = seen_observer(&run.seen);
    run.outcome = cluster_run(cluster);
    return run;
}

static void expect_same(const struct run *a, const struct run *b)
{
    cluster_expect_same(&a->outcome, &b->outcome);
    EXPECT_EQ(a->seen.count, b->seen.count);
    EXPECT_EQ(a->seen.hash, b->seen.hash);
}

PROPERTY("two and three shards give the run of one, with its reports in the same order", 200)
{
    struct cluster cluster;
    struct run one;

    cluster_random(&cluster, seed);
    one = run_in_shards(&cluster, 1);
    for (uint32_t shards = 2; shards <= 3; shards++) {
        struct run several = run_in_shards(&cluster, shards);

        expect_same(&one, &several);
    }
}

PROPERTY("so do shards of a graph", 60)
{
    struct cluster cluster;
    struct run one;
    struct run several;

    cluster_random_graph(&cluster, seed);
    one = run_in_shards(&cluster, 1);
    several = run_in_shards(&cluster, 2 + (uint32_t)seed % 6);
    expect_same(&one, &several);
    cluster_free_graph(&cluster);
}

PROPERTY("no invariant is violated in three shards", 60)
{
    struct cluster cluster;
    struct run run;

    cluster_random(&cluster, seed);
    cluster.config.checks = true;
    run = run_in_shards(&cluster, 3);
    EXPECT_STR_EQ(run.outcome.violation, "");
}

/* ---- who runs what --------------------------------------------------------------------------- */

SPEC("a leaf and its NICs are in one shard, and every shard has nodes")
{
    struct cluster cluster;
    const struct sim *sim;
    uint32_t nodes[SIM_SHARDS_MAX] = { 0 };

    cluster_leaf_spine(&cluster);
    cluster.config.shard_count = 2;
    cluster_open(&cluster);
    sim = cluster.sim;
    EXPECT_EQ(sim_shard_count(sim), 2);
    for (uint32_t nic = 0; nic < sim->nic_count; nic++)
        EXPECT_EQ(sim->seats[nic].shard,
            sim->seats[sim->links[sim->nics[nic].first_port].peer_node].shard);
    for (uint32_t node = 0; node < sim->node_count; node++) {
        const struct engine_seat *seat = &sim->seats[node];

        EXPECT_EQ(seat->number, nodes[seat->shard]++);
        EXPECT_EQ(shard_node(&sim->shards[seat->shard], seat->number), node);
    }
    EXPECT_EQ(nodes[0], nodes[1]);
    cluster_close(&cluster);
}

SPEC("there are at most as many shards as leaves")
{
    struct cluster cluster;

    cluster_leaf_spine(&cluster);
    cluster.config.shard_count = 64;
    cluster_open(&cluster);
    EXPECT_EQ(sim_shard_count(cluster.sim), 2);
    cluster_close(&cluster);
}

/* ---- carriers -------------------------------------------------------------------------------- */

static void run_backwards(
    void *context, uint32_t count, void (*work)(void *argument, uint32_t index), void *argument)
{
    uint64_t *calls = context;

    while (count-- > 0)
        work(argument, count);
    (*calls)++;
}

PROPERTY("the order in which a carrier runs shards does not matter", 40)
{
    uint64_t calls = 0;
    struct sim_carrier backwards = { .run = run_backwards, .context = &calls };
    struct cluster cluster;
    struct run in_order;
    struct run other;

    cluster_random(&cluster, seed);
    in_order = run_in_shards(&cluster, 3);
    cluster.config.carrier = &backwards;
    other = run_in_shards(&cluster, 3);
    expect_same(&in_order, &other);
    EXPECT(
        calls > 0 || cluster.fabric_config.t0_count == 1 || other.outcome.totals.packets_sent == 0);
}
