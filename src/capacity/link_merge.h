/* SPDX-License-Identifier: Apache-2.0 */
/* Which planes, and which T1s of a plane, look alike.
 *
 * Where all links of two T1s have the same rates, flows lose nothing if they use both equally; so
 * one T1 with links of twice the rate is the same network. The same holds for planes. */
#pragma once

#include "capacity/link_rates.h"

/* T1s of one plane that look alike. */
struct link_merge_t1s {
    uint32_t first;
    uint32_t count;
};

struct link_merge_plane {
    uint32_t first; /* plane */
    uint32_t mask;  /* planes that look like it, itself included */
    uint32_t count;
    struct link_merge_t1s *t1s;
    uint32_t t1s_count;
};

struct link_merge {
    const struct link_rates *rates;
    struct link_merge_plane planes[TOPOLOGY_PLANES_MAX];
    uint32_t plane_count;
    bool *is_used_nic;
    bool *is_used_t0;
};

/* Links that no demand can cross are not compared. Measures with an arena without memory. */
void link_merge_init(struct link_merge *, struct arena *, const struct link_rates *,
    const struct capacity_demand *, uint32_t demand_count);
