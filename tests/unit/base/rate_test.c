/* SPDX-License-Identifier: Apache-2.0 */
/* A limit on how often something happens. */
#include "spec.h"

#include "base/prng.h"
#include "base/rate.h"

/* How many are allowed at this moment. */
static uint32_t allowed(struct rate *rate, uint64_t gap_ns, uint32_t burst, uint64_t now_ns)
{
    uint32_t count = 0;

    while (count < 1000 && rate_allows(rate, gap_ns, burst, now_ns))
        count++;
    return count;
}

SPEC("after a pause a burst is allowed at once, then one event per gap")
{
    struct rate rate = { 0 };

    EXPECT_EQ(allowed(&rate, 100, 3, 5000), 3);
    EXPECT_EQ(allowed(&rate, 100, 3, 5099), 0);
    EXPECT_EQ(allowed(&rate, 100, 3, 5100), 1);
    EXPECT_EQ(allowed(&rate, 100, 3, 5100), 0);
    EXPECT_EQ(allowed(&rate, 100, 3, 5350), 2);
    EXPECT_EQ(allowed(&rate, 100, 3, 1000000), 3);
}

SPEC("with a burst of one, one event per gap is allowed")
{
    struct rate rate = { 0 };

    EXPECT_EQ(allowed(&rate, 100, 1, 100), 1);
    EXPECT_EQ(allowed(&rate, 100, 1, 199), 0);
    EXPECT_EQ(allowed(&rate, 100, 1, 200), 1);
}

SPEC("with a gap of 0 the rate is not limited")
{
    struct rate rate = { 0 };

    EXPECT_EQ(allowed(&rate, 0, 1, 100), 1000);
}

SPEC("a refused event does not use up the allowance")
{
    struct rate rate = { 0 };

    EXPECT_EQ(allowed(&rate, 100, 1, 100), 1);
    for (uint64_t now_ns = 101; now_ns < 200; now_ns++)
        EXPECT(!rate_allows(&rate, 100, 1, now_ns));
    EXPECT(rate_allows(&rate, 100, 1, 200));
}

PROPERTY("in any interval at most its gaps and one burst are allowed", 200)
{
    struct prng prng = prng_stream(seed, 0);
    struct rate rate = { 0 };
    uint64_t times_ns[200];
    uint64_t gap_ns = 1 + prng_below(&prng, 100);
    uint32_t burst = 1 + prng_below(&prng, 10);
    uint64_t now_ns = prng_next(&prng) >> 8;
    uint32_t count = 0;

    while (count < 200) {
        now_ns += prng_below(&prng, 60);
        if (rate_allows(&rate, gap_ns, burst, now_ns))
            times_ns[count++] = now_ns;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i; k < count; k++)
            EXPECT_LE(k - i + 1, (times_ns[k] - times_ns[i]) / gap_ns + burst);
}
