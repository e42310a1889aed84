/* SPDX-License-Identifier: Apache-2.0 */
/* The controller of ctl_bench.h with its page and the server of operators, as mrcd has them. */
#pragma once

#include <stdlib.h>

#include "ctl/ctl_dashboard.h"
#include "ctl_bench.h"

#define CTL_SERVED_TOKEN "fuzz"

struct ctl_served {
    struct ctl_bench bench;
    struct ctl_dashboard page;
};

/* It must not move. No fabric of this machine is shown. */
static inline bool ctl_served_open(struct ctl_served *served, uint32_t capacity_ppm)
{
    struct ctl_controller *controller = &served->bench.controller;
    struct http_config config = {
        .token = CTL_SERVED_TOKEN, .routes = ctl_operator_routes, .context = controller
    };

    setenv("MRC_RUN_DIR", "/nonexistent", 1);
    if (!ctl_bench_open(&served->bench, capacity_ppm) ||
        ctl_dashboard_init(&served->page, controller, "none") != 0 ||
        http_server_open(&controller->operators, &config) != 0)
        return false;
    controller->dashboard = &served->page.dashboard;
    return true;
}
