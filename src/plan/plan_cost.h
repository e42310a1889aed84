/* SPDX-License-Identifier: Apache-2.0 */
/* What a path costs, link by link. */
#pragma once

#include "plan/plan_graph.h"

/* The link behind a hop. Store and forward: it takes the whole packet before the next gets any of
 * it. */
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
