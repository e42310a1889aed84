/* SPDX-License-Identifier: Apache-2.0 */
/* ZCube(n, k), k from the tiers of the request. */
#pragma once

#include "study/size.h"

enum { SIZE_ZCUBE_TIERS_MAX = 3 };

bool size_zcube_solve(struct size_fabric *);
uint64_t size_zcube_largest(const struct size_fabric *);
