/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads in which each rank writes to one other rank: streams, permutations, incasts; and
 * ping-pong, which is answered. */
#include "base/problem.h"
#include "sim/workload_kind.h"

/* ---- pairs: even ranks write to odd ones, and odd ranks back if it goes both ways ------------ */

static bool pairs_check(const struct sim_workload *workload, struct problem *problem)
{
    if (workload->rank_count % 2 != 0)
        return problem_is(problem, "ranks", "% ranks do not form pairs; use an even number",
            (struct problem_numbers){ workload->rank_count, 0, 0 });
    return true;
}

static uint32_t stream_flow_count(const struct sim_workload *workload)
{
    return workload->rank_count / (workload->bidirectional ? 1 : 2) * workload->qps;
}

static struct workload_flow stream_flow_at(const struct workload_layout *layout, uint32_t index)
{
    uint32_t sender = index / layout->workload->qps * (layout->workload->bidirectional ? 1 : 2);

    return (struct workload_flow){ .from_rank = sender, .to_rank = sender ^ 1 };
}

static bool stream_writes(const struct workload_rank *rank)
{
    return rank->workload->bidirectional || rank->rank % 2 == 0;
}

const struct workload_kind workload_stream = {
    .traits = SIM_STEADY | SIM_PAIRED,
    .check = pairs_check,
    .flow_count = stream_flow_count,
    .flow_at = stream_flow_at,
    .writes = stream_writes,
    WORKLOAD_STEADY,
};

/* ---- permutation ----------------------------------------------------------------------------- */

static bool permutation_check(const struct sim_workload *workload, struct problem *problem)
{
    if (workload->shift >= workload->rank_count)
        return problem_is(problem, "shift", "a shift of % is not below the number of ranks, %",
            (struct problem_numbers){ workload->shift, workload->rank_count, 0 });
    return true;
}

static uint32_t one_flow_each(const struct sim_workload *workload)
{
    return workload->rank_count * workload->qps;
}

static struct workload_flow permutation_flow_at(
    const struct workload_layout *layout, uint32_t index)
{
    uint32_t sender = index / layout->workload->qps;

    return (struct workload_flow){ .from_rank = sender, .to_rank = layout->to_rank[sender] };
}

const struct workload_kind workload_permutation = {
    .traits = SIM_STEADY,
    .check = permutation_check,
    .flow_count = one_flow_each,
    .flow_at = permutation_flow_at,
    .choose_targets = workload_permute,
    WORKLOAD_STEADY,
};

/* ---- incast ---------------------------------------------------------------------------------- */

static uint32_t incast_senders(const struct sim_workload *workload)
{
    return workload->rank_count - 1;
}

static uint32_t incast_flow_count(const struct sim_workload *workload)
{
    return incast_senders(workload) * workload->qps;
}

static struct workload_flow incast_flow_at(const struct workload_layout *layout, uint32_t index)
{
    return (struct workload_flow){ .from_rank = index / layout->workload->qps + 1, .to_rank = 0 };
}

static bool incast_writes(const struct workload_rank *rank)
{
    return rank->rank > 0;
}

const struct workload_kind workload_incast = {
    .traits = SIM_STEADY,
    .peers_in = incast_senders,
    .flow_count = incast_flow_count,
    .flow_at = incast_flow_at,
    .writes = incast_writes,
    WORKLOAD_STEADY,
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
static void post_due_message(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    bool is_due =
        is_client(rank) ? rank->posted == rank->iteration : rank->posted != rank->iteration;

    if (!rank->is_started || !is_due || rank->posted - rank->sent == UNACKNOWLEDGED_MAX)
        return;
    rank->began_ps = now_ps;
    workload_post(rank, world, rank->posted % rank->workload->qps, now_ps);
}

static void ping_pong_look_for_the_end(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    uint32_t iterations = rank->workload->iterations;

    if (iterations > 0 && rank->iteration == iterations && rank->sent == iterations)
        workload_finish(rank, world, now_ps);
}

static void ping_pong_on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    (void)flow;
    rank->sent++;
    post_due_message(rank, world, now_ps);
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
    post_due_message(rank, world, now_ps);
    ping_pong_look_for_the_end(rank, world, now_ps);
}

static struct workload_flow ping_pong_flow_at(const struct workload_layout *layout, uint32_t index)
{
    uint32_t sender = index / layout->workload->qps;

    return (struct workload_flow){ .from_rank = sender, .to_rank = sender ^ 1, .tells = true };
}

static uint32_t ping_pong_outstanding_max(const struct sim_workload *workload)
{
    (void)workload;
    return UNACKNOWLEDGED_MAX;
}

const struct workload_kind workload_ping_pong = {
    .traits = SIM_PAIRED,
    .check = pairs_check,
    .flow_count = one_flow_each,
    .flow_at = ping_pong_flow_at,
    .outstanding_max = ping_pong_outstanding_max,
    .begin = post_due_message,
    .on_sent = ping_pong_on_sent,
    .on_received = ping_pong_on_received,
};
