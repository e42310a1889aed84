/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule: messages and computing that wait for each other.
 *
 * A rank knows its own operations and the messages that arrive. An operation begins when all that
 * it waits for has happened; the time is kept in a heap until then. Messages of a pair use its QP
 * with the fewest messages, and wait there in the order in which they began. The tag of a message
 * is the number of its operation. Computing on one processor is done one after the other, the first
 * operation of the file first if several are ready. */
#include <assert.h>
#include <stdalign.h>

#include "base/problem.h"
#include "sim/workload_kind.h"

static const struct sim_schedule *schedule_of(const struct workload_rank *rank)
{
    return rank->workload->schedule;
}

static const struct sim_operation *operation_at(const struct workload_rank *rank, uint32_t number)
{
    const struct sim_schedule *schedule = schedule_of(rank);

    return &schedule->operations[schedule->first_operation[rank->rank] + number];
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Nothing is left to wait for: the operation begins now, or at a known time. */
static void schedule_begin(struct workload_rank *rank, uint32_t number, uint64_t now_ps)
{
    const struct sim_operation *operation = operation_at(rank, number);
    uint64_t begin_ps = now_ps + (operation->bytes > 0 ? operation->time_ps : 0);

    if (begin_ps < rank->began_ps + operation->start_ps)
        begin_ps = rank->began_ps + operation->start_ps;
    deadline_heap_set(&rank->script->times, number, begin_ps);
}

/* Something has happened to an operation of any rank that operations of this one wait for. */
static void release_waiters(struct workload_rank *rank, const struct sim_operation *of,
    enum sim_after after, uint64_t now_ps)
{
    const struct sim_schedule *schedule = schedule_of(rank);
    uint32_t first = schedule->first_operation[rank->rank];

    for (uint32_t i = of[0].first_waiter; i < of[1].first_waiter; i++) {
        struct sim_waiter waiter = schedule->waiters[i];
        struct workload_operation *waiting;

        if (waiter.after != after)
            continue;
        assert(schedule->operations[waiter.operation].rank == rank->rank);
        waiting = &rank->script->operations[waiter.operation - first];
        assert(waiting->waits > 0 && waiting->waits != WORKLOAD_BEGUN);
        if (--waiting->waits == 0 && rank->is_started)
            schedule_begin(rank, waiter.operation - first, now_ps);
    }
}

static void end_operation(struct workload_rank *rank, uint32_t number, uint64_t now_ps)
{
    rank->script->left--;
    release_waiters(rank, operation_at(rank, number), SIM_AFTER_END, now_ps);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void post_messages(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    const struct sim_schedule *schedule = schedule_of(rank);
    uint32_t depth = workload_outstanding_max(rank->workload);
    struct workload_queue *queue = &rank->script->queues[flow];

    while (queue->waiting > 0 && queue->posted < depth) {
        uint32_t number = queue->unposted;

        queue->unposted = rank->script->operations[number].next;
        queue->waiting--;
        queue->posted++;
        world->send(world->context, flow, operation_at(rank, number)->bytes,
            schedule->first_operation[rank->rank] + number, now_ps);
    }
}

/* Returns the flow of the pair with the fewest messages. */
static uint32_t choose_flow(const struct workload_rank *rank, uint32_t pair)
{
    uint32_t qps = rank->workload->qps;
    uint32_t first = (pair - schedule_of(rank)->first_pair[rank->rank]) * qps;
    uint32_t best = first;

    for (uint32_t i = first + 1; i < first + qps; i++) {
        const struct workload_queue *queues = rank->script->queues;

        if (queues[i].posted + queues[i].waiting < queues[best].posted + queues[best].waiting)
            best = i;
    }
    return best;
}

static void begin_message(struct workload_rank *rank, const struct workload_world *world,
    uint32_t number, uint64_t now_ps)
{
    uint32_t flow = choose_flow(rank, operation_at(rank, number)->where);
    struct workload_queue *queue = &rank->script->queues[flow];

    rank->script->operations[number].next = WORKLOAD_NO_OPERATION;
    if (queue->posted + queue->waiting > 0)
        rank->script->operations[queue->last].next = number;
    else
        queue->first = number;
    if (queue->waiting == 0)
        queue->unposted = number;
    queue->last = number;
    queue->waiting++;
    post_messages(rank, world, flow, now_ps);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void begin_computing(struct workload_rank *rank, uint32_t number, uint64_t now_ps)
{
    const struct sim_operation *operation = operation_at(rank, number);

    rank->script->operations[number].waits = WORKLOAD_BEGUN;
    release_waiters(rank, operation, SIM_AFTER_BEGIN, now_ps);
    if (operation->time_ps == 0) {
        end_operation(rank, number, now_ps);
        return;
    }
    rank->script->free_ps[operation->where] = now_ps + operation->time_ps;
    deadline_heap_set(&rank->script->times, number, now_ps + operation->time_ps);
}

static void do_next(struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    struct deadline_heap *times = &rank->script->times;
    uint32_t number = deadline_heap_first(times);
    const struct sim_operation *operation = operation_at(rank, number);

    deadline_heap_set(times, number, DEADLINE_HEAP_NEVER);
    if (rank->script->operations[number].waits == WORKLOAD_BEGUN) {
        end_operation(rank, number, now_ps);
    } else if (operation->bytes > 0) {
        release_waiters(rank, operation, SIM_AFTER_BEGIN, now_ps);
        begin_message(rank, world, number, now_ps);
    } else if (operation->time_ps > 0 && rank->script->free_ps[operation->where] > now_ps) {
        deadline_heap_set(times, number, rank->script->free_ps[operation->where]);
    } else {
        begin_computing(rank, number, now_ps);
    }
}

static void do_all(struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct deadline_heap *times = &rank->script->times;

    if (!rank->is_started || rank->is_finished)
        return;
    while (deadline_heap_next(times) <= now_ps)
        do_next(rank, world, now_ps);
    if (deadline_heap_next(times) != DEADLINE_HEAP_NEVER)
        world->wake_at(world->context, deadline_heap_next(times));
    if (rank->script->left == 0)
        workload_finish(rank, world, now_ps);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void begin_rank(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const uint32_t *first = &schedule_of(rank)->first_operation[rank->rank];

    rank->began_ps = now_ps;
    for (uint32_t i = 0; i < first[1] - first[0]; i++)
        if (rank->script->operations[i].waits == 0)
            schedule_begin(rank, i, now_ps);
    do_all(rank, world, now_ps);
}

static void on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    struct workload_queue *queue = &rank->script->queues[flow];
    uint32_t number = queue->first;

    assert(queue->posted > 0);
    queue->posted--;
    queue->first = rank->script->operations[number].next;
    post_messages(rank, world, flow, now_ps);
    end_operation(rank, number, now_ps);
    do_all(rank, world, now_ps);
}

static void on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    (void)flow;
    release_waiters(rank, &schedule_of(rank)->operations[tag], SIM_AFTER_ARRIVAL, now_ps);
    do_all(rank, world, now_ps);
}

/* ---- before the run -------------------------------------------------------------------------- */

static bool check_workload(const struct sim_workload *workload, struct problem *problem)
{
    if (!workload->schedule)
        return problem_is(
            problem, "file", "a schedule needs a file", (struct problem_numbers){ 0 });
    if (workload->rank_count != workload->schedule->rank_count)
        return problem_is(problem, "ranks", "% ranks, but the schedule has %",
            (struct problem_numbers){ workload->rank_count, workload->schedule->rank_count, 0 });
    return true;
}

static uint32_t peers_out(const struct sim_workload *workload)
{
    return workload->schedule->peers_out;
}

static uint32_t peers_in(const struct sim_workload *workload)
{
    return workload->schedule->peers_in;
}

static uint32_t flow_count(const struct sim_workload *workload)
{
    return workload->schedule->pair_count * workload->qps;
}

static struct workload_flow flow_at(const struct workload_layout *layout, uint32_t index)
{
    const struct sim_pair *pair = &layout->workload->schedule->pairs[index / layout->workload->qps];

    return (struct workload_flow){
        .from_rank = pair->from_rank, .to_rank = pair->to_rank, .tells = pair->tells
    };
}

/* Messages of a pair use any of its QPs. */
static uint32_t message_total(const struct workload_rank *rank, uint32_t flow)
{
    const struct sim_schedule *schedule = schedule_of(rank);

    return rank->workload->qps > 1
               ? 0
               : schedule->pairs[schedule->first_pair[rank->rank] + flow].message_count;
}

static uint32_t outstanding_max(const struct sim_workload *workload)
{
    uint32_t messages = workload->schedule->pair_messages;

    return messages < workload->outstanding ? messages : workload->outstanding;
}

static void take_script(
    struct workload_layout *layout, struct arena *arena, uint32_t rank, uint32_t count)
{
    const struct sim_workload *workload = layout->workload;
    const struct sim_schedule *schedule = workload->schedule;
    uint32_t pairs = schedule->first_pair[rank + 1] - schedule->first_pair[rank];
    struct workload_script script = { .left = count };

    deadline_heap_init(&script.times, arena, count);
    script.operations =
        arena_take(arena, count, sizeof(*script.operations), alignof(struct workload_operation));
    script.queues = arena_take(arena, (size_t)pairs * workload->qps, sizeof(*script.queues),
        alignof(struct workload_queue));
    script.free_ps =
        arena_take(arena, schedule->processor_count, sizeof(*script.free_ps), alignof(uint64_t));
    if (!layout->scripts)
        return;
    for (uint32_t i = 0; i < count; i++)
        script.operations[i].waits =
            schedule->operations[schedule->first_operation[rank] + i].waits;
    layout->scripts[rank] = script;
}

static void take_scripts(struct workload_layout *layout, struct arena *arena)
{
    const struct sim_schedule *schedule = layout->workload->schedule;

    layout->scripts = arena_take(
        arena, schedule->rank_count, sizeof(*layout->scripts), alignof(struct workload_script));
    for (uint32_t rank = 0; rank < schedule->rank_count; rank++)
        take_script(layout, arena, rank,
            schedule->first_operation[rank + 1] - schedule->first_operation[rank]);
}

const struct workload_kind workload_schedule = {
    .traits = SIM_SCHEDULED,
    .check = check_workload,
    .peers_out = peers_out,
    .peers_in = peers_in,
    .flow_count = flow_count,
    .flow_at = flow_at,
    .take_scripts = take_scripts,
    .outstanding_max = outstanding_max,
    .message_total = message_total,
    .begin = begin_rank,
    .on_sent = on_sent,
    .on_received = on_received,
    .on_wake = do_all,
};
