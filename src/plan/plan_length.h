/* SPDX-License-Identifier: Apache-2.0 */
/* Transfer times of the paths of a pair. With them a longer path is not mistaken for a queue. */
#pragma once

#include "path/path.h"
#include "plan/plan_graph.h"

/* Returns the weighted mean of the one-way times; 0: there is no path. */
uint64_t plan_mean_ps(
    const struct plan_route *routes, uint32_t route_count, const uint64_t *weights);
/* Returns the one-way time of the fastest path; UINT64_MAX: there is no path. */
uint64_t plan_fastest_ps(const struct plan_route *routes, uint32_t route_count);
/* Returns the time of a path in excess of `base_ps`, for path_entry.extra. */
int16_t plan_extra(const struct plan_route *, uint64_t base_ps);
