/* SPDX-License-Identifier: Apache-2.0 */
/* Takes faults from the schedule a window at a time, lists them by node, and applies them at both
 * ends of a link. */
#include "sim/actions.h"

#include <assert.h>

#include "sim/egress.h"
#include "sim/node_nic.h"
#include "sim/node_switch.h"
#include "sim/packets.h"
#include "sim/reports.h"

enum { ACTIONS_PER_PORT = 2 }; /* per window; the rest follows in the next part */

void actions_init(struct sim *sim, struct arena *arena)
{
    sim->action_max = ACTIONS_PER_PORT * sim->port_count;
    sim->actions = packets_take_memory(arena, sim->action_max, sizeof(*sim->actions));
    sim->first_action =
        arena_take(arena, sim->node_count, sizeof(*sim->first_action), _Alignof(uint32_t));
    for (uint32_t node = 0; sim->first_action && node < sim->node_count; node++)
        sim->first_action[node] = ENGINE_NONE;
}

/* ---- affected nodes -------------------------------------------------------------------------- */

static bool is_of_link(const struct fault_action *action)
{
    return action->kind == FAULT_LINK_IMPAIRED || action->kind == FAULT_LINK_RELIEVED;
}

/* Returns the port that sends into the link of an action. */
static uint32_t port_of(const struct sim *sim, uint32_t sender, const struct fault_action *action)
{
    return sim_engine_ports(sim, sender).first + action->end.port;
}

struct actions_nodes actions_nodes(const struct sim *sim, const struct fault_action *action)
{
    uint32_t sender = action->end.is_nic ? action->end.node : sim->nic_count + action->end.node;

    return (struct actions_nodes){ .sender = sender,
        .receiver =
            is_of_link(action) ? sim->links[port_of(sim, sender, action)].peer_node : ENGINE_NONE };
}

/* ---- actions of this window ------------------------------------------------------------------ */

/* From the last to the first, so that the lists are in order. */
static void list_by_node(struct sim *sim)
{
    for (uint32_t i = sim->action_count; i-- > 0;) {
        struct engine_action *action = &sim->actions[i];
        struct actions_nodes nodes = actions_nodes(sim, &action->what);

        action->sender = nodes.sender;
        action->next_of_sender = sim->first_action[nodes.sender];
        sim->first_action[nodes.sender] = i;
        if (nodes.receiver == ENGINE_NONE)
            continue;
        action->next_of_receiver = sim->first_action[nodes.receiver];
        sim->first_action[nodes.receiver] = i;
    }
}

static void forget_actions(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->action_count; i++) {
        struct actions_nodes nodes = actions_nodes(sim, &sim->actions[i].what);

        sim->first_action[nodes.sender] = ENGINE_NONE;
        if (nodes.receiver != ENGINE_NONE)
            sim->first_action[nodes.receiver] = ENGINE_NONE;
    }
    sim->action_count = 0;
}

static void tell_fault(struct sim *sim, const struct fault_action *action)
{
    bool began = action->kind == FAULT_BEGAN;

    reports_tell(sim, &(struct sim_event){ .time_ps = action->time_ps,
                          .kind = began ? SIM_EVENT_FAULT_BEGAN : SIM_EVENT_FAULT_ENDED,
                          .subject = action->fault });
}

/* Tells switches that route by destination. Links of NICs are in no group of ports. */
static void tell_routing(struct sim *sim, const struct fault_action *action)
{
    const struct fault *fault = fault_at(&sim->faults, action->fault);
    bool cuts = fault_kind_is(fault->kind, FAULT_CUTS);
    enum convergence_event event = cuts ? CONVERGENCE_LINK_DOWN : CONVERGENCE_LINK_SILENT;

    if (!is_of_link(action) || action->end.is_nic ||
        (!cuts && (fault->kind != FAULT_BLACKHOLE || fault->of_ev)))
        return;
    convergence_on_link(&sim->routing->convergence, action->end.node, action->end.port,
        action->kind == FAULT_LINK_RELIEVED ? CONVERGENCE_LINK_UP : event, action->time_ps);
}

uint64_t actions_fetch(struct sim *sim, uint64_t end_ps)
{
    struct fault_action action;

    forget_actions(sim);
    while (sim->action_count < sim->action_max && fault_pop(&sim->faults, end_ps, &action)) {
        if (sim->routing)
            tell_routing(sim, &action);
        if (action.kind == FAULT_BEGAN || action.kind == FAULT_ENDED)
            tell_fault(sim, &action);
        else
            sim->actions[sim->action_count++].what = action;
    }
    list_by_node(sim);
    return fault_next_ps(&sim->faults) < end_ps ? fault_next_ps(&sim->faults) : end_ps;
}

uint32_t actions_first(const struct sim *sim, uint32_t node)
{
    return sim->first_action[node];
}

uint32_t actions_next(const struct sim *sim, uint32_t node, uint32_t action)
{
    const struct engine_action *here = &sim->actions[action];

    return node == here->sender ? here->next_of_sender : here->next_of_receiver;
}

/* ---- application ----------------------------------------------------------------------------- */

static void apply_at_sender(struct shard *shard, uint32_t node, const struct fault_action *action)
{
    uint32_t port = port_of(shard->sim, node, action);
    uint32_t bit;
    bool is_down;

    egress_apply(shard, port, action);
    if (node >= shard->nic_count)
        return; /* ports_up has no room for all ports of a switch */
    bit = UINT32_C(1) << action->end.port;
    is_down = fault_link_is_down(&shard->port_details[port].fault);
    if (is_down != !(shard->nics[node].ports_up & bit))
        node_nic_ports_changed(shard, node, shard->nics[node].ports_up ^ bit, action->time_ps);
}

/* Packets in flight are lost when a link goes down. The receiver looks at the kind of the fault,
 * because the state of the link is known only after the sender has run. */
static void apply_at_receiver(
    struct shard *shard, uint32_t node, uint32_t sender, const struct fault_action *action)
{
    enum fault_kind kind = fault_at(&shard->sim->faults, action->fault)->kind;
    uint32_t peer_port = shard->links[port_of(shard->sim, sender, action)].peer_port;

    if (action->kind != FAULT_LINK_IMPAIRED || !fault_kind_is(kind, FAULT_CUTS))
        return;
    shard->port_details[sim_engine_ports(shard->sim, node).first + peer_port].came_down_ps =
        action->time_ps;
    if (node < shard->nic_count)
        shard->nics[node].was_cut = true;
    else
        shard->switches[node - shard->nic_count].was_cut = true;
}

void actions_apply(struct shard *shard, uint32_t node, const struct fault_action *action)
{
    struct actions_nodes nodes = actions_nodes(shard->sim, action);

    if (node != nodes.sender)
        apply_at_receiver(shard, node, nodes.sender, action);
    else if (is_of_link(action))
        apply_at_sender(shard, node, action);
    else
        node_switch_empty(shard, action->end.node, action->time_ps);
}
