/* SPDX-License-Identifier: Apache-2.0 */
/* The rate and delay of a path, added link by link. */
#pragma once

#include "base/byte_time.h"
#include "plan/plan_graph.h"

/* Adds the link behind a hop. Store and forward: a link carries the whole packet, with its framing,
 * before the next begins. */
static inline void plan_cost_add(struct plan_route *route, uint32_t hop, uint32_t framing_bytes,
    uint64_t link_bps, uint64_t delay_ps)
{
    uint64_t wire_bytes = TOPOLOGY_PACKET_BYTES + plan_route_srh_bytes(route) + framing_bytes;

    route->link_bps[hop] = link_bps;
    if (link_bps < route->rate_bps)
        route->rate_bps = link_bps;
    route->one_way_ps += delay_ps + byte_time_ps(byte_time_at(link_bps), wire_bytes);
}
