/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the simulation window by window. In each window, every shard runs all of its nodes with
 * something to do. */
#include <string.h>

#include "base/bits.h"
#include "sim/actions.h"
#include "sim/agents.h"
#include "sim/check.h"
#include "sim/group.h"
#include "sim/node_nic.h"
#include "sim/node_switch.h"
#include "sim/sim_engine.h"
#include "sim/sort.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

static void run_node(struct shard *shard, uint32_t node, struct mailbox_entry *entries,
    uint32_t count, uint64_t end_ps)
{
    uint64_t open_ps = shard->mailbox.open_ps;

    if (end_ps == 0) /* a fault from the beginning */
        shard_wake(shard, node, 0);
    else if (node < shard->nic_count)
        node_nic_run(
            shard, node, sort_entries(entries, count, shard->spare), count, open_ps, end_ps);
    else
        node_switch_run(shard, node - shard->nic_count, entries, count, open_ps, end_ps);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Runs a node with actions inside the window: up to each action, the action, and so on. */
static void run_with_actions(struct shard *shard, uint32_t node, struct mailbox_entry *entries,
    uint32_t count, uint64_t end_ps)
{
    uint32_t done = 0;

    if (sort_entries(entries, count, shard->spare) == shard->spare)
        memcpy(entries, shard->spare, count * sizeof(*entries));
    for (uint32_t i = actions_first(shard->sim, node); i != ENGINE_NONE;
         i = actions_next(shard->sim, node, i)) {
        const struct fault_action *action = &shard->sim->actions[i].what;
        uint32_t until = done;

        while (until < count &&
               shard->mailbox.open_ps + mailbox_offset_ps(&entries[until]) < action->time_ps)
            until++;
        run_node(shard, node, entries + done, until - done, action->time_ps);
        actions_apply(shard, node, action);
        done = until;
    }
    run_node(shard, node, entries + done, count - done, end_ps);
}

static void wake_for_actions(struct shard *shard)
{
    for (uint32_t i = 0; i < shard->sim->action_count; i++) {
        const struct fault_action *action = &shard->sim->actions[i].what;
        struct actions_nodes nodes = actions_nodes(shard->sim, action);

        if (shard_owns(shard, nodes.sender))
            shard_wake(shard, nodes.sender, action->time_ps);
        if (nodes.receiver != ENGINE_NONE && shard_owns(shard, nodes.receiver))
            shard_wake(shard, nodes.receiver, action->time_ps);
    }
}

/* Prefetch the data of a node while the three nodes before it are run: first what is at known
 * places, then what that refers to, then the rest. */
static void prefetch_node(const struct shard *shard, uint32_t seat)
{
    enum { LINE = 64, LINES = 12 };
    uint32_t node = shard_node(shard, seat);

    if (node < shard->nic_count) {
        const uint8_t *endpoint = shard->nics[node].endpoint;

        for (size_t i = 0; i < LINES; i++)
            __builtin_prefetch(endpoint + i * LINE, 1);
        for (uint32_t p = 0; p < shard->plane_count; p++)
            __builtin_prefetch(&shard->ports[shard->nics[node].first_port + p], 1);
    }
    mailbox_fetch(&shard->mailbox, seat);
}

static void prefetch_ports(const struct shard *shard, uint32_t switch_index, uint32_t seat)
{
    uint32_t count;
    const union mailbox_unit *arrivals = mailbox_peek(&shard->mailbox, seat, &count);

    if (!shard->policy)
        node_switch_prefetch(shard, switch_index, arrivals, count);
}

static void prefetch_second(const struct shard *shard, uint32_t seat)
{
    uint32_t node = shard_node(shard, seat);

    mailbox_fetch_older(&shard->mailbox, seat);
    if (node >= shard->nic_count)
        prefetch_ports(shard, node - shard->nic_count, seat);
    else if (shard->endpoint->prefetch)
        shard->endpoint->prefetch(shard->nics[node].endpoint);
}

static void prefetch_third(const struct shard *shard, uint32_t seat)
{
    uint32_t node = shard_node(shard, seat);

    if (node < shard->nic_count && shard->endpoint->prefetch_rest)
        shard->endpoint->prefetch_rest(shard->nics[node].endpoint);
}

static void prefetch_after(const struct shard *shard, uint32_t i, uint32_t active_count)
{
    if (i + 1 < active_count)
        prefetch_third(shard, shard->active[i + 1]);
    if (i + 2 < active_count)
        prefetch_second(shard, shard->active[i + 2]);
    if (i + 3 < active_count)
        prefetch_node(shard, shard->active[i + 3]);
}

/* If a window is cut short, arrivals from `end_ps` on wait for its second part. Returns the number
 * of arrivals before `end_ps`. */
static uint32_t put_back(struct shard *shard, uint32_t seat, uint32_t count, uint64_t end_ps)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (shard->mailbox.open_ps + mailbox_offset_ps(&shard->batch[i]) < end_ps)
            shard->batch[kept++] = shard->batch[i];
        else
            mailbox_append(&shard->mailbox, shard->mailbox.slot, seat, shard->batch[i].key,
                &shard->batch[i].packet);
    return kept;
}

