/* SPDX-License-Identifier: Apache-2.0 */
/* A fabric of the same kind that is small enough to be simulated in a second. */
#pragma once

#include "study/size.h"

enum { SIZE_SCALE_NICS_MAX = 64 };

/* Keeps kind, planes, tiers, rates and oversubscription, and gives switches fewer ports: the most
 * ports, a power of two, with at most 64 NICs. A fabric that has no more stays as it is, and of a
 * single switch the ports that are used remain. Of networks that are not connected, one remains.
 * Returns false if there is none with 512 NICs or fewer. */
bool size_scale_down(const struct size_fabric *, struct size_fabric *small);
/* Returns how many times more NICs the full fabric has; at least 1. */
double size_scale_factor(const struct size_fabric *full, const struct size_fabric *small);
