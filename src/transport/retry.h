/* SPDX-License-Identifier: Apache-2.0 */
/* The timeout schedule (docs/protocol.md §13): intervals of T, then doubling ones, then the end. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RETRY_EXPONENTIAL_FOREVER 25
#define RETRY_TIMEOUT_MAX         24

struct retry_schedule {
    uint8_t timeout; /* T = 1.024 us << timeout */
    uint8_t linear;
    uint8_t exponential;
};

/* How long to wait for an answer to a transmission made after `timeouts` timeouts. */
static inline uint64_t retry_interval_ns(struct retry_schedule schedule, uint32_t timeouts)
{
    uint32_t doublings = timeouts <= schedule.linear ? 0 : timeouts - schedule.linear;
    uint32_t exponent =
        schedule.timeout + (doublings < RETRY_TIMEOUT_MAX ? doublings : RETRY_TIMEOUT_MAX);

    return UINT64_C(1024) << (exponent < RETRY_TIMEOUT_MAX ? exponent : RETRY_TIMEOUT_MAX);
}

/* After so many, the next timeout is the last. */
static inline bool retry_is_exhausted(struct retry_schedule schedule, uint32_t timeouts)
{
    return schedule.exponential < RETRY_EXPONENTIAL_FOREVER &&
           timeouts >= (uint32_t)schedule.linear + schedule.exponential;
}
