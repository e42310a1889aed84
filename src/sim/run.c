/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the simulation window by window. In each window, all nodes with something to do are run. */
#include <string.h>

#include "sim/actions.h"
#include "sim/check.h"
#include "sim/node_nic.h"
#include "sim/node_switch.h"
#include "sim/sim_engine.h"
#include "sim/sort.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

static void run_node(
    struct sim *sim, uint32_t node, struct mailbox_entry *entries, uint32_t count, uint64_t end_ps)
{
    uint64_t open_ps = sim->mailbox.open_ps;

    if (end_ps == 0) /* a fault from the beginning */
        sim_engine_wake(sim, node, 0);
    else if (node < sim->nic_count)
        node_nic_run(sim, node, sort_entries(entries, count, sim->spare), count, open_ps, end_ps);
    else
        node_switch_run(sim, node - sim->nic_count, entries, count, open_ps, end_ps);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Runs a node with actions inside the window: up to each action, the action, and so on. */
static void run_with_actions(
    struct sim *sim, uint32_t node, struct mailbox_entry *entries, uint32_t count, uint64_t end_ps)
{
    uint32_t done = 0;

    if (sort_entries(entries, count, sim->spare) == sim->spare)
        memcpy(entries, sim->spare, count * sizeof(*entries));
    for (uint32_t i = actions_first(sim, node); i != ENGINE_NONE; i = actions_next(sim, node, i)) {
        const struct fault_action *action = &sim->actions[i].what;
        uint32_t until = done;

        while (until < count &&
               sim->mailbox.open_ps + mailbox_offset_ps(&entries[until]) < action->time_ps)
            until++;
        run_node(sim, node, entries + done, until - done, action->time_ps);
        actions_apply(sim, node, action);
        done = until;
    }
    run_node(sim, node, entries + done, count - done, end_ps);
}

static void wake_for_actions(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->action_count; i++) {
        const struct fault_action *action = &sim->actions[i].what;
        struct actions_nodes nodes = actions_nodes(sim, action);

        sim_engine_wake(sim, nodes.sender, action->time_ps);
        if (nodes.receiver != ENGINE_NONE)
            sim_engine_wake(sim, nodes.receiver, action->time_ps);
    }
}

/* Prefetches the first data of a node while the nodes before it are run. */
static void prefetch_node(const struct sim *sim, uint32_t node)
{
    enum { LINE = 64, LINES = 12 };

    if (node < sim->nic_count) {
        const uint8_t *endpoint = sim->nics[node].endpoint;

        for (size_t i = 0; i < LINES; i++)
            __builtin_prefetch(endpoint + i * LINE, 1);
        __builtin_prefetch(&sim->ports[sim->nics[node].first_port], 1);
    }
    mailbox_fetch(&sim->mailbox, node);
}

/* If a window is cut short, arrivals from `end_ps` on wait for its second part. Returns the number
 * of arrivals before `end_ps`. */
static uint32_t put_back(struct sim *sim, uint32_t node, uint32_t count, uint64_t end_ps)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (sim->mailbox.open_ps + mailbox_offset_ps(&sim->batch[i]) < end_ps)
            sim->batch[kept++] = sim->batch[i];
        else
            mailbox_append(
                &sim->mailbox, sim->mailbox.slot, node, sim->batch[i].key, &sim->batch[i].packet);
    return kept;
}

static void run_window(struct sim *sim, uint64_t end_ps)
{
    bool is_cut_short = end_ps < sim->mailbox.open_ps + sim->mailbox.window_ps;
    uint32_t active_count;

    wake_for_actions(sim);
    active_count = mailbox_take_active(&sim->mailbox, sim->active);
    for (uint32_t i = 0; i < active_count; i++) {
        uint32_t node = sim->active[i];
        uint32_t count = mailbox_take(&sim->mailbox, node, sim->batch);

        if (i + 1 < active_count)
            prefetch_node(sim, sim->active[i + 1]);
        if (is_cut_short)
            count = put_back(sim, node, count, end_ps);
        if (actions_first(sim, node) != ENGINE_NONE)
            run_with_actions(sim, node, sim->batch, count, end_ps);
        else
            run_node(sim, node, sim->batch, count, end_ps);
        if (sim->config.checks)
            check_node(sim, node);
    }
}

