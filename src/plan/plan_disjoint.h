/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of a pair that share no link between switches. */
#pragma once

#include "plan/plan_graph.h"

/* Selects paths of a pair, shortest first, that share no link between switches with those selected
 * before, moves them to the front and numbers their EVs anew. All paths of a port cross its link,
 * so links of NICs may be shared. Returns the number of paths that are left. */
uint32_t plan_disjoint_select(struct plan_route *routes, uint32_t route_count);
