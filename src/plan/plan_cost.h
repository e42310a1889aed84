/* SPDX-License-Identifier: Apache-2.0 */
/* The rate and delay of a path, added link by link. */
#pragma once

#include "plan/plan_graph.h"

/* Adds the link behind a hop. Store and forward: a link carries the whole packet before the next
 * begins. */
static inline void plan_cost_add(
    struct plan_route *route, uint32_t hop, uint64_t link_bps, uint64_t delay_ps)
{
    const uint64_t byte_ps_at_1_bps = UINT64_C(8000000000000);

    route->link_bps[hop] = link_bps;
    if (link_bps < route->rate_bps)
        route->rate_bps = link_bps;
    route->one_way_ps +=
        delay_ps + (((byte_ps_at_1_bps << 16) / link_bps) * TOPOLOGY_PACKET_BYTES >> 16);
}
