/* SPDX-License-Identifier: Apache-2.0 */
/* A switch as a node: matches, shifts, looks up, queues. */
#pragma once

#include "sim/engine.h"

/* The arrivals of a node in order of time, all before `end_ps`; then its ports are worked off up
 * to, not including, `end_ps`. Yields nothing: what leaves is posted. */
void node_switch_run(struct sim *, uint32_t switch_index, const struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps);

/* Its queues are lost. */
void node_switch_empty(struct sim *, uint32_t switch_index, uint64_t now_ps);
