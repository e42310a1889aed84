/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-all: every rank has a part of its buffer for every other rank of its group, and sends the
 * parts in the order of ranks, beginning with that of the next rank: all at once, or to
 * `peers_at_once` ranks at a time.
 *
 * The tag is the iteration. No rank begins iteration k + 1 before it has all parts of k, so a rank
 * in iteration k can receive only parts of k and k + 1: two counters are enough. */
#include <assert.h>

#include "base/problem.h"
#include "sim/workload_kind.h"

static uint32_t group_of(const struct sim_workload *workload)
{
    return workload->group > 0 ? workload->group : workload->rank_count;
}

/* Returns the rank that is `ahead` places further in the same group. */
static uint32_t rank_ahead(const struct sim_workload *workload, uint32_t rank, uint32_t ahead)
{
    uint32_t place = rank % group_of(workload);

    return rank - place + (place + ahead) % group_of(workload);
}

static uint32_t peers_out(const struct sim_workload *workload)
{
    return group_of(workload) - 1;
}

static uint32_t messages_each(const struct sim_workload *workload)
{
    return peers_out(workload) * workload->qps;
}

/* Flows are in the order in which parts are sent. */
static void post_next(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct sim_workload *workload = rank->workload;
    uint32_t flow = rank->posted++;
    uint32_t to = rank_ahead(workload, rank->rank, 1 + flow / workload->qps);
    uint64_t bytes =
        workload_part_bytes(workload->message_bytes, group_of(workload), to % group_of(workload));

    world->send(world->context, flow,
        workload_part_bytes(bytes, workload->qps, flow % workload->qps), rank->iteration, now_ps);
}

static uint32_t messages_at_once(const struct sim_workload *workload)
{
    uint32_t peers = workload->peers_at_once;

    return (peers > 0 && peers < peers_out(workload) ? peers : peers_out(workload)) * workload->qps;
}

static void begin_collective(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    while (rank->posted < messages_at_once(rank->workload))
        post_next(rank, world, now_ps);
}

static void on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    (void)flow;
    rank->sent++;
    if (rank->posted < messages_each(rank->workload))
        post_next(rank, world, now_ps);
}

static void on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    (void)world;
    (void)flow;
    (void)now_ps;
    assert(tag - rank->iteration <= 1);
    rank->lanes[tag % 2].arrived++;
}

/* Arrivals are counted over all iterations of the same parity. */
static bool is_complete(const struct workload_rank *rank)
{
    uint32_t expected = (rank->iteration / 2 + 1) * messages_each(rank->workload);

    return rank->sent == messages_each(rank->workload) &&
           rank->lanes[rank->iteration % 2].arrived == expected;
}

static uint32_t flow_count(const struct sim_workload *workload)
{
    return workload->rank_count * messages_each(workload);
}

static struct workload_flow flow_at(const struct workload_layout *layout, uint32_t index)
{
    const struct sim_workload *workload = layout->workload;
    uint32_t from = index / messages_each(workload);
    uint32_t ahead = index % messages_each(workload) / workload->qps + 1;

    return (struct workload_flow){
        .from_rank = from, .to_rank = rank_ahead(workload, from, ahead), .tells = true
    };
}

static uint32_t outstanding_max(const struct sim_workload *workload)
{
    (void)workload;
    return 1;
}

static uint64_t part_count(const struct sim_workload *workload)
{
    return (uint64_t)workload->qps * group_of(workload);
}

/* A rank keeps the part that is its own. */
static uint64_t collective_bytes(const struct sim_workload *workload)
{
    uint64_t groups = workload->rank_count / group_of(workload);

    return groups * peers_out(workload) * workload->message_bytes;
}

static uint32_t flows_at_once(const struct sim_workload *workload)
{
    return workload->rank_count * messages_at_once(workload);
}

static uint32_t message_total(const struct workload_rank *rank, uint32_t flow)
{
    (void)flow;
    return rank->workload->iterations;
}

static uint32_t lane_count(const struct sim_workload *workload)
{
    enum { EVEN_AND_ODD = 2 };

    (void)workload;
    return EVEN_AND_ODD;
}

static bool check_workload(const struct sim_workload *workload, struct problem *problem)
{
    if (group_of(workload) < 2 || workload->rank_count % group_of(workload))
        return problem_is(problem, "group", "% ranks are not groups of %, at least 2",
            (struct problem_numbers){ workload->rank_count, workload->group, 0 });
    return true;
}

const struct workload_kind workload_all_to_all = {
    .traits = SIM_COLLECTIVE | SIM_DIVIDED,
    .check = check_workload,
    .peers_out = peers_out,
    .flow_count = flow_count,
    .flow_at = flow_at,
    .part_count = part_count,
    .outstanding_max = outstanding_max,
    .lane_count = lane_count,
    .flows_at_once = flows_at_once,
    .message_total = message_total,
    .begin = begin_collective,
    .on_sent = on_sent,
    .on_received = on_received,
    .is_complete = is_complete,
    .collective_bytes = collective_bytes,
};
