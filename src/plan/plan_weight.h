/* SPDX-License-Identifier: Apache-2.0 */
/* The weight of each path of a pair, from the rates of its links and its length
 * (docs/decisions/0031). */
#pragma once

#include <stdint.h>

#include "path/path.h"
#include "plan/plan_graph.h"

/* `routes` are all paths of one pair, grouped by port of the sender. Sets weights[i], 1 to
 * PATH_WEIGHT_USUAL, for routes[i]. `weights` has room for twice as many numbers. */
void plan_weigh(const struct plan_route *routes, uint32_t route_count, uint64_t *weights);

/* Sets the weights of the entries of a profile. Routes ascend by EV. An entry without a route gets
 * the lowest weight. `scratch` has room for two numbers per route. */
void plan_weigh_profile(const struct plan_route *routes, uint32_t route_count, uint64_t *scratch,
    struct path_profile *profile);
