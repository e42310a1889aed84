/* SPDX-License-Identifier: Apache-2.0 */
/* The two ends of a link, and the probes that bounce over it. */
#pragma once

#include "map/map.h"

struct map_ends {
    struct topology_element element;
    struct topology_end lower; /* may be a NIC */
    struct topology_end upper; /* a switch */
    enum map_probe_kind bounce;
};

/* Every link that was ever probed has them. */
static inline struct map_ends map_ends_of(const struct map *map, uint32_t link)
{
    const struct topology *topology = &map->config.fabric->topology;
    const struct map_site *sites = map->schedule.sites;
    struct map_ends ends = { .bounce = MAP_FAR };
    struct topology_link_kind kind;

    topology_link_numbered(topology, link, &ends.element, &kind);
    topology_link_of(topology, &ends.element, 0, &ends.lower, &ends.upper);
    if (ends.lower.is_nic)
        ends.bounce = MAP_NEAR;
    else if (sites[ends.lower.node].host_count == 0 && sites[ends.upper.node].host_count == 0)
        ends.bounce = MAP_DEEP;
    return ends;
}
