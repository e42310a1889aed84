/* SPDX-License-Identifier: Apache-2.0 */
/* One plane of a Clos. */
#pragma once

#include "study/size.h"

/* Computes the tiers of a plane with `nics` NICs; leaves are a multiple of `leaf_step`. The ports
 * of the fabric must be set. Returns false if the tiers have too few ports. */
bool size_clos_solve(struct size_fabric *, uint64_t nics, uint64_t leaf_step, uint32_t tiers);
/* Returns the largest number of NICs of a plane. */
uint64_t size_clos_largest(const struct size_fabric *, uint64_t leaf_step, uint32_t tiers);
