/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the ranks of a workload and the endpoint of their NIC: messages are posted,
 * completions become events for the ranks. */
#pragma once

#include "sim/account.h"
#include "sim/order.h"
#include "sim/shard.h"

/* Fills in shard->world, the actions of ranks. */
void work_init(struct shard *);

/* Wakes ranks whose time has come, and reports messages sent and received to ranks. */
void work_turn(struct shard *, uint32_t nic_index, uint64_t now_ps);

/* Bytes of a flow have arrived for the first time. */
static inline void work_place(
    struct shard *shard, struct engine_flow_end *end, uint64_t offset_bytes, uint32_t bytes)
{
    end->placed_bytes += bytes;
    shard->plane_bytes[shard->arriving_plane] += bytes;
    if (__builtin_expect(shard->counts_order, false))
        order_note(shard, end, offset_bytes, bytes);
    if (end->account)
        account_place(shard, end, offset_bytes, bytes);
}
