/* SPDX-License-Identifier: Apache-2.0 */
/* The timeout schedule: the times and sums of docs/protocol.md §13. */
#include "spec.h"

#include "transport/retry.h"

static struct retry_schedule schedule(uint8_t timeout, uint8_t linear, uint8_t exponential)
{
    return (
        struct retry_schedule){ .timeout = timeout, .linear = linear, .exponential = exponential };
}

/* From the first transmission to the end, if nothing is ever heard; the number of transmissions in
 * *sent. */
static uint64_t time_to_failure_ns(struct retry_schedule given, uint32_t *sent)
{
    uint64_t sum_ns = 0;
    uint32_t timeouts = 0;

    for (;;) {
        sum_ns += retry_interval_ns(given, timeouts);
        if (retry_is_exhausted(given, timeouts))
            break;
        timeouts++;
    }
    *sent = timeouts + 1;
    return sum_ns;
}

SPEC("§13: T is 1.024 us times 2 to the power of the timeout")
{
    EXPECT_EQ(retry_interval_ns(schedule(0, 0, 0), 0), 1024);
    EXPECT_EQ(retry_interval_ns(schedule(4, 0, 0), 0), 16384);
    EXPECT_EQ(retry_interval_ns(schedule(8, 0, 0), 0), 262144);
    EXPECT_EQ(retry_interval_ns(schedule(14, 0, 0), 0), 16777216);
    EXPECT_EQ(retry_interval_ns(schedule(20, 0, 0), 0), 1073741824);
    EXPECT_EQ(retry_interval_ns(schedule(24, 0, 0), 0), UINT64_C(17179869184));
}

SPEC("§13: the interval is constant up to the linear count, then doubles each time")
{
    static const uint64_t expected[] = { 1, 1, 1, 1, 2, 4, 8, 16, 32 };

    for (uint32_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        EXPECT_EQ(retry_interval_ns(schedule(10, 3, 5), i), expected[i] << 20);
}

SPEC("§13: no interval is longer than 1.024 us x 2^24, for any number of timeouts")
{
    uint64_t longest_ns = UINT64_C(1024) << 24;

    EXPECT_EQ(retry_interval_ns(schedule(24, 0, 25), 1), longest_ns);
    EXPECT_EQ(retry_interval_ns(schedule(0, 0, 25), 23), longest_ns / 2);
    EXPECT_EQ(retry_interval_ns(schedule(0, 0, 25), 24), longest_ns);
    EXPECT_EQ(retry_interval_ns(schedule(0, 0, 25), 25), longest_ns);
    EXPECT_EQ(retry_interval_ns(schedule(14, 7, 25), 1000), longest_ns);
    EXPECT_EQ(retry_interval_ns(schedule(14, 7, 25), UINT32_MAX), longest_ns);
}

SPEC("§13: seven linear retries make eight transmissions, and failure after 8 T")
{
    uint32_t sent;

    EXPECT_EQ(time_to_failure_ns(schedule(14, 7, 0), &sent), 8 * UINT64_C(16777216));
    EXPECT_EQ(sent, 8);
}

SPEC("§13: three linear and five exponential retries last 66 T")
{
    uint32_t sent;

    EXPECT_EQ(time_to_failure_ns(schedule(14, 3, 5), &sent), 66 * UINT64_C(16777216));
    EXPECT_EQ(sent, 9);
}

SPEC("§13: the defaults, 14, 3 and 7, last 258 T")
{
    uint32_t sent;

    EXPECT_EQ(time_to_failure_ns(schedule(14, 3, 7), &sent), 258 * UINT64_C(16777216));
    EXPECT_EQ(sent, 11);
}

SPEC("§13: without any retries the first timeout is the last")
{
    EXPECT(retry_is_exhausted(schedule(14, 0, 0), 0));
}

SPEC("§13: 25 exponential retries are unlimited, 24 are not")
{
    EXPECT(!retry_is_exhausted(schedule(0, 7, 25), 31));
    EXPECT(!retry_is_exhausted(schedule(0, 7, 25), 32));
    EXPECT(!retry_is_exhausted(schedule(0, 7, 25), UINT32_MAX));
    EXPECT(!retry_is_exhausted(schedule(0, 7, 24), 30));
    EXPECT(retry_is_exhausted(schedule(0, 7, 24), 31));
}