static void run_window(struct shard *shard, uint64_t end_ps)
{
    bool is_cut_short = end_ps < shard->mailbox.open_ps + shard->mailbox.window_ps;
    uint32_t active_count;

    wake_for_actions(shard);
    active_count = mailbox_take_active(&shard->mailbox, shard->active);
    for (uint32_t i = 0; i < active_count; i++) {
        uint32_t seat = shard->active[i];
        uint32_t node = shard_node(shard, seat);
        uint32_t count = mailbox_take(&shard->mailbox, seat, shard->batch);

        shard->reports.node = node;
        bits_set(shard->used_nodes, node);
        prefetch_after(shard, i, active_count);
        if (is_cut_short)
            count = put_back(shard, seat, count, end_ps);
        if (actions_first(shard->sim, node) != ENGINE_NONE)
            run_with_actions(shard, node, shard->batch, count, end_ps);
        else
            run_node(shard, node, shard->batch, count, end_ps);
        if (shard->sim->config.checks)
            check_node(shard, node);
    }
}

/* ---- the heap -------------------------------------------------------------------------------- */

static void run_action_at(struct shard *shard, uint32_t node, const struct fault_action *action)
{
    bits_set(shard->used_nodes, node);
    run_node(shard, node, NULL, 0, action->time_ps);
    actions_apply(shard, node, action);
    run_node(shard, node, NULL, 0, action->time_ps);
}

static void run_action(struct shard *shard, const struct fault_action *action)
{
    struct actions_nodes nodes = actions_nodes(shard->sim, action);

    run_action_at(shard, nodes.sender, action);
    if (nodes.receiver != ENGINE_NONE)
        run_action_at(shard, nodes.receiver, action);
}

static void run_event(struct shard *shard, const struct heap_event *event)
{
    struct mailbox_entry arrival = { .key = event->order, .packet = event->packet };

    shard->mailbox.open_ps = event->time_ps;
    bits_set(shard->used_nodes, event->node);
    if (event->order == HEAP_WAKE)
        run_node(shard, event->node, NULL, 0, event->time_ps + 1);
    else if (event->node < shard->nic_count)
        node_nic_arrive(shard, event->node, &arrival, event->time_ps);
    else
        node_switch_run(
            shard, event->node - shard->nic_count, &arrival, 1, event->time_ps, event->time_ps);
    if (shard->sim->config.checks)
        check_node(shard, event->node);
}

