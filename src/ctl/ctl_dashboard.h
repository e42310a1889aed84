/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a controller: verdicts, what is drained, drain and restore, and the links of a soft
 * fabric if it runs on this machine. */
#pragma once

#include "ctl/ctl_controller.h"
#include "dashboard/dashboard.h"

struct ctl_dashboard {
    struct dashboard dashboard;
    struct dashboard_soft soft; /* the fabric of this machine */
    struct ctl_controller *controller;
    int64_t event_id; /* the last that was told */
    int64_t audit_id;
};

/* `fabric`: the name under which the fabric may run on this machine. Returns 0 or -ENOMEM. */
int ctl_dashboard_init(struct ctl_dashboard *, struct ctl_controller *, const char *fabric);
void ctl_dashboard_fini(struct ctl_dashboard *);

/* Takes samples and tells events, if a page is open. Call it several times a second. */
void ctl_dashboard_turn(struct ctl_dashboard *, struct http_server *operators);
