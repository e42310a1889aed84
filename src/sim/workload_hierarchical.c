/* SPDX-License-Identifier: Apache-2.0 */
/* All-reduce in groups of ranks, such as the NICs of a node, in three stages. The ranks of a group
 * reduce: each gets the sum of one slice of the buffer. The ranks with the same place in all groups
 * all-reduce that slice, in a ring (a rail). The ranks of a group gather all slices.
 *
 * The stages of a group are the two halves of a ring, as in workload_ring.c, or take the time of
 * `local_rate` without using the network. A rank enters a stage when it has finished the one
 * before. Flows of the rail come first, then those of the group. */
#include <assert.h>

#include "base/problem.h"
#include "sim/workload_kind.h"

enum stage {
    STAGE_REDUCE, /* in the group */
    STAGE_RAIL,
    STAGE_GATHER, /* in the group */
    STAGE_DONE,
};

enum { AHEAD_MAX = 16 }; /* as in workload_ring.c */

/* A ring, and the part of its steps that belongs to a stage. */
struct ring {
    uint32_t first_flow;
    uint32_t rank_count;
    uint32_t position;
    uint32_t steps; /* of a collective */
    uint32_t end_step;
    uint64_t bytes;
};

static uint32_t groups_of(const struct sim_workload *workload)
{
    return workload->rank_count / workload->group;
}

static bool is_local(const struct workload_rank *rank)
{
    return rank->stage != STAGE_RAIL && rank->workload->local_bps > 0;
}

/* In the group, a rank ends the first stage with the slice of the next rank. */
static struct ring ring_of(const struct workload_rank *rank, enum stage stage)
{
    const struct sim_workload *workload = rank->workload;
    uint32_t group = workload->group;
    uint32_t place = rank->rank % group;
    uint32_t half = stage == STAGE_RAIL ? groups_of(workload) - 1 : group - 1;

    if (stage == STAGE_RAIL)
        return (struct ring){ .rank_count = groups_of(workload),
            .position = rank->rank / group,
            .steps = 2 * half,
            .end_step = 2 * half,
            .bytes = workload_part_bytes(workload->message_bytes, group, (place + 1) % group) };
    return (struct ring){ .first_flow = workload->qps,
        .rank_count = group,
        .position = place,
        .steps = 2 * half,
        .end_step = stage == STAGE_REDUCE ? half : 2 * half,
        .bytes = workload->message_bytes };
}

static bool may_post(
    const struct workload_rank *rank, const struct ring *ring, const struct workload_lane *lane)
{
    uint32_t slices = rank->workload->outstanding;
    uint32_t base = rank->iteration * ring->steps * slices;
    uint32_t next = lane->posted - base;

    if (next == ring->end_step * slices || lane->posted - lane->sent >= slices + AHEAD_MAX)
        return false;
    return next < slices || next - slices < lane->arrived - base;
}

static void post_slice(struct workload_rank *rank, const struct workload_world *world,
    const struct ring *ring, uint32_t qp, uint64_t now_ps)
{
    const struct sim_workload *workload = rank->workload;
    uint32_t slices = workload->outstanding;
    struct workload_lane *lane = &rank->lanes[ring->first_flow + qp];
    uint32_t number = lane->posted++ - rank->iteration * ring->steps * slices;
    uint32_t step = number / slices % ring->rank_count;
    uint32_t chunk = (ring->position + ring->rank_count - step) % ring->rank_count;
    uint64_t bytes = workload_part_bytes(ring->bytes, ring->rank_count, chunk);

    world->send(world->context, ring->first_flow + qp,
        workload_part_bytes(bytes, workload->qps * slices, qp * slices + number % slices), 0,
        now_ps);
}

static void post_ready(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    struct ring ring = ring_of(rank, rank->stage);

    for (uint32_t qp = 0; qp < rank->workload->qps; qp++)
        while (may_post(rank, &ring, &rank->lanes[ring.first_flow + qp]))
            post_slice(rank, world, &ring, qp, now_ps);
}

static uint64_t local_ps(const struct sim_workload *workload)
{
    uint64_t bytes =
        workload->message_bytes - workload_part_bytes(workload->message_bytes, workload->group, 0);

    return workload->local_bps > 0 ? workload_time_ps(8 * bytes, workload->local_bps) : 0;
}

static void enter_stage(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    if (rank->stage == STAGE_DONE)
        return;
    if (!is_local(rank)) {
        post_ready(rank, world, now_ps);
        return;
    }
    rank->until_ps = now_ps + local_ps(rank->workload);
    world->wake_at(world->context, rank->until_ps);
}

