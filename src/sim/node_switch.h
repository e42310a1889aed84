/* SPDX-License-Identifier: Apache-2.0 */
/* A switch as a node: it matches, shifts, looks up and queues. */
#pragma once

#include "sim/shard.h"

/* Processes the arrivals of a node, all before `end_ps`, in any order. Then advances its ports up
 * to, not including, `end_ps`. Reorders the entries. */
void node_switch_run(struct shard *, uint32_t switch_index, struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps);

/* Begins to fetch the ports by which these packets will leave. For few packets in a large fabric:
 * nearly each of them leaves by a port that is in no cache. */
void node_switch_prefetch(const struct shard *, uint32_t switch_index,
    const union mailbox_unit *arrivals, uint32_t count);

/* Loses the queues of the switch. */
void node_switch_empty(struct shard *, uint32_t switch_index, uint64_t now_ps);
