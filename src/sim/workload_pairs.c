/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads in which each rank writes to one other rank: streams, permutations, incasts; and
 * ping-pong, which is answered.
 *
 * The first messages use the QPs of a pair in turn. Afterwards the QP that has finished a message
 * gets the next one, so that a slow QP does not delay the rest. */
#include "sim/workload_family.h"

/* ---- targets of ranks ------------------------------------------------------------------------ */

static bool goes_both_ways(const struct sim_workload *workload)
{
    return workload->kind == SIM_PING_PONG ||
           (workload->kind == SIM_STREAM && workload->bidirectional);
}

static uint32_t sender_count(const struct sim_workload *workload)
{
    switch (workload->kind) {
    case SIM_PERMUTATION:
        return workload->rank_count;
    case SIM_INCAST:
        return workload->rank_count - 1;
    default:
        return workload->rank_count / (goes_both_ways(workload) ? 1 : 2);
    }
}

static uint32_t flow_count(const struct sim_workload *workload)
{
    return sender_count(workload) * workload->qps;
}

static struct workload_flow flow_at(const struct workload_layout *layout, uint32_t index)
{
    const struct sim_workload *workload = layout->workload;
    uint32_t sender = index / workload->qps;
    bool tells = workload->kind == SIM_PING_PONG;

    if (workload->kind == SIM_PERMUTATION)
        return (struct workload_flow){ .from_rank = sender, .to_rank = layout->to_rank[sender] };
    if (workload->kind == SIM_INCAST)
        return (struct workload_flow){ .from_rank = sender + 1, .to_rank = 0 };
    if (!goes_both_ways(workload))
        return (struct workload_flow){ .from_rank = 2 * sender, .to_rank = 2 * sender + 1 };
    return (struct workload_flow){ .from_rank = sender, .to_rank = sender ^ 1, .tells = tells };
}

static bool writes(const struct workload_rank *rank)
{
    const struct sim_workload *workload = rank->workload;

    if (workload->kind == SIM_INCAST)
        return rank->rank > 0;
    return workload->kind != SIM_STREAM || workload->bidirectional || rank->rank % 2 == 0;
}

static uint32_t outstanding_max(const struct sim_workload *workload)
{
    return workload->outstanding;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void finish(struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->is_finished = true;
    world->finished(world->context, now_ps);
}

static void post(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    if (rank->workload->iterations > 0 && rank->posted == rank->workload->iterations)
        return;
    rank->posted++;
    world->send(world->context, flow, rank->workload->message_bytes, 0, now_ps);
}

static void begin(struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->began_ps = now_ps;
    if (!writes(rank)) {
        finish(rank, world, now_ps);
        return;
    }
    for (uint32_t round = 0; round < rank->workload->outstanding; round++)
        for (uint32_t flow = 0; flow < rank->workload->qps; flow++)
            post(rank, world, flow, now_ps);
}

static void on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    rank->sent++;
    rank->iteration = rank->sent;
    if (rank->sent == rank->workload->iterations)
        finish(rank, world, now_ps);
    else
        post(rank, world, flow, now_ps);
}

/* Not called: these flows have no immediates. */
static void on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    (void)rank;
    (void)world;
    (void)flow;
    (void)tag;
    (void)now_ps;
}

const struct workload_family workload_pairs = {
    .flow_count = flow_count,
    .flow_at = flow_at,
    .outstanding_max = outstanding_max,
    .begin = begin,
    .on_sent = on_sent,
    .on_received = on_received,
};

/* ---- ping-pong: even ranks begin, odd ranks answer ------------------------------------------- */

enum {
    UNACKNOWLEDGED_MAX = 8, /* acknowledgements may arrive later than answers */
};

static bool is_client(const struct workload_rank *rank)
{
    return rank->rank % 2 == 0;
}

/* Round trip number k goes over QP number k mod qps, there and back. */
static void serve(struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    bool is_due =
        is_client(rank) ? rank->posted == rank->iteration : rank->posted != rank->iteration;

    if (!rank->is_started || !is_due || rank->posted - rank->sent == UNACKNOWLEDGED_MAX)
        return;
    rank->began_ps = now_ps;
    post(rank, world, rank->posted % rank->workload->qps, now_ps);
}

static void ping_pong_look_for_the_end(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    uint32_t iterations = rank->workload->iterations;

    if (iterations > 0 && rank->iteration == iterations && rank->sent == iterations)
        finish(rank, world, now_ps);
}

static void ping_pong_on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    (void)flow;
    rank->sent++;
    serve(rank, world, now_ps);
    ping_pong_look_for_the_end(rank, world, now_ps);
}

static void ping_pong_on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    (void)flow;
    (void)tag;
    rank->iteration++;
    if (is_client(rank))
        world->completed(world->context, rank->workload->message_bytes, rank->began_ps, now_ps);
    serve(rank, world, now_ps);
    ping_pong_look_for_the_end(rank, world, now_ps);
}

static uint32_t ping_pong_outstanding_max(const struct sim_workload *workload)
{
    (void)workload;
    return UNACKNOWLEDGED_MAX;
}

const struct workload_family workload_ping_pong = {
    .flow_count = flow_count,
    .flow_at = flow_at,
    .outstanding_max = ping_pong_outstanding_max,
    .begin = serve,
    .on_sent = ping_pong_on_sent,
    .on_received = ping_pong_on_received,
};
