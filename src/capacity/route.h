/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of one flow through a fabric whose faults are known. */
#pragma once

#include "capacity/link_merge.h"

/* One of the kinds of planes, one of its kinds of uplinks. */
struct route {
    const struct capacity_demand *demand;
    uint32_t plane;   /* kind */
    uint32_t uplinks; /* kind; of no meaning within a leaf */
    bool is_local;
};

/* Its links, each the first of its kind; returns their number. */
uint32_t route_steps(
    const struct link_merge *, const struct route *, struct plan_step out[static PLAN_LINKS_MAX]);

/* All its links work, and the flow may use it. */
bool route_is_open(const struct link_merge *, const struct route *, bool takes_lossy);

/* Answers come back by the plane of their data, over any of its uplinks. */
bool route_leads_back(const struct link_merge *, const struct route *);
