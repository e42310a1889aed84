/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a fabric that are out of service, what each NIC must do for them, and what
 * capacity is left. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "control/control.h"
#include "plan/plan.h"

#define CTL_ELEMENTS_MAX 256

struct ctl_denied {
    char name[TOPOLOGY_NAME_BYTES];
    struct plan_drain drain;
    bool is_automatic; /* the policy drained it, and may restore it */
};

struct ctl_denylist {
    const struct plan *plan;
    struct ctl_denied elements[CTL_ELEMENTS_MAX];
    uint32_t count;
};

/* What a NIC must do. */
struct ctl_orders {
    struct ev_admin_ev evs[EV_ADMIN_MAX]; /* to be denied */
    uint32_t ev_count;
    uint32_t ports_down; /* bit p: the port in plane p is disabled */
};

/* The least share of its paths that any NIC has left, in millionths. */
struct ctl_share {
    uint32_t ppm;
    uint32_t nic;
};

bool ctl_denylist_has(const struct ctl_denylist *, const char *name);
/* Returns whether the element is in the list, and the policy put it there. */
bool ctl_denylist_is_automatic(const struct ctl_denylist *, const char *name);
/* Says whose an element of the list is from now on. */
void ctl_denylist_set_automatic(struct ctl_denylist *, const char *name, bool is_automatic);
/* Returns whether an element of the list denies the EV. */
bool ctl_denylist_denies(const struct ctl_denylist *, uint32_t ev);
/* Adds an element. Returns false, with a reason, if the name is wrong or the list is full. */
bool ctl_denylist_add(
    struct ctl_denylist *, const char *name, char reason[static TOPOLOGY_REASON_BYTES]);
/* Returns false if it is not in the list. */
bool ctl_denylist_remove(struct ctl_denylist *, const char *name);

/* Returns false if the NIC would have to deny more EVs than a device can. */
bool ctl_denylist_orders(const struct ctl_denylist *, uint32_t nic, struct ctl_orders *);

/* `ports_down` has a mask for each NIC: ports that are down for other reasons. */
struct ctl_share ctl_denylist_share(const struct ctl_denylist *, const uint32_t *ports_down);
