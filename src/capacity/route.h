/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of one flow through a fabric with faults. */
#pragma once

#include "capacity/link_merge.h"

/* One kind of planes and one of its kinds of uplinks. */
struct route {
    const struct capacity_demand *demand;
    uint32_t plane;   /* kind */
    uint32_t uplinks; /* kind; unused within a leaf */
    bool is_local;
};

/* Writes its links, each the first of its kind. Returns their number. */
uint32_t route_steps(
    const struct link_merge *, const struct route *, struct plan_step out[static PLAN_LINKS_MAX]);

/* Returns true if all its links work and the flow may use it. */
bool route_is_open(const struct link_merge *, const struct route *, bool takes_lossy);

/* Returns true if answers have a way back. They use the plane of their data and any of its
 * uplinks. */
bool route_leads_back(const struct link_merge *, const struct route *);
