/* SPDX-License-Identifier: Apache-2.0 */
/* What faults do in the present window: an action happens to the node that sends into a link, and
 * to the one at its other end. */
#pragma once

#include "sim/sim_engine.h"

void actions_init(struct sim *, struct arena *);

/* Those before `end_ps`, reported to the observer. Returns how far they reach: `end_ps`, or the
 * time of the first for which there is no room. */
uint64_t actions_fetch(struct sim *, uint64_t end_ps);

/* An action's two nodes; the second is ENGINE_NONE for what happens to a switch as a whole. */
struct actions_nodes {
    uint32_t sender;
    uint32_t receiver;
};
struct actions_nodes actions_nodes(const struct sim *, const struct fault_action *);

/* The actions that happen to a node, in order; ENGINE_NONE: no more. */
uint32_t actions_first(const struct sim *, uint32_t node);
uint32_t actions_next(const struct sim *, uint32_t node, uint32_t action);

/* The node has been run up to the time of the action. */
void actions_apply(struct sim *, uint32_t node, const struct fault_action *);
