/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of two. */
#include "spec.h"

#include "base/power.h"
#include "base/prng.h"

SPEC("a power of two is its own next one, and anything else is rounded up")
{
    EXPECT_EQ(power_of_two_at_least(0), 1);
    EXPECT_EQ(power_of_two_at_least(1), 1);
    EXPECT_EQ(power_of_two_at_least(2), 2);
    EXPECT_EQ(power_of_two_at_least(3), 4);
    EXPECT_EQ(power_of_two_at_least(1024), 1024);
    EXPECT_EQ(power_of_two_at_least(1025), 2048);
    EXPECT_EQ(power_of_two_at_least(UINT32_C(1) << 31), UINT32_C(1) << 31);
}

PROPERTY("the result is a power of two, not below the count and less than twice it", 1000)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t count = 1 + (uint32_t)(prng_next(&prng) >> (33 + prng_below(&prng, 31)));
    uint32_t power = power_of_two_at_least(count);

    EXPECT_EQ(power & (power - 1), 0);
    EXPECT_GE(power, count);
    EXPECT_LT(power, 2 * (uint64_t)count);
}
