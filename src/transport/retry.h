/* SPDX-License-Identifier: Apache-2.0 */
/* The timeout schedule (docs/protocol.md §13): intervals of T, then doubling intervals, then
 * failure. */
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

/* Returns the time to wait for an answer to a transmission after `timeouts` timeouts. */
static inline uint64_t retry_interval_ns(struct retry_schedule schedule, uint32_t timeouts)
{
    uint32_t doublings = timeouts <= schedule.linear ? 0 : timeouts - schedule.linear;
    uint32_t exponent =
        schedule.timeout + (doublings < RETRY_TIMEOUT_MAX ? doublings : RETRY_TIMEOUT_MAX);

    return UINT64_C(1024) << (exponent < RETRY_TIMEOUT_MAX ? exponent : RETRY_TIMEOUT_MAX);
}

/* Returns the time from a transmission without an answer to the failure. */
static inline uint64_t retry_total_ns(struct retry_schedule schedule)
{
    uint32_t count = (uint32_t)schedule.linear + schedule.exponential;
    uint64_t total_ns = 0;

    if (schedule.exponential >= RETRY_EXPONENTIAL_FOREVER)
        return UINT64_MAX;
    for (uint32_t timeouts = 0; timeouts <= count; timeouts++)
        total_ns += retry_interval_ns(schedule, timeouts);
    return total_ns;
}

/* Returns the smallest timeout for which T is not below `timeout_floor` and the total time is not
 * below `total_floor_ns`. */
static inline uint8_t retry_raised_timeout(
    struct retry_schedule schedule, uint8_t timeout_floor, uint64_t total_floor_ns)
{
    if (schedule.timeout < timeout_floor)
        schedule.timeout = timeout_floor;
    while (schedule.timeout < RETRY_TIMEOUT_MAX && retry_total_ns(schedule) < total_floor_ns)
        schedule.timeout++;
    return schedule.timeout;
}

/* True if the next timeout after this number of timeouts is the last. */
static inline bool retry_is_exhausted(struct retry_schedule schedule, uint32_t timeouts)
{
    return schedule.exponential < RETRY_EXPONENTIAL_FOREVER &&
           timeouts >= (uint32_t)schedule.linear + schedule.exponential;
}
