/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the ranks of a workload and the endpoint of their NIC: messages are posted,
 * completions become events for the ranks. */
#pragma once

#include "sim/account.h"
#include "sim/sim_engine.h"

/* Fills in sim->world, the actions of ranks. */
void work_init(struct sim *);

/* Wakes ranks whose time has come, and reports messages sent and received to ranks. */
void work_turn(struct sim *, uint32_t nic_index, uint64_t now_ps);

/* Bytes of a flow have arrived for the first time. Returns false if no message has these bytes. */
static inline bool work_place(
    struct sim *sim, struct engine_flow *flow, uint64_t offset_bytes, uint32_t bytes)
{
    if (offset_bytes + bytes > flow->posted_bytes)
        return false;
    flow->placed_bytes += bytes;
    sim->plane_bytes[sim->arriving_plane] += bytes;
    if (flow->account)
        account_place(sim, flow, offset_bytes, bytes);
    return true;
}
