/* SPDX-License-Identifier: Apache-2.0 */
/* The transmission time of bytes. Ports, links and plans use this rounding, so that their times
 * agree to the picosecond. */
#pragma once

#include <stdint.h>

enum { BYTE_TIME_SHIFT = 16 };

/* Returns the time of one byte in units of 2^-16 ps: exact for every rate that divides 8 Tb/s. */
static inline uint64_t byte_time_at(uint64_t rate_bps)
{
    return (UINT64_C(8000000000000) << BYTE_TIME_SHIFT) / rate_bps;
}

/* Returns the time of `bytes` bytes, each of which takes `byte_time`. */
static inline uint64_t byte_time_ps(uint64_t byte_time, uint64_t bytes)
{
    return byte_time * bytes >> BYTE_TIME_SHIFT;
}
