/* SPDX-License-Identifier: Apache-2.0 */
/* Signed distances between serial numbers that wrap. */
#pragma once

#include <stdint.h>

#define SERIAL24_MODULUS (UINT32_C(1) << 24)

static inline uint32_t serial24_add(uint32_t serial, int32_t steps)
{
    return (serial + (uint32_t)steps) % SERIAL24_MODULUS;
}

/* Returns a distance in [-2^23, 2^23), positive if `to` comes after `from`. Only the low 24 bits of
 * each are used. */
static inline int32_t serial24_distance(uint32_t from, uint32_t to)
{
    uint32_t ahead = (to - from) % SERIAL24_MODULUS;

    return (int32_t)(ahead ^ SERIAL24_MODULUS / 2) - (int32_t)(SERIAL24_MODULUS / 2);
}

/* Returns a distance in [-2^15, 2^15), positive if `to` comes after `from`. */
static inline int32_t serial16_distance(uint16_t from, uint16_t to)
{
    uint32_t ahead = (uint16_t)(to - from);

    return (int32_t)(ahead ^ UINT32_C(0x8000)) - INT32_C(0x8000);
}
