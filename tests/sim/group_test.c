/* SPDX-License-Identifier: Apache-2.0 */
/* Groups: members that exchange packets by value run a cluster as one process does. */
#include "cluster.h"
#include "members.h"
#include "seen.h"
#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include "sim/shard.h"

enum { STOPS = 4 };

/* How each member makes its cluster. */
struct made {
    void (*draw)(struct cluster *, uint64_t seed);
    uint64_t seed;
    uint32_t shard_count;
    bool checks;
    bool counts_order;
    bool has_hardware;
};

/* What one process or the leader of a group sees. */
struct run {
    enum sim_status status;
    char violation[256];
    uint64_t hash;
    uint64_t now_ps;
    struct sim_totals totals;
    struct sim_order order;
    struct seen seen;
    uint64_t queries; /* a hash of the answers to all others */
    uint64_t exchanges;
};

static void make_cluster(struct cluster *cluster, const struct made *made)
{
    made->draw(cluster, made->seed);
    cluster->config.shard_count = made->shard_count;
    cluster->config.checks = made->checks;
    cluster->config.counts_order = made->counts_order;
    if (made->has_hardware)
        cluster_random_hardware(cluster, made->seed);
}

static void unmake_cluster(struct cluster *cluster)
{
    if (cluster->graph)
        cluster_free_graph(cluster);
}

/* ---- queries --------------------------------------------------------------------------------- */

static void add_answer(struct run *run, uint64_t value)
{
    run->queries = sim_engine_mix(run->queries, value);
}

static void ask_flow(struct run *run, const struct sim *sim, uint32_t index)
{
    struct sim_ev evs[PATH_EV_COUNT_MAX];
    uint32_t count = sim_flow_evs(sim, index, evs);
    struct sim_flow flow;

    sim_flow_at(sim, index, &flow);
    add_answer(run, flow.posted_bytes);
    add_answer(run, flow.placed_bytes);
    add_answer(run, flow.completed_bytes);
    add_answer(run, flow.started_ps);
    add_answer(run, flow.oldest_ps);
    add_answer(run, flow.ended_ps);
    for (uint32_t i = 0; i < count; i++) {
        add_answer(run, (uint64_t)evs[i].ev << 32 | evs[i].plane);
        add_answer(run, (uint64_t)evs[i].state << 1 | evs[i].is_active);
    }
}

static void ask_port(struct run *run, struct sim *sim, struct topology_end end)
{
    struct sim_queue queue;

    if (!sim_queue_at(sim, end, &queue))
        return;
    add_answer(run, (uint64_t)queue.data_bytes << 32 | queue.control_bytes);
    add_answer(run, queue.lost);
    add_answer(run, queue.lost_control);
    for (uint32_t i = 0; i < PORT_COUNTER_COUNT; i++)
        add_answer(run, port_counter(queue.counters, i));
}

static void ask_ports(struct run *run, struct sim *sim)
{
    for (uint32_t nic = 0; nic < sim->nic_count; nic++)
        for (uint32_t p = 0; p < sim->plane_count; p++)
            ask_port(run, sim, (struct topology_end){ true, nic, p });
    for (uint32_t i = 0; i < sim->topology->switch_count; i++)
        for (uint32_t p = 0; p < sim->switches[i].port_count; p++)
            ask_port(run, sim, (struct topology_end){ false, i, p });
}

