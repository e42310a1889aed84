/* SPDX-License-Identifier: Apache-2.0 */
/* Taking elements of a fabric out of service: which EVs all NICs deny, and which ports of which
 * NICs are disabled, so that no packet crosses the element. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

struct plan;

/* A component of the fabric, or a single EV. */
struct plan_drain {
    bool is_ev;
    uint32_t ev;
    struct topology_element element;
};

/* Finds what the name names: p1.t1.7, p3.t0.17-t1.9, h12.p3, p3, a group, or an EV such as p1/u3.
 * Returns false, with a reason, if there is no such component, or if it cannot be drained: a NIC as
 * a whole, and anything in a graph. */
bool plan_drain_find(const struct plan *, const char *name, struct plan_drain *,
    char reason[static TOPOLOGY_REASON_BYTES]);

/* Returns whether all NICs deny the EV. A link between two switches is on paths of its EV for some
 * pairs only; the EV is denied for all of them, because a NIC has one list for all destinations. */
bool plan_drain_denies(const struct plan *, const struct plan_drain *, uint32_t ev);
/* Returns whether this NIC disables its port in this plane. */
bool plan_drain_disables(
    const struct plan *, const struct plan_drain *, uint32_t nic, uint32_t plane);
/* Returns whether any NIC disables a port. */
bool plan_drain_has_ports(const struct plan_drain *);
