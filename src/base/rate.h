/* SPDX-License-Identifier: Apache-2.0 */
/* A limit on how often something happens: once per gap on average, with bursts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rate {
    uint64_t spent_ns; /* up to when the allowance is used up */
};

/* Whether one more may happen now; if so, it counts. At most `burst` may come at once after a
 * pause. */
static inline bool rate_allows(struct rate *rate, uint64_t gap_ns, uint32_t burst, uint64_t now_ns)
{
    if (rate->spent_ns < now_ns)
        rate->spent_ns = now_ns;
    if (rate->spent_ns + gap_ns > now_ns + burst * gap_ns)
        return false;
    rate->spent_ns += gap_ns;
    return true;
}
