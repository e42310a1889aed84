/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of one port, in turn. */
#include "rival/infiniband/ib_lane.h"

static bool may_send(const struct ib_lane *lane, const struct port_pool *pool)
{
    return lane->queue.count > 0 &&
           ib_lane_permits(
               lane, ib_credit_blocks(pool->slots[lane->queue.head].entry.length_bytes));
}

uint32_t ib_lane_next(
    const struct ib_lane *lanes, uint32_t count, const struct port_pool *pool, uint32_t turn)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lane = turn + i < count ? turn + i : turn + i - count;

        if (may_send(&lanes[lane], pool))
            return lane;
    }
    return IB_NO_LANE;
}
