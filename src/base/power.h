/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of two. */
#pragma once

#include <stdint.h>

/* Returns the smallest power of two that is not below `count`, at most 2^31; 1 for 0. */
static inline uint32_t power_of_two_at_least(uint32_t count)
{
    return count <= 1 ? 1 : UINT32_C(1) << (32 - __builtin_clz(count - 1));
}
