/* SPDX-License-Identifier: Apache-2.0 */
/* What the schedule knows of a switch, and its neighbours. */
#pragma once

#include "map/map_schedule.h"

static inline const struct topology *map_site_topology(const struct map_schedule *schedule)
{
    return &schedule->plan->topology;
}

/* Like topology_peer(). */
static inline bool map_site_peer(
    const struct map_schedule *schedule, struct topology_end end, struct topology_end *peer)
{
    const struct map_peer *known;

    if (!schedule->peers)
        return topology_peer(map_site_topology(schedule), end, peer);
    known = &schedule->peers[(end.is_nic ? end.node * schedule->nic_ports
                                         : schedule->sites[end.node].first_peer) +
                             end.port];
    *peer =
        (struct topology_end){ .is_nic = known->is_nic, .node = known->node, .port = known->port };
    return known->has_cable;
}

/* Returns the switch that a port of a switch leads to. */
static inline bool map_site_next(
    const struct map_schedule *schedule, uint32_t at, uint32_t port, struct topology_end *next)
{
    struct topology_end end = { .node = at, .port = port };

    return map_site_peer(schedule, end, next) && !next->is_nic;
}

/* Returns how many of its ports lead to switches. */
static inline uint32_t map_site_uplinks(const struct map_site *site)
{
    return (uint32_t)site->port_count - site->first_port;
}

/* Returns how many probes each of its hosts sends in a period. */
static inline uint32_t map_site_slots(const struct map_site *site)
{
    return 1u + site->far_count + site->loop_count + site->deep_count + site->one_way_count;
}
