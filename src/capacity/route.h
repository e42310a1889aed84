/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of one flow through a fabric whose faults are known. */
#pragma once

#include "capacity/link_merge.h"

/* One of the kinds of planes, one of its kinds of T1s. */
struct route {
    const struct capacity_demand *demand;
    uint32_t plane; /* kind */
    uint32_t t1s;   /* kind; of no meaning within a T0 */
    bool is_local;
};

bool route_is_local(const struct topology *, const struct capacity_demand *);

/* All its links work, and the flow may use it. */
bool route_is_open(const struct link_merge *, const struct route *, bool takes_lossy);

/* Answers come back by the plane of their data, over any of its T1s. */
bool route_leads_back(const struct link_merge *, const struct route *);
