/* SPDX-License-Identifier: Apache-2.0 */
/* Training of a model that is divided among ranks: steps of micro-batches, which go forward and
 * backward through the stages of a pipeline (one forward, one backward), exchange tokens with
 * experts, and end with the reduction of gradients over the data places.
 *
 * A pass of a micro-batch computes in segments. A segment ends with an exchange with the experts,
 * if the model has any: tokens go to their experts, and come back after the next segment. A
 * backward pass takes twice the time of a forward pass. The reduction may begin in the last
 * backward pass. */
#include "sim/parallel.h"

enum phase {
    PHASE_WAITS, /* for the input of a pass */
    PHASE_COMPUTES,
    PHASE_EXCHANGES, /* tokens with experts */
    PHASE_REDUCES,   /* all passes are done */
};

/* ---- parts: groups that have a collective of their own ------------------------------------------
 */

/* A rank of a group, which sees the flows of its axis only. */
struct part {
    struct sim_workload workload;
    struct workload_rank rank;
    struct workload_world world;
    const struct workload_world *outer;
    uint32_t first_flow;
};

static void send_of_part(
    void *context, uint32_t flow, uint64_t bytes, uint32_t tag, uint64_t now_ps)
{
    const struct part *part = context;

    part->outer->send(part->outer->context, part->first_flow + flow, bytes, tag, now_ps);
}

/* The time is kept in `until_ps`: plan_wake(). */
static void wake_part(void *context, uint64_t time_ps)
{
    (void)context;
    (void)time_ps;
}

/* Returns the number of the first flow of an axis. Data comes last: its number of flows varies. */
static uint32_t first_flow(const struct workload_rank *rank, enum parallel_axis axis, bool is_out)
{
    const struct sim_workload *workload = rank->workload;
    struct sim_workload part;
    uint32_t flow = 0;

    for (enum parallel_axis before = 0; before < axis; before++) {
        if (!parallel_has_flows(workload, before, rank->rank, is_out))
            continue;
        part = parallel_part(workload, before, 0);
        flow += workload->qps * (before == PARALLEL_EXPERT ? sim_workload_peers(&part) : 1);
    }
    return flow;
}

static void open_part(struct part *part, const struct workload_rank *rank, enum parallel_axis axis,
    const struct workload_world *world)
{
    const struct sim_workload *workload = rank->workload;
    bool is_data = axis == PARALLEL_DATA;

    part->workload = parallel_part(workload, axis, rank->exchange);
    part->rank = *rank;
    part->rank.workload = &part->workload;
    part->rank.rank = parallel_place(workload, axis, rank->rank);
    part->rank.lanes = rank->lanes + parallel_first_lane(workload, axis);
    part->rank.iteration = is_data ? rank->iteration : rank->exchange;
    part->rank.is_communicating = is_data ? rank->may_overlap : rank->phase == PHASE_EXCHANGES;
    part->first_flow = first_flow(rank, axis, true);
    part->outer = world;
    part->world =
        (struct workload_world){ .send = send_of_part, .wake_at = wake_part, .context = part };
}

static void close_part(const struct part *part, struct workload_rank *rank)
{
    rank->posted = part->rank.posted;
    rank->sent = part->rank.sent;
    rank->stage = part->rank.stage;
    rank->until_ps = part->rank.until_ps;
}

static void begin_part(struct workload_rank *rank, enum parallel_axis axis,
    const struct workload_world *world, uint64_t now_ps)
{
    struct part part;

    open_part(&part, rank, axis, world);
    if (axis == PARALLEL_EXPERT)
        part.rank.posted = part.rank.sent = 0;
    workload_kind_of(&part.workload)->begin(&part.rank, &part.world, now_ps);
    close_part(&part, rank);
}

static bool is_part_complete(const struct workload_rank *rank, enum parallel_axis axis)
{
    struct part part;

    if (parallel_group_count(rank->workload, axis) == 0)
        return true;
    open_part(&part, rank, axis, NULL);
    return workload_kind_of(&part.workload)->is_complete(&part.rank);
}

/* ---- stages ---------------------------------------------------------------------------------- */

static struct workload_lane *stage_lane(
    const struct workload_rank *rank, bool is_backward, uint32_t qp)
{
    return &rank->lanes[(is_backward ? rank->workload->qps : 0) + qp];
}

