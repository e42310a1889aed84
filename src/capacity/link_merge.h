/* SPDX-License-Identifier: Apache-2.0 */
/* Finds equivalent planes, and equivalent uplinks of the leaves of a plane.
 *
 * Uplinks with the same number lead from all leaves to the same switch. If the uplinks with two
 * numbers have equal rates at every leaf, flows lose nothing by using both equally, so the network
 * is the same as one with links of twice the rate. This also holds for planes. */
#pragma once

#include "capacity/link_rates.h"

/* Equivalent uplink numbers of one plane. */
struct link_merge_uplinks {
    uint32_t first;
    uint32_t count;
};

struct link_merge_plane {
    uint32_t first; /* its first plane */
    uint32_t mask;  /* all its planes */
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
    bool is_usual; /* all links of a kind have the same rate */
    uint32_t leaf_count;
};

/* Does not compare links that no demand can cross. With an arena without memory it only
 * measures. */
void link_merge_init(struct link_merge *, struct arena *, const struct link_rates *,
    const struct capacity_demand *, uint32_t demand_count);
