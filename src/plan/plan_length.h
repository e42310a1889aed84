/* SPDX-License-Identifier: Apache-2.0 */
/* How long the paths of a pair take, so that length does not pass for a queue. */
#pragma once

#include "path/path.h"
#include "plan/plan_graph.h"

/* The mean one-way time of the paths by these weights; 0: there is no path. */
uint64_t plan_mean_ps(
    const struct plan_route *routes, uint32_t route_count, const uint64_t *weights);
/* The one-way time of the fastest; UINT64_MAX: there is no path. */
uint64_t plan_fastest_ps(const struct plan_route *routes, uint32_t route_count);
/* How much longer than `base_ps` a path takes, for path_entry.extra. */
int16_t plan_extra(const struct plan_route *, uint64_t base_ps);
