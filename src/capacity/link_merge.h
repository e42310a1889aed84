/* SPDX-License-Identifier: Apache-2.0 */
/* Which planes, and which uplinks of the leaves of a plane, look alike.
 *
 * Uplinks of one number lead from all leaves to the same switch. Where those of two numbers have
 * the same rates at every leaf, flows lose nothing if they use both equally; so one with links of
 * twice the rate is the same network. The same holds for planes. */
#pragma once

#include "capacity/link_rates.h"

/* Numbers of uplinks of one plane that look alike. */
struct link_merge_uplinks {
    uint32_t first;
    uint32_t count;
};

struct link_merge_plane {
    uint32_t first; /* plane */
    uint32_t mask;  /* planes that look like it, itself included */
    uint32_t count;
    struct link_merge_uplinks *uplinks;
    uint32_t uplinks_count;
};

struct link_merge {
    const struct link_rates *rates;
    struct link_merge_plane planes[TOPOLOGY_PLANES_MAX];
    uint32_t plane_count;
    bool *is_used_nic;
    bool *is_used_leaf;
    uint32_t leaf_count;
};

/* Links that no demand can cross are not compared. Measures with an arena without memory. */
void link_merge_init(struct link_merge *, struct arena *, const struct link_rates *,
    const struct capacity_demand *, uint32_t demand_count);
