/* SPDX-License-Identifier: Apache-2.0 */
/* Two clocks: one that never jumps, for decisions, and the time of day, for readers. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t ctl_clock_of_ms(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static inline uint64_t ctl_clock_ms(void)
{
    return ctl_clock_of_ms(CLOCK_MONOTONIC);
}

static inline int64_t ctl_clock_day_ms(void)
{
    return (int64_t)ctl_clock_of_ms(CLOCK_REALTIME);
}
