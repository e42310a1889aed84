/* SPDX-License-Identifier: Apache-2.0 */
/* Time passes: window after window, all nodes that have something to do in each. */
#include <string.h>

#include "sim/check.h"
#include "sim/egress.h"
#include "sim/engine.h"
#include "sim/node_nic.h"
#include "sim/node_switch.h"
#include "sim/sort.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

static void run_node(
    struct sim *sim, uint32_t node, struct mailbox_entry *entries, uint32_t count, uint64_t end_ps)
{
    uint64_t open_ps = sim->mailbox.open_ps;

    if (end_ps == 0) /* a fault that is there from the beginning */
        engine_wake(sim, node, 0);
    else if (node < sim->nic_count)
        node_nic_run(sim, node, sort_entries(entries, count, sim->spare), count, open_ps, end_ps);
    else
        node_switch_run(sim, node - sim->nic_count, entries, count, open_ps, end_ps);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static uint32_t node_of(const struct sim *sim, struct fabric_end end)
{
    return end.is_nic ? end.node : sim->nic_count + end.node;
}

static uint32_t first_port_of(const struct sim *sim, uint32_t node)
{
    return node < sim->nic_count ? sim->nics[node].first_port
                                 : sim->switches[node - sim->nic_count].first_port;
}

static bool is_of_link(const struct fault_action *action)
{
    return action->kind == FAULT_LINK_IMPAIRED || action->kind == FAULT_LINK_RELIEVED;
}

/* The node at the other end of the link an action is about. */
static uint32_t peer_of(const struct sim *sim, const struct fault_action *action)
{
    uint32_t port = first_port_of(sim, node_of(sim, action->end)) + action->end.port;

    return sim->links[port].peer_node;
}

static bool concerns(const struct sim *sim, const struct fault_action *action, uint32_t node)
{
    if (action->kind == FAULT_BEGAN || action->kind == FAULT_ENDED)
        return false;
    return node == node_of(sim, action->end) ||
           (is_of_link(action) && node == peer_of(sim, action));
}

static void apply_at_sender(struct sim *sim, uint32_t node, const struct fault_action *action)
{
    uint32_t port = first_port_of(sim, node) + action->end.port;
    uint32_t bit = UINT32_C(1) << action->end.port;
    bool is_down;

    egress_apply(sim, port, action);
    if (node >= sim->nic_count)
        return;
    is_down = fault_link_is_down(&sim->port_details[port].fault);
    if (is_down != !(sim->nics[node].ports_up & bit))
        node_nic_ports_changed(sim, node, sim->nics[node].ports_up ^ bit, action->time_ps);
}

/* What is under way when a link goes down never arrives. Which faults bring links down the receiver
 * cannot tell before the sender has been run, so it asks the fault itself. */
static void apply_at_receiver(struct sim *sim, uint32_t node, const struct fault_action *action)
{
    enum sim_fault_kind kind = fault_at(&sim->faults, action->fault)->kind;
    uint32_t sender = first_port_of(sim, node_of(sim, action->end)) + action->end.port;
    bool goes_down = kind == SIM_FAULT_DOWN || kind == SIM_FAULT_FLAP || kind == SIM_FAULT_REBOOT;

    if (action->kind != FAULT_LINK_IMPAIRED || !goes_down)
        return;
    sim->port_details[first_port_of(sim, node) + sim->links[sender].peer_port].came_down_ps =
        action->time_ps;
    if (node < sim->nic_count)
        sim->nics[node].was_cut = true;
    else
        sim->switches[node - sim->nic_count].was_cut = true;
}

static void apply(struct sim *sim, uint32_t node, const struct fault_action *action)
{
    if (node != node_of(sim, action->end))
        apply_at_receiver(sim, node, action);
    else if (is_of_link(action))
        apply_at_sender(sim, node, action);
    else
        node_switch_empty(sim, action->end.node, action->time_ps);
}

/* All actions before `end_ps`, told to whoever listens; yields nothing until the nodes are run. */
static void fetch_actions(struct sim *sim, uint64_t end_ps)
{
    struct fault_action action;

    sim->action_count = 0;
    while (sim->action_count < sim->action_max && fault_next_ps(&sim->faults) < end_ps &&
           fault_pop(&sim->faults, end_ps, &action)) {
        if (action.kind == FAULT_BEGAN || action.kind == FAULT_ENDED) {
            engine_event(sim, &(struct sim_event){ .time_ps = action.time_ps,
                                  .kind = action.kind == FAULT_BEGAN ? SIM_EVENT_FAULT_BEGAN
                                                                     : SIM_EVENT_FAULT_ENDED,
                                  .subject = action.fault });
            continue;
        }
        sim->actions[sim->action_count++] = action;
    }
}

/* ---- windows --------------------------------------------------------------------------------- */

/* A node to which something happens in the middle of the window: up to then, that, and on. */
static void run_with_actions(
    struct sim *sim, uint32_t node, struct mailbox_entry *entries, uint32_t count, uint64_t end_ps)
{
    uint32_t done = 0;

