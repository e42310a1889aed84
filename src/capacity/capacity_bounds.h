/* SPDX-License-Identifier: Apache-2.0 */
/* An upper bound for networks that are too large. */
#pragma once

#include "capacity/capacity.h"

int capacity_bounds_solve(
    const struct topology *, const struct capacity_fabric *, struct capacity_rates *);
