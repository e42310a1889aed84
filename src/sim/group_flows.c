/* SPDX-License-Identifier: Apache-2.0 */
/* What members tell each other about flows: the half at the sender, and the half at the receiver.
 */
#include "sim/account.h"
#include "sim/group.h"

/* The half at the sender, followed by its messages that are not completed. */
struct told_flow {
    uint32_t index; /* ENGINE_NONE: the other halves follow */
    uint32_t posted;
    uint32_t completed;
    uint64_t posted_bytes;
    uint64_t completed_bytes;
    uint64_t started_ps;
    uint64_t ended_ps;
};

struct told_flow_end {
    uint32_t index;
    uint64_t placed_bytes;
    uint64_t complete; /* checks: struct account */
    uint64_t last;
};

static void tell_flow(const struct sim *sim, uint32_t to, uint32_t index)
{
    const struct engine_flow *flow = &sim->flows[index];
    struct told_flow told = { .index = index,
        .posted = flow->posted,
        .completed = flow->completed,
        .posted_bytes = flow->posted_bytes,
        .completed_bytes = flow->completed_bytes,
        .started_ps = flow->started_ps,
        .ended_ps = flow->ended_ps };

    group_send(sim, to, &told, sizeof(told));
    for (uint32_t i = flow->completed; i != flow->posted; i++)
        group_send(
            sim, to, &flow->messages[i % flow->depth], sizeof(flow->messages[i % flow->depth]));
}

static void tell_flow_end(const struct sim *sim, uint32_t to, uint32_t index)
{
    const struct engine_flow_end *end = &sim->flow_ends[index];
    struct told_flow_end told = { .index = index, .placed_bytes = end->placed_bytes };

    if (end->account) {
        told.complete = end->account->complete;
        told.last = account_last(end->account);
    }
    group_send(sim, to, &told, sizeof(told));
}

/* Flows without a message are as they were made. */
void group_tell_flows(const struct sim *sim, uint32_t to)
{
    struct told_flow last = { .index = ENGINE_NONE };

    for (uint32_t i = 0; i < sim->flow_count; i++)
        if (sim->flows[i].posted > 0 && group_has_node(sim, sim->ranks[sim->flows[i].from].nic))
            tell_flow(sim, to, i);
    group_send(sim, to, &last, sizeof(last));
    for (uint32_t i = 0; i < sim->flow_count; i++)
        if (sim->flow_ends[i].placed_bytes > 0 &&
            group_has_node(sim, sim->ranks[sim->flows[i].to].nic))
            tell_flow_end(sim, to, i);
}

static void hear_flow(
    const struct sim *sim, const struct told_flow *told, struct group_message *message)
{
    struct engine_flow *flow = &sim->flows[told->index];

    flow->posted = told->posted;
    flow->completed = told->completed;
    flow->posted_bytes = told->posted_bytes;
    flow->completed_bytes = told->completed_bytes;
    flow->started_ps = told->started_ps;
    flow->ended_ps = told->ended_ps;
    for (uint32_t i = flow->completed; i != flow->posted; i++)
        group_take(
            message, &flow->messages[i % flow->depth], sizeof(flow->messages[i % flow->depth]));
}

void group_hear_flows(const struct sim *sim, struct group_message *message)
{
    struct told_flow told;
    struct told_flow_end end;

    for (group_take(message, &told, sizeof(told)); told.index != ENGINE_NONE;
         group_take(message, &told, sizeof(told)))
        hear_flow(sim, &told, message);
    while (message->bytes > 0) {
        group_take(message, &end, sizeof(end));
        sim->flow_ends[end.index].placed_bytes = end.placed_bytes;
        if (sim->flow_ends[end.index].account)
            account_set(sim->flow_ends[end.index].account, end.complete, end.last);
    }
}

void group_share_flows(const struct sim *sim)
{
    const struct sim_group *members = sim->group->members;

    for (uint32_t i = 0; i < members->count; i++)
        if (i != members->member)
            group_tell_flows(sim, i);
    group_exchange(sim);
    for (uint32_t i = 0; i < members->count; i++) {
        struct group_message message = { 0 };

        if (i == members->member)
            continue;
        message = group_received(sim, i);
        group_hear_flows(sim, &message);
    }
}
