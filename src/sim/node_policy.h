/* SPDX-License-Identifier: Apache-2.0 */
/* A switch that a policy drives: each packet is forwarded and queued by calls, in order of time. */
#pragma once

#include "sim/shard.h"

/* Makes what switches with a policy need. With an arena without memory, only measures. */
void node_policy_init(struct sim *, struct arena *);

/* Like node_switch_run(). */
void node_policy_run(struct shard *, uint32_t switch_index, struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps);

/* A packet that waited at a port of a switch is lost. */
void node_policy_on_lost(
    struct shard *, struct topology_end port, const struct port_entry *, uint64_t now_ps);

/* A packet that a port has had does not arrive at the other end of the link. */
void node_policy_on_undelivered(struct shard *, uint32_t port, const struct port_entry *);

/* Takes out a packet that waits for a port of a switch, outside of it. Returns false if there is
 * none. */
bool node_policy_take_out(struct shard *, uint32_t port, struct port_entry *);

/* A pause frame arrives at a port, which has been advanced. */
void node_policy_on_pause(struct shard *, uint32_t port, struct port_entry, uint64_t now_ps);

static inline bool node_policy_is_pause(const struct mailbox_entry *entry)
{
    return entry->packet.handle == PACKETS_NONE;
}