    if (sort_entries(entries, count, sim->spare) == sim->spare)
        memcpy(entries, sim->spare, count * sizeof(*entries));

    for (uint32_t i = 0; i < sim->action_count; i++) {
        const struct fault_action *action = &sim->actions[i];
        uint32_t until = done;

        if (!concerns(sim, action, node))
            continue;
        while (until < count &&
               sim->mailbox.open_ps + mailbox_offset_ps(&entries[until]) < action->time_ps)
            until++;
        run_node(sim, node, entries + done, until - done, action->time_ps);
        apply(sim, node, action);
        done = until;
    }
    run_node(sim, node, entries + done, count - done, end_ps);
}

static void wake_for_actions(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->action_count; i++) {
        const struct fault_action *action = &sim->actions[i];

        engine_wake(sim, node_of(sim, action->end), action->time_ps);
        if (is_of_link(action))
            engine_wake(sim, peer_of(sim, action), action->time_ps);
    }
}

/* What a node looks at first is fetched into the cache while those before it are run. */
static void fetch(const struct sim *sim, uint32_t node)
{
    enum { LINE = 64, LINES = 12 };

    if (node < sim->nic_count) {
        const uint8_t *transport = (const uint8_t *)sim->nics[node].transport;

        for (uint32_t i = 0; i < LINES; i++)
            __builtin_prefetch(transport + i * LINE, 1);
        __builtin_prefetch(&sim->ports[sim->nics[node].first_port], 1);
    }
    mailbox_fetch(&sim->mailbox, node);
}

static void run_window(struct sim *sim, uint64_t end_ps)
{
    uint32_t active_count;

    if (sim->action_count > 0)
        wake_for_actions(sim);
    active_count = mailbox_take_active(&sim->mailbox, sim->active);
    for (uint32_t i = 0; i < active_count; i++) {
        uint32_t node = sim->active[i];
        uint32_t count = mailbox_take(&sim->mailbox, node, sim->batch);

        if (i + 1 < active_count)
            fetch(sim, sim->active[i + 1]);
        if (sim->action_count > 0)
            run_with_actions(sim, node, sim->batch, count, end_ps);
        else
            run_node(sim, node, sim->batch, count, end_ps);
        if (sim->config.checks)
            check_node(sim, node);
    }
}

/* ---- the heap -------------------------------------------------------------------------------- */

static void run_action(struct sim *sim, const struct fault_action *action)
{
    uint32_t nodes[2] = { node_of(sim, action->end), ENGINE_NONE };

    if (is_of_link(action))
        nodes[1] = peer_of(sim, action);
    for (uint32_t i = 0; i < 2 && nodes[i] != ENGINE_NONE; i++) {
        run_node(sim, nodes[i], NULL, 0, action->time_ps);
        apply(sim, nodes[i], action);
        run_node(sim, nodes[i], NULL, 0, action->time_ps);
    }
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
            action < sim->action_count ? sim->actions[action].time_ps : SIM_NEVER_PS;
        uint64_t before_ps = action_ps < end_ps ? action_ps : end_ps;

        if (heap_pop(sim->heap, before_ps, &event))
            run_event(sim, &event);
        else if (action < sim->action_count)
            run_action(sim, &sim->actions[action++]);
        else
            break;
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Both engines stop where a window ends, so that they can be compared. */
static uint64_t window_end_ps(const struct sim *sim, uint64_t time_ps)
{
    uint64_t window_ps = sim->mailbox.window_ps;

    return (time_ps / window_ps + 1) * window_ps;
}

/* When anything happens next, at or after sim->now_ps. */
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

static void step(struct sim *sim, uint64_t limit_ps)
{
    uint64_t time_ps = next_ps(sim, limit_ps);
    uint64_t end_ps;

    if (time_ps < sim->now_ps)
        time_ps = sim->now_ps;
    if (time_ps >= limit_ps) {
        sim->now_ps = limit_ps;
        return;
    }
    end_ps = window_end_ps(sim, time_ps);
    fetch_actions(sim, end_ps);
    if (sim->heap) {
        run_heap(sim, end_ps);
    } else {
        mailbox_open(&sim->mailbox, end_ps - sim->mailbox.window_ps);
        run_window(sim, end_ps);
    }
    sim->now_ps = end_ps;
}

static enum sim_status finish(const struct sim *sim)
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
    while (sim->now_ps < until_ps && finish(sim) == SIM_RUNNING) {
        step(sim, until_ps);
        if (sim->config.checks)
            check_all(sim);
    }
    sim->status = finish(sim);
    if (sim->config.checks && (sim->status == SIM_FINISHED || sim->status == SIM_OUT_OF_TIME))
        check_end(sim);
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
