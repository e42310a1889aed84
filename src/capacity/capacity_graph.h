/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_fabric_init() for graphs: one link per direction of every cable, and the paths that the
 * plan lists. */
#pragma once

#include "capacity/capacity.h"

int capacity_graph_init(struct capacity_fabric *, const struct plan *,
    const struct fault *const *in_force, uint32_t in_force_count,
    const struct capacity_demand *demands, uint32_t demand_count);
