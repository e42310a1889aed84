/* SPDX-License-Identifier: Apache-2.0 */
/* A switch as a node: matches, shifts, looks up, queues. */
#pragma once

#include "sim/sim_engine.h"

/* The arrivals of a node, all before `end_ps`, in any order; then its ports are worked off up to,
 * not including, `end_ps`. The entries do not keep their places. */
void node_switch_run(struct sim *, uint32_t switch_index, struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps);

/* Its queues are lost. */
void node_switch_empty(struct sim *, uint32_t switch_index, uint64_t now_ps);
