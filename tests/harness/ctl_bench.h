/* SPDX-License-Identifier: Apache-2.0 */
/* A controller of a small fabric with its store in memory: 2 planes, 3 T0s with 2 hosts each, 4 T1s
 * per plane. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "ctl/ctl.h"

struct ctl_bench {
    struct plan plan;
    struct ctl_store *store;
    struct ctl_controller controller;
    char reason[CTL_REASON_BYTES];
};

static inline bool ctl_bench_open(struct ctl_bench *bench, uint32_t capacity_ppm)
{
    static struct topology_exception none;
    struct ctl_limits limits = { .capacity_ppm = capacity_ppm };
    struct topology_config config;
    struct topology_problem problem;

    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = 3;
    config.t1_count = 4;
    config.hosts_per_t0 = 2;
    if (!plan_init(&bench->plan, &config, &none, &problem) ||
        ctl_store_open(&bench->store, ":memory:", NULL, bench->reason) != 0)
        return false;
    if (ctl_controller_init(
            &bench->controller, &bench->plan, bench->store, &limits, bench->reason) != 0)
        return false;
    ctl_controller_tick(&bench->controller, 1000000);
    return true;
}

static inline void ctl_bench_close(struct ctl_bench *bench)
{
    ctl_controller_fini(&bench->controller);
    ctl_store_close(bench->store);
}
