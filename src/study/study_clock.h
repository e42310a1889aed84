/* SPDX-License-Identifier: Apache-2.0 */
/* The time on the wall, for durations that are shown. */
#pragma once

#include <time.h>

static inline double study_clock_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
