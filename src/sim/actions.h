/* SPDX-License-Identifier: Apache-2.0 */
/* The effects of faults in the current window. An action affects the node that sends into a link
 * and the node at its other end. */
#pragma once

#include "sim/shard.h"

void actions_init(struct sim *, struct arena *);

/* Fetches the actions before `end_ps` and reports them to the observer. Returns the end of the
 * fetched time: `end_ps`, or the time of the first action that does not fit. */
uint64_t actions_fetch(struct sim *, uint64_t end_ps);

/* The two nodes of an action. The second is ENGINE_NONE if the action affects a whole switch. */
struct actions_nodes {
    uint32_t sender;
    uint32_t receiver;
};
struct actions_nodes actions_nodes(const struct sim *, const struct fault_action *);

/* Returns the actions of a node, in order; ENGINE_NONE: no more. */
uint32_t actions_first(const struct sim *, uint32_t node);
uint32_t actions_next(const struct sim *, uint32_t node, uint32_t action);

/* Applies an action to a node that has been run up to its time. */
void actions_apply(struct shard *, uint32_t node, const struct fault_action *);
