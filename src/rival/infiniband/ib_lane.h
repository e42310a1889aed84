/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual lanes of an egress port: packets of each wait in a queue of their own until the other
 * end of the link has room for them. Lanes with packets that may leave take turns. */
#pragma once

#include "rival/infiniband/ib_credit.h"
#include "switch/switch.h"

#define IB_LANES_MAX 4
#define IB_NO_LANE   UINT32_MAX

struct ib_lane {
    struct port_queue queue;
    struct ib_credit credit;
    bool is_free; /* the other end always has room: a NIC takes packets as fast as they come */
};

static inline bool ib_lane_permits(const struct ib_lane *lane, uint32_t blocks)
{
    return lane->is_free || ib_credit_permits(&lane->credit, blocks);
}

/* Returns the lane, at or after `turn`, whose first packet may leave; IB_NO_LANE: there is none. */
uint32_t ib_lane_next(
    const struct ib_lane *lanes, uint32_t count, const struct port_pool *, uint32_t turn);