static bool has_input(const struct workload_rank *rank)
{
    struct parallel_pass pass = parallel_pass_of(rank);
    uint32_t before = rank->iteration * parallel_shape_of(rank->workload).micro_batches;
    enum parallel_axis axis = pass.is_backward ? PARALLEL_BACKWARD : PARALLEL_FORWARD;

    if (!parallel_has_flows(rank->workload, axis, rank->rank, false))
        return true;
    for (uint32_t qp = 0; qp < rank->workload->qps; qp++)
        if (stage_lane(rank, pass.is_backward, qp)->arrived - before <= pass.micro_batch)
            return false;
    return true;
}

static void send_output(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct sim_workload *workload = rank->workload;
    bool is_backward = parallel_pass_of(rank).is_backward;
    enum parallel_axis axis = is_backward ? PARALLEL_BACKWARD : PARALLEL_FORWARD;

    if (!parallel_has_flows(workload, axis, rank->rank, true))
        return;
    for (uint32_t qp = 0; qp < workload->qps; qp++) {
        stage_lane(rank, is_backward, qp)->posted++;
        world->send(world->context, first_flow(rank, axis, true) + qp,
            workload_part_bytes(workload->activation_bytes, workload->qps, qp), 0, now_ps);
    }
}

static bool is_output_sent(const struct workload_rank *rank)
{
    for (uint32_t i = 0; i < 2 * rank->workload->qps; i++)
        if (rank->lanes[i].sent != rank->lanes[i].posted)
            return false;
    return true;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static void begin_reduction(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    if (rank->may_overlap)
        return;
    rank->may_overlap = true;
    if (parallel_group_count(rank->workload, PARALLEL_DATA) > 0)
        begin_part(rank, PARALLEL_DATA, world, now_ps);
}

/* Returns the time at the end of this segment in which the reduction may run. */
static uint64_t overlap_ps(const struct workload_rank *rank)
{
    const struct sim_workload *workload = rank->workload;
    uint64_t each_ps = parallel_segment_ps(rank);
    uint64_t after_ps = (parallel_segment_count(workload) - 1 - rank->segment) * each_ps;
    uint64_t may_ps = 2 * parallel_forward_ps(workload) / 1000 * workload->overlap_permille;
    uint64_t here_ps = may_ps > after_ps ? may_ps - after_ps : 0;

    if (rank->pass + 1 < parallel_pass_count(workload))
        return 0;
    return here_ps < each_ps ? here_ps : each_ps;
}

static void begin_segment(struct workload_rank *rank, uint64_t now_ps)
{
    rank->phase = PHASE_COMPUTES;
    rank->busy_until_ps = now_ps + parallel_segment_ps(rank);
}

static void end_segment(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->segment++;
    if (rank->segment < parallel_segment_count(rank->workload)) {
        begin_segment(rank, now_ps);
        return;
    }
    send_output(rank, world, now_ps);
    rank->segment = 0;
    rank->pass++;
    rank->phase = PHASE_WAITS;
}

/* Returns whether the phase has changed. */
static bool leave_waiting(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    if (rank->pass == parallel_pass_count(rank->workload)) {
        begin_reduction(rank, world, now_ps);
        rank->phase = PHASE_REDUCES;
        return true;
    }
    if (!has_input(rank))
        return false;
    begin_segment(rank, now_ps);
    return true;
}

static bool leave_computing(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    uint64_t overlaps_ps = overlap_ps(rank);

    if (overlaps_ps > 0 && now_ps >= rank->busy_until_ps - overlaps_ps)
        begin_reduction(rank, world, now_ps);
    if (now_ps < rank->busy_until_ps)
        return false;
    if (rank->workload->exchanges > 0) {
        rank->phase = PHASE_EXCHANGES;
        if (parallel_group_count(rank->workload, PARALLEL_EXPERT) > 0)
            begin_part(rank, PARALLEL_EXPERT, world, now_ps);
    } else {
        end_segment(rank, world, now_ps);
    }
    return true;
}

static bool leave_exchanging(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    if (!is_part_complete(rank, PARALLEL_EXPERT))
        return false;
    rank->exchange++;
    end_segment(rank, world, now_ps);
    return true;
}

static bool leave_phase(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    switch ((enum phase)rank->phase) {
    case PHASE_WAITS:
        return leave_waiting(rank, world, now_ps);
    case PHASE_COMPUTES:
        return leave_computing(rank, world, now_ps);
    case PHASE_EXCHANGES:
        return leave_exchanging(rank, world, now_ps);
    case PHASE_REDUCES:
        return false;
    }
    return false;
}

/* Computing and a stage of the reduction inside a node may both be waited for. */
static void plan_wake(
    const struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    uint64_t next_ps = UINT64_MAX;

    if (rank->phase == PHASE_COMPUTES)
        next_ps = rank->busy_until_ps - (rank->may_overlap ? 0 : overlap_ps(rank));
    if (rank->may_overlap && rank->until_ps > now_ps && rank->until_ps < next_ps)
        next_ps = rank->until_ps;
    if (next_ps != UINT64_MAX)
        world->wake_at(world->context, next_ps);
}

static void wake_reduction(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    struct part part;

    if (!rank->may_overlap || parallel_group_count(rank->workload, PARALLEL_DATA) == 0)
        return;
    open_part(&part, rank, PARALLEL_DATA, world);
    if (workload_kind_of(&part.workload)->on_wake)
        workload_kind_of(&part.workload)->on_wake(&part.rank, &part.world, now_ps);
    close_part(&part, rank);
}

static void go_on(struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    if (!rank->is_communicating)
        return;
    while (leave_phase(rank, world, now_ps)) {
    }
    wake_reduction(rank, world, now_ps);
    plan_wake(rank, world, now_ps);
}

static void begin_step(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->pass = 0;
    rank->segment = 0;
    rank->phase = PHASE_WAITS;
    rank->may_overlap = false;
    go_on(rank, world, now_ps);
}

static void end_step(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    world->stepped(world->context, rank->iteration, rank->began_ps, now_ps);
    workload_end_iteration(rank, world, now_ps);
}

static bool is_complete(const struct workload_rank *rank)
{
    return rank->phase == PHASE_REDUCES && is_output_sent(rank) &&
           is_part_complete(rank, PARALLEL_DATA);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Returns the axis of a flow, and its number on that axis. */
static enum parallel_axis axis_of(const struct workload_rank *rank, uint32_t *flow, bool is_out)
{
    enum parallel_axis axis = PARALLEL_DATA;

    while (axis > 0 && (!parallel_has_flows(rank->workload, axis, rank->rank, is_out) ||
                           *flow < first_flow(rank, axis, is_out)))
        axis--;
    *flow -= first_flow(rank, axis, is_out);
    return axis;
}

static void on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    enum parallel_axis axis = axis_of(rank, &flow, true);
    struct part part;

    if (axis <= PARALLEL_BACKWARD) {
        stage_lane(rank, axis == PARALLEL_BACKWARD, flow)->sent++;
    } else {
        open_part(&part, rank, axis, world);
        workload_kind_of(&part.workload)->on_sent(&part.rank, &part.world, flow, now_ps);
        close_part(&part, rank);
    }
    go_on(rank, world, now_ps);
}

static void on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    enum parallel_axis axis = axis_of(rank, &flow, false);
    struct part part;

    if (axis <= PARALLEL_BACKWARD) {
        stage_lane(rank, axis == PARALLEL_BACKWARD, flow)->arrived++;
    } else {
        open_part(&part, rank, axis, world);
        workload_kind_of(&part.workload)->on_received(&part.rank, &part.world, flow, tag, now_ps);
        close_part(&part, rank);
    }
    go_on(rank, world, now_ps);
}

const struct workload_kind workload_parallel_training = {
    .check = parallel_check,
    .peers_out = parallel_peers_out,
    .flow_count = parallel_flow_count,
    .flow_at = parallel_flow_at,
    .part_count = parallel_part_count,
    .largest_bytes = parallel_largest_bytes,
    .outstanding_max = parallel_outstanding_max,
    .lane_count = parallel_lane_count,
    .begin = begin_step,
    .on_sent = on_sent,
    .on_received = on_received,
    .is_complete = is_complete,
    .collective_bytes = parallel_step_bytes,
    .compute_ps = parallel_compute_ps,
    .step_ps = parallel_step_ps,
    .on_collective = end_step,
    .on_wake = go_on,
};
