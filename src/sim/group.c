/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a group, their messages, and the orders of the leader. */
#include "sim/group.h"

#include <assert.h>
#include <string.h>

/* Shards are divided in order, as evenly as possible. */
uint32_t group_first_shard(const struct sim_group *members, uint32_t member, uint32_t shard_count)
{
    return (uint32_t)((uint64_t)member * shard_count / members->count);
}

void group_init(struct group *group, const struct sim_group *members, uint32_t shard_count)
{
    uint32_t first = group_first_shard(members, members->member, shard_count);

    *group = (struct group){ .members = members,
        .first_shard = first,
        .shard_count = group_first_shard(members, members->member + 1, shard_count) - first };
}

uint32_t sim_own_shards_of(const struct sim_config *config)
{
    struct group group;

    if (!config->group)
        return sim_shards_of(config);
    group_init(&group, config->group, sim_shards_of(config));
    return group.shard_count;
}

uint32_t group_member_of(const struct sim *sim, uint32_t shard)
{
    return (uint32_t)(((uint64_t)(shard + 1) * sim->group->members->count - 1) / sim->shard_count);
}

/* ---- messages -------------------------------------------------------------------------------- */

void group_send(const struct sim *sim, uint32_t to, const void *data, size_t bytes)
{
    const struct sim_group *members = sim->group->members;

    members->send(members->context, to, data, bytes);
}

void group_send_all(const struct sim *sim, const void *data, size_t bytes)
{
    const struct sim_group *members = sim->group->members;

    for (uint32_t i = 0; i < members->count; i++)
        if (i != members->member)
            group_send(sim, i, data, bytes);
}

void group_exchange(const struct sim *sim)
{
    sim->group->members->exchange(sim->group->members->context);
}

struct group_message group_received(const struct sim *sim, uint32_t from)
{
    const struct sim_group *members = sim->group->members;
    struct group_message message;

    message.at = members->received(members->context, from, &message.bytes);
    return message;
}

/* Members are of one build, so a short message is a bug. */
void group_take(struct group_message *message, void *data, size_t bytes)
{
    assert(message->bytes >= bytes);
    if (bytes > 0)
        memcpy(data, message->at, bytes);
    message->at += bytes;
    message->bytes -= bytes;
}

/* ---- orders ---------------------------------------------------------------------------------- */

void group_give(const struct sim *sim, struct group_order order)
{
    assert(group_is_led(sim));
    group_send_all(sim, &order, sizeof(order));
    group_exchange(sim);
}

static struct group_order next_order(const struct sim *sim)
{
    struct group_message message;
    struct group_order order;

    group_exchange(sim);
    message = group_received(sim, GROUP_LEADER);
    group_take(&message, &order, sizeof(order));
    return order;
}

void sim_serve(struct sim *sim)
{
    for (;;) {
        struct group_order order = next_order(sim);

        if (order.kind == GROUP_END)
            return;
        if (order.kind == GROUP_RUN)
            sim_run(sim, order.value);
        else
            group_answer(sim, order);
    }
}

void sim_dismiss(struct sim *sim)
{
    if (sim->group)
        group_give(sim, (struct group_order){ .kind = GROUP_END });
}