static bool has_finished_stage(const struct workload_rank *rank)
{
    struct ring ring = ring_of(rank, rank->stage);
    uint32_t base = rank->iteration * ring.steps * rank->workload->outstanding;
    uint32_t messages = ring.end_step * rank->workload->outstanding;

    for (uint32_t qp = 0; qp < rank->workload->qps; qp++) {
        const struct workload_lane *lane = &rank->lanes[ring.first_flow + qp];

        if (lane->sent - base < messages || lane->arrived - base < messages)
            return false;
    }
    return true;
}

static void next_stage(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->stage++;
    enter_stage(rank, world, now_ps);
}

/* Called when a message was sent or received. It may have been the last of several stages, if the
 * other ranks are ahead. */
static void go_on(struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    if (!rank->is_communicating || rank->stage == STAGE_DONE || is_local(rank))
        return;
    post_ready(rank, world, now_ps);
    while (rank->stage != STAGE_DONE && !is_local(rank) && has_finished_stage(rank))
        next_stage(rank, world, now_ps);
}

static void begin_collective(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->stage = STAGE_REDUCE;
    enter_stage(rank, world, now_ps);
}

static void on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    rank->lanes[flow].sent++;
    go_on(rank, world, now_ps);
}

static void on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    (void)tag;
    rank->lanes[flow].arrived++;
    go_on(rank, world, now_ps);
}

static void on_wake(struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    if (!rank->is_communicating || rank->stage == STAGE_DONE || !is_local(rank) ||
        now_ps < rank->until_ps)
        return;
    next_stage(rank, world, now_ps);
    go_on(rank, world, now_ps);
}

static bool is_complete(const struct workload_rank *rank)
{
    return rank->stage == STAGE_DONE;
}

/* ---- flows and sums -------------------------------------------------------------------------- */

static uint32_t peers_out(const struct sim_workload *workload)
{
    return workload->local_bps > 0 ? 1 : 2;
}

static uint32_t lane_count(const struct sim_workload *workload)
{
    return peers_out(workload) * workload->qps;
}

static uint32_t flow_count(const struct sim_workload *workload)
{
    return workload->rank_count * lane_count(workload);
}

static struct workload_flow flow_at(const struct workload_layout *layout, uint32_t index)
{
    const struct sim_workload *workload = layout->workload;
    uint32_t from = index / workload->qps % workload->rank_count;
    uint32_t place = from % workload->group;
    bool is_rail = index / workload->qps < workload->rank_count;
    uint32_t to = is_rail ? (from + workload->group) % workload->rank_count
                          : from - place + (place + 1) % workload->group;

    return (struct workload_flow){ .from_rank = from, .to_rank = to, .tells = true };
}

static uint32_t outstanding_max(const struct sim_workload *workload)
{
    uint32_t rail = 2 * (groups_of(workload) - 1);
    uint32_t local = 2 * (workload->group - 1);
    uint32_t all = (rail > local ? rail : local) * workload->outstanding;
    uint32_t most = workload->outstanding + AHEAD_MAX;

    return all < most ? all : most;
}

static uint64_t part_count(const struct sim_workload *workload)
{
    return (uint64_t)workload->qps * workload->outstanding * workload->rank_count;
}

/* Groups of ranks divide the buffer among them, and rails divide what they get again. */
static uint64_t largest_count(const struct sim_workload *workload)
{
    return (uint64_t)workload->qps * workload->outstanding *
           (workload->local_bps > 0 ? workload->rank_count : workload->group);
}

static uint64_t collective_bytes(const struct sim_workload *workload)
{
    uint64_t groups = groups_of(workload);
    uint64_t in_groups = workload->local_bps > 0 ? 0 : 2 * groups * (workload->group - 1);

    return (2 * (groups - 1) + in_groups) * workload->message_bytes;
}

static uint64_t step_ps(const struct sim_workload *workload, uint64_t collective_ps)
{
    return collective_ps + 2 * local_ps(workload);
}

static bool check_workload(const struct sim_workload *workload, struct problem *problem)
{
    if (workload->group < 2 || workload->rank_count % workload->group ||
        workload->rank_count == workload->group)
        return problem_is(problem, "group", "% ranks are not two or more groups of %, at least 2",
            (struct problem_numbers){ workload->rank_count, workload->group, 0 });
    return true;
}

const struct workload_kind workload_hierarchical_all_reduce = {
    .traits = SIM_COLLECTIVE | SIM_DIVIDED,
    .check = check_workload,
    .peers_out = peers_out,
    .flow_count = flow_count,
    .flow_at = flow_at,
    .part_count = part_count,
    .largest_count = largest_count,
    .outstanding_max = outstanding_max,
    .lane_count = lane_count,
    .begin = begin_collective,
    .on_sent = on_sent,
    .on_received = on_received,
    .is_complete = is_complete,
    .collective_bytes = collective_bytes,
    .step_ps = step_ps,
    .on_wake = on_wake,
};
