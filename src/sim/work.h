/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the ranks of a workload and the transport of their NIC: messages become
 * work requests, completions become events for the ranks. */
#pragma once

#include "sim/sim_engine.h"

/* Fills in sim->world, the actions of ranks. */
void work_init(struct sim *);

/* Wakes ranks whose time has come, and reports messages sent and received to ranks. */
void work_turn(struct sim *, uint32_t nic_index, uint64_t now_ps);

/* The memory of all NICs, for struct transport_memory. The context is the struct sim. */
enum transport_access work_place(
    void *context, void *owner, uint32_t qpn, uint32_t rkey, uint64_t va, const struct payload *);

/* Returns the key of the memory of a flow. */
static inline uint32_t work_key(uint32_t flow)
{
    return flow + 1;
}
