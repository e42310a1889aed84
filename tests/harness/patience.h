/* SPDX-License-Identifier: Apache-2.0 */
/* How long a test waits for what must happen. No machine needs that long, so only a test that hangs
 * fails by it; and it is less than the limit of tools/tap-run, so that the failure has a line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { PATIENCE_S = 240, PATIENCE_MS = 1000 * PATIENCE_S };

static inline int64_t patience_now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* For patience_lasts(). */
static inline int64_t patience_end_s(void)
{
    return patience_now_s() + PATIENCE_S;
}

static inline bool patience_lasts(int64_t end_s)
{
    return patience_now_s() < end_s;
}
