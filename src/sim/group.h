/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes, the members of a group, run one simulation: each runs some of the shards. All
 * make the same simulation, but only the endpoints, packets and arrivals of their own shards.
 *
 * At the end of a window, a packet for a shard of another member travels by value: it leaves the
 * pool of its shard here and enters that of the receiving shard there. The first member leads: it
 * alone has an observer and is asked. It tells the others what to do (struct group_order), and
 * fetches what it is asked for into its own arrays, so that queries find it where they do without a
 * group. */
#pragma once

#include "sim/shard.h"

#define GROUP_LEADER 0

enum group_order_kind {
    GROUP_RUN,       /* to the time `value` */
    GROUP_SUMS,      /* tell the leader the sums of shards */
    GROUP_FLOWS,     /* both halves of flows */
    GROUP_PORTS,     /* queues and counters of ports */
    GROUP_PEAKS,     /* the longest queues of shards since the last time */
    GROUP_EV_COUNTS, /* the EVs of all flows by state */
    GROUP_EVS,       /* the EVs of flow `value` */
    GROUP_END,
};

struct group_order {
    enum group_order_kind kind;
    uint64_t value;
};

struct group {
    const struct sim_group *members;
    uint32_t first_shard; /* of this member */
    uint32_t shard_count;
    uint64_t next_ps; /* when a shard of any member next has something to do */
    uint32_t known;   /* bits of enum group_order_kind: fetched since the last window */
    bool is_full;     /* a packet from another member found no room */
    struct sim_ev_counts ev_counts;
};

void group_init(struct group *, const struct sim_group *, uint32_t shard_count);

/* Returns true if this process runs the shard. */
static inline bool group_has(const struct group *group, uint32_t shard)
{
    return !group || shard - group->first_shard < group->shard_count;
}

/* Returns the first shard of a member. */
uint32_t group_first_shard(const struct sim_group *, uint32_t member, uint32_t shard_count);

/* Returns the member that runs a shard. */
uint32_t group_member_of(const struct sim *, uint32_t shard);

static inline bool group_is_led(const struct sim *sim)
{
    return sim->group && sim->group->members->member == GROUP_LEADER;
}

/* Returns true if this process runs the node. */
static inline bool group_has_node(const struct sim *sim, uint32_t node)
{
    return !sim->group || group_has(sim->group, sim->seats[node].shard);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* What is left of the message of a member. */
struct group_message {
    const uint8_t *at;
    size_t bytes;
};

void group_send(const struct sim *, uint32_t to, const void *data, size_t bytes);
void group_send_all(const struct sim *, const void *data, size_t bytes);
void group_exchange(const struct sim *);
/* Returns the message of a member in the last exchange. */
struct group_message group_received(const struct sim *, uint32_t from);
/* Takes the next part of a message. */
void group_take(struct group_message *, void *data, size_t bytes);

/* The leader gives an order. */
void group_give(const struct sim *, struct group_order);

/* ---- windows --------------------------------------------------------------------------------- */

/* Exchanges packets, reports and status with the other members after a window. */
void group_exchange_window(struct sim *);

/* ---- queries --------------------------------------------------------------------------------- */

/* The leader fetches what the order asks for, unless it is known. Does nothing without a group. */
void group_fetch(const struct sim *, struct group_order);

/* Other members: answer such an order. */
void group_answer(struct sim *, struct group_order);

/* The leader asks for the EVs of a flow of another member. */
uint32_t group_fetch_evs(
    const struct sim *, uint32_t flow_index, struct sim_ev out[static PATH_EV_COUNT_MAX]);

/* Tells a member the halves of flows that this member runs; hears those of another. */
void group_tell_flows(const struct sim *, uint32_t to);
void group_hear_flows(const struct sim *, struct group_message *);

/* All members tell each other both halves of flows, as far as checks need them. */
void group_share_flows(const struct sim *);