static void run_heap(struct shard *shard, uint64_t end_ps)
{
    uint32_t action = 0;
    struct heap_event event;

    for (;;) {
        uint64_t action_ps = action < shard->sim->action_count
                                 ? shard->sim->actions[action].what.time_ps
                                 : SIM_NEVER_PS;
        uint64_t before_ps = action_ps < end_ps ? action_ps : end_ps;

        if (heap_pop(shard->heap, before_ps, &event))
            run_event(shard, &event);
        else if (action < shard->sim->action_count)
            run_action(shard, &shard->sim->actions[action++].what);
        else
            break;
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Both engines stop at the end of a window, so that they can be compared. */
static uint64_t window_end_ps(const struct sim *sim, uint64_t time_ps)
{
    uint64_t window_ps = sim->topology->lookahead_ps;

    return (time_ps / window_ps + 1) * window_ps;
}

static uint64_t earlier(uint64_t a_ps, uint64_t b_ps)
{
    return a_ps < b_ps ? a_ps : b_ps;
}

/* Returns when a shard next has something to do, or sends something to another shard. */
static uint64_t shard_next_ps(const struct shard *shard, uint64_t limit_ps)
{
    limit_ps = earlier(limit_ps, shard->sim->shard_count > 1
                                     ? shard->outboxes[shard->sim->outbox].earliest_ps
                                     : SIM_NEVER_PS);
    if (shard->heap)
        return earlier(heap_next_ps(shard->heap), limit_ps);
    return mailbox_next_ps(&shard->mailbox, limit_ps);
}

/* Returns the time of the next event, at or after sim->now_ps. */
static uint64_t next_ps(const struct sim *sim, uint64_t limit_ps)
{
    limit_ps = earlier(limit_ps, fault_next_ps(&sim->faults));
    if (sim->group)
        return earlier(limit_ps, sim->group->next_ps);
    for (uint32_t i = 0; i < sim->shard_count; i++)
        limit_ps = shard_next_ps(&sim->shards[i], limit_ps);
    return limit_ps;
}

/* The part of the time that all shards run next. */
struct stretch {
    struct sim *sim;
    uint64_t open_ps;
    uint64_t end_ps;
};

static void run_shard(void *argument, uint32_t index)
{
    const struct stretch *stretch = argument;
    struct shard *shard = &stretch->sim->shards[index];

    if (stretch->sim->shard_count > 1) {
        shard->outbox = &shard->outboxes[stretch->sim->outbox];
        outbox_clear(shard->outbox);
        shard_collect(shard);
    }
    if (shard->heap) {
        run_heap(shard, stretch->end_ps);
    } else {
        mailbox_open(&shard->mailbox, stretch->open_ps);
        run_window(shard, stretch->end_ps);
    }
}

static void run_shards(struct stretch *stretch)
{
    struct sim *sim = stretch->sim;

    sim->outbox = !sim->outbox;
    shard_each(sim, run_shard, stretch);
    if (sim->group)
        group_exchange_window(sim);
    reports_deliver(sim);
}

static void run_step(struct sim *sim, uint64_t limit_ps)
{
    uint64_t time_ps = next_ps(sim, limit_ps);
    uint64_t window_ps = sim->topology->lookahead_ps;
    struct stretch stretch = { .sim = sim };

    if (time_ps < sim->now_ps)
        time_ps = sim->now_ps;
    if (time_ps >= limit_ps) {
        sim->now_ps = limit_ps;
        return;
    }
    stretch.open_ps = time_ps / window_ps * window_ps;
    stretch.end_ps = actions_fetch(sim, window_end_ps(sim, time_ps));
    run_shards(&stretch);
    sim->now_ps = stretch.end_ps;
    if (sim->agents)
        agents_close_rounds(sim);
}

/* A violation comes first, the earliest of several. */
static void fold_status(struct sim *sim)
{
    const struct shard *violated = NULL;

    for (uint32_t i = 0; i < sim->shard_count; i++) {
        const struct shard *shard = &sim->shards[i];

        if (shard->status == SIM_OUT_OF_MEMORY)
            sim->status = SIM_OUT_OF_MEMORY;
        if (shard->status == SIM_VIOLATED &&
            (!violated || shard->violated_ps < violated->violated_ps))
            violated = shard;
    }
    if (!violated)
        return;
    sim->status = SIM_VIOLATED;
    memcpy(sim->violation, violated->violation, sizeof(sim->violation));
}

static enum sim_status status_of(const struct sim *sim)
{
    if (sim->status != SIM_RUNNING)
        return sim->status;
    if (sim->workloads_left == 0)
        return SIM_FINISHED;
    return sim->now_ps >= sim->config.duration_ps ? SIM_OUT_OF_TIME : SIM_RUNNING;
}

enum sim_status sim_run(struct sim *sim, uint64_t until_ps)
{
    uint64_t window_ps = sim->topology->lookahead_ps;

    if (group_is_led(sim))
        group_give(sim, (struct group_order){ .kind = GROUP_RUN, .value = until_ps });
    if (sim->group)
        sim->group->known = 0;
    if (until_ps > sim->config.duration_ps)
        until_ps = sim->config.duration_ps;
    if (until_ps > SIM_NEVER_PS - window_ps)
        until_ps = SIM_NEVER_PS / window_ps * window_ps;
    else if (until_ps > 0)
        until_ps = window_end_ps(sim, until_ps - 1);
    while (sim->now_ps < until_ps && status_of(sim) == SIM_RUNNING) {
        run_step(sim, until_ps);
        if (sim->config.checks)
            check_all(sim);
        fold_status(sim);
    }
    sim->status = status_of(sim);
    return sim->status;
}

uint64_t sim_now_ps(const struct sim *sim)
{
    return sim->now_ps;
}

const char *sim_violation(const struct sim *sim)
{
    return sim->violation;
}