static void ask_all(struct run *run, struct sim *sim)
{
    uint64_t plane_bytes[TOPOLOGY_PLANES_MAX];
    struct sim_ev_counts counts = sim_ev_counts(sim);
    struct topology_end where;

    add_answer(run, counts.usable);
    add_answer(run, counts.bad);
    sim_plane_bytes(sim, plane_bytes);
    for (uint32_t p = 0; p < TOPOLOGY_PLANES_MAX; p++)
        add_answer(run, plane_bytes[p]);
    for (uint32_t i = 0; i < sim_flow_count(sim); i++)
        ask_flow(run, sim, i);
    ask_ports(run, sim);
    add_answer(run, sim_queue_peak(sim, &where));
    add_answer(run, (uint64_t)where.node << 32 | where.port);
    add_answer(run, sim_packet_hops(sim));
    for (uint32_t i = 0; i < sim_fault_count(sim); i++)
        add_answer(run, sim_fault_is_in_force(sim, i));
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Stops on the way, to ask. */
static void run_and_ask(struct run *run, struct sim *sim)
{
    uint64_t duration_ps = sim->config.duration_ps;

    for (uint32_t i = 1; i <= STOPS; i++) {
        run->status = sim_run(sim, i == STOPS ? SIM_NEVER_PS : duration_ps / STOPS * i);
        ask_all(run, sim);
    }
    memcpy(run->violation, sim_violation(sim), sizeof(run->violation));
    run->hash = sim_hash(sim);
    run->now_ps = sim_now_ps(sim);
    sim_totals(sim, &run->totals);
    sim_order(sim, &run->order);
    sim_dismiss(sim);
}

static struct run run_made(const struct made *made, const struct sim_group *group)
{
    struct run run = { 0 };
    struct cluster cluster;

    make_cluster(&cluster, made);
    cluster.config.group = group;
    cluster.config.observer = seen_observer(&run.seen);
    cluster_open(&cluster);
    run_and_ask(&run, cluster.sim);
    cluster_close(&cluster);
    unmake_cluster(&cluster);
    return run;
}

struct follower {
    pthread_t thread;
    const struct made *made;
    const struct sim_group *group;
    enum sim_status status; /* with which its first shard ends the run; SIM_RUNNING: not */
};

static void *follow(void *context)
{
    const struct follower *follower = context;
    struct cluster cluster;

    make_cluster(&cluster, follower->made);
    cluster.config.group = follower->group;
    cluster_open(&cluster);
    if (follower->status == SIM_VIOLATED)
        shard_violated(&cluster.sim->shards[1], "something is wrong, flow", 3, 0);
    cluster.sim->shards[1].status = follower->status;
    sim_serve(cluster.sim);
    cluster_close(&cluster);
    unmake_cluster(&cluster);
    return NULL;
}

/* Returns what the leader sees. */
static struct run run_in_group(const struct made *made, uint32_t count, enum sim_status status)
{
    static struct members members;
    struct follower followers[MEMBERS_MAX];
    struct run run;

    members_init(&members, count);
    for (uint32_t i = 1; i < count; i++) {
        followers[i] =
            (struct follower){ .made = made, .group = &members.at[i].group, .status = status };
        EXPECT_EQ(pthread_create(&followers[i].thread, NULL, follow, &followers[i]), 0);
    }
    run = run_made(made, &members.at[0].group);
    for (uint32_t i = 1; i < count; i++)
        pthread_join(followers[i].thread, NULL);
    run.exchanges = members.exchanges;
    members_fini(&members);
    return run;
}

/* A fabric with one leaf cannot be divided. */
static bool can_be_divided(const struct made *made)
{
    struct cluster cluster;
    bool can;

    make_cluster(&cluster, made);
    can = sim_shards_of(&cluster.config) > 1;
    unmake_cluster(&cluster);
    return can;
}

static void expect_same(const struct run *one, const struct run *group)
{
    EXPECT_STR_EQ(group->violation, one->violation);
    EXPECT_EQ(group->status, one->status);
    EXPECT_EQ(group->now_ps, one->now_ps);
    EXPECT_EQ(group->hash, one->hash);
    EXPECT_EQ(group->seen.count, one->seen.count);
    EXPECT_EQ(group->seen.hash, one->seen.hash);
    EXPECT_EQ(group->queries, one->queries);
    EXPECT_MEM_EQ(&group->totals, &one->totals, sizeof(one->totals));
    EXPECT_MEM_EQ(&group->order, &one->order, sizeof(one->order));
}

static void expect_same_in_group(struct made made, uint32_t members, uint32_t shard_count)
{
    struct run one;
    struct run group;

    made.shard_count = 1;
    one = run_made(&made, NULL);
    made.shard_count = shard_count;
    if (!can_be_divided(&made))
        return;
    group = run_in_group(&made, members, SIM_RUNNING);
    expect_same(&one, &group);
    EXPECT_GE(group.exchanges, STOPS);
}

PROPERTY("two members give the run of one process: hash, counters, reports in order, queries", 200)
{
    expect_same_in_group((struct made){ .draw = cluster_random, .seed = seed }, 2, 2);
}

PROPERTY("so do members with several shards, and more members than shards", 30)
{
    struct made made = { .draw = cluster_random, .seed = seed, .counts_order = true };

    expect_same_in_group(made, 2, 3);
    expect_same_in_group(made, 5, 3);
}

PROPERTY("so do members that run a graph", 20)
{
    struct made made = { .draw = cluster_random_graph, .seed = seed };

    expect_same_in_group(made, 2 + (uint32_t)seed % 2, 2 + (uint32_t)seed % 6);
}

PROPERTY("so do members with all checks, and no invariant is violated", 20)
{
    struct made made = { .draw = cluster_random, .seed = seed, .checks = true };

    expect_same_in_group(made, 2, 2);
}

PROPERTY("so do members whose NICs and switches are not ideal", 20)
{
    struct made made = { .draw = cluster_random, .seed = seed, .has_hardware = true };

    expect_same_in_group(made, 2, 3);
}

/* Two leaves, one for each member. */
static void draw_two_leaves(struct cluster *cluster, uint64_t seed)
{
    cluster_leaf_spine(cluster);
    cluster->config.seed = seed;
    cluster->config.workload_count = 1;
    cluster->workloads[0] = (struct sim_workload){ .kind = SIM_PERMUTATION,
        .name = "work",
        .rank_count = 128,
        .message_bytes = 10000,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };
}

SPEC("a violation in another member ends the run, with its message")
{
    struct made made = { .draw = draw_two_leaves, .seed = 7, .shard_count = 2 };
    struct run run = run_in_group(&made, 2, SIM_VIOLATED);

    EXPECT_EQ(run.status, SIM_VIOLATED);
    EXPECT_STR_EQ(run.violation, "something is wrong, flow 3, at 0 ps, seed 7");
}

SPEC("another member that is out of memory ends the run")
{
    struct made made = { .draw = draw_two_leaves, .seed = 7, .shard_count = 2 };
    struct run run = run_in_group(&made, 2, SIM_OUT_OF_MEMORY);

    EXPECT_EQ(run.status, SIM_OUT_OF_MEMORY);
}

SPEC("a member takes memory for the NICs of its own shards only")
{
    struct made made = { .draw = draw_two_leaves, .seed = 7, .shard_count = 2 };
    struct members members;
    struct cluster cluster;
    struct arena one;
    struct arena both;

    members_init(&members, 2);
    make_cluster(&cluster, &made);
    cluster_open(&cluster); /* wires the fabric */
    cluster_close(&cluster);
    arena_init(&both, NULL, 0);
    sim_init(&both, &cluster.config);
    cluster.config.group = &members.at[1].group;
    arena_init(&one, NULL, 0);
    sim_init(&one, &cluster.config);
    EXPECT_LT(one.used_bytes - one.spare_bytes, (both.used_bytes - both.spare_bytes) * 7 / 10);
    members_fini(&members);
}
