/* SPDX-License-Identifier: Apache-2.0 */
/* A rate limit: once per gap on average, with bursts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rate {
    uint64_t spent_ns; /* time up to which the allowance is used */
};

/* True if one more may happen now; it is then counted. After a pause, up to `burst` may happen at
 * the same time. */
static inline bool rate_allows(struct rate *rate, uint64_t gap_ns, uint32_t burst, uint64_t now_ns)
{
    if (rate->spent_ns < now_ns)
        rate->spent_ns = now_ns;
    if (rate->spent_ns + gap_ns > now_ns + burst * gap_ns)
        return false;
    rate->spent_ns += gap_ns;
    return true;
}