/* ---- the heap -------------------------------------------------------------------------------- */

static void run_action_at(struct sim *sim, uint32_t node, const struct fault_action *action)
{
    run_node(sim, node, NULL, 0, action->time_ps);
    actions_apply(sim, node, action);
    run_node(sim, node, NULL, 0, action->time_ps);
}

static void run_action(struct sim *sim, const struct fault_action *action)
{
    struct actions_nodes nodes = actions_nodes(sim, action);

    run_action_at(sim, nodes.sender, action);
    if (nodes.receiver != ENGINE_NONE)
        run_action_at(sim, nodes.receiver, action);
}

static void run_event(struct sim *sim, const struct heap_event *event)
{
    struct mailbox_entry arrival = { .key = event->order, .packet = event->packet };

    sim->mailbox.open_ps = event->time_ps;
    if (event->order == HEAP_WAKE)
        run_node(sim, event->node, NULL, 0, event->time_ps + 1);
    else if (event->node < sim->nic_count)
        node_nic_arrive(sim, event->node, &arrival, event->time_ps);
    else
        node_switch_run(
            sim, event->node - sim->nic_count, &arrival, 1, event->time_ps, event->time_ps);
    if (sim->config.checks)
        check_node(sim, event->node);
}

static void run_heap(struct sim *sim, uint64_t end_ps)
{
    uint32_t action = 0;
    struct heap_event event;

    for (;;) {
        uint64_t action_ps =
            action < sim->action_count ? sim->actions[action].what.time_ps : SIM_NEVER_PS;
        uint64_t before_ps = action_ps < end_ps ? action_ps : end_ps;

        if (heap_pop(sim->heap, before_ps, &event))
            run_event(sim, &event);
        else if (action < sim->action_count)
            run_action(sim, &sim->actions[action++].what);
        else
            break;
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Both engines stop at the end of a window, so that they can be compared. */
static uint64_t window_end_ps(const struct sim *sim, uint64_t time_ps)
{
    uint64_t window_ps = sim->mailbox.window_ps;

    return (time_ps / window_ps + 1) * window_ps;
}

/* Returns the time of the next event, at or after sim->now_ps. */
static uint64_t next_ps(struct sim *sim, uint64_t limit_ps)
{
    uint64_t fault_ps = fault_next_ps(&sim->faults);

    if (fault_ps < limit_ps)
        limit_ps = fault_ps;
    if (sim->heap) {
        uint64_t heap_ps = heap_next_ps(sim->heap);

        return heap_ps < limit_ps ? heap_ps : limit_ps;
    }
    return mailbox_next_ps(&sim->mailbox, limit_ps);
}

static void run_step(struct sim *sim, uint64_t limit_ps)
{
    uint64_t time_ps = next_ps(sim, limit_ps);
    uint64_t window_ps = sim->mailbox.window_ps;
    uint64_t end_ps;

    if (time_ps < sim->now_ps)
        time_ps = sim->now_ps;
    if (time_ps >= limit_ps) {
        sim->now_ps = limit_ps;
        return;
    }
    end_ps = actions_fetch(sim, window_end_ps(sim, time_ps));
    if (sim->heap) {
        run_heap(sim, end_ps);
    } else {
        mailbox_open(&sim->mailbox, time_ps / window_ps * window_ps);
        run_window(sim, end_ps);
    }
    sim->now_ps = end_ps;
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
    if (until_ps > sim->config.duration_ps)
        until_ps = sim->config.duration_ps;
    if (until_ps > SIM_NEVER_PS - sim->mailbox.window_ps)
        until_ps = SIM_NEVER_PS / sim->mailbox.window_ps * sim->mailbox.window_ps;
    else if (until_ps > 0)
        until_ps = window_end_ps(sim, until_ps - 1);
    while (sim->now_ps < until_ps && status_of(sim) == SIM_RUNNING) {
        run_step(sim, until_ps);
        if (sim->config.checks)
            check_all(sim);
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
