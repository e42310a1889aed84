/* SPDX-License-Identifier: Apache-2.0 */
/* How much each path of a pair shall carry, by the rates of its links and its length
 * (docs/decisions/0031). */
#pragma once

#include <stdint.h>

#include "path/path.h"
#include "plan/plan_graph.h"

/* `routes`: all of one pair, those of a port of the sender together. Sets weights[i], 1 to
 * PATH_WEIGHT_USUAL, for routes[i]; `weights` has room for twice as many numbers. */
void plan_weigh(const struct plan_route *routes, uint32_t route_count, uint64_t *weights);

/* Sets the weights of the entries of a profile. Routes ascend by EV; an entry that is not among
 * them gets the least weight. `scratch` has room for two numbers per route. */
void plan_weigh_profile(const struct plan_route *routes, uint32_t route_count, uint64_t *scratch,
    struct path_profile *profile);
