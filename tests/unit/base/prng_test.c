/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded pseudo-random numbers. */
#include "spec.h"

#include "base/prng.h"

/* The first outputs of splitmix64, as its author's reference program prints them. */
SPEC("the generator is splitmix64")
{
    struct prng from_zero = { .state = 0 };
    struct prng from_other = { .state = 1234567 };

    EXPECT_EQ(prng_next(&from_zero), UINT64_C(0xe220a8397b1dcdaf));
    EXPECT_EQ(prng_next(&from_zero), UINT64_C(0x6e789e6aa1b965f4));
    EXPECT_EQ(prng_next(&from_zero), UINT64_C(0x06c45d188009454f));
    EXPECT_EQ(prng_next(&from_other), UINT64_C(6457827717110365317));
    EXPECT_EQ(prng_next(&from_other), UINT64_C(3203168211198807973));
}

SPEC("the same seed and entity give the same stream, and others give other streams")
{
    struct prng first = prng_stream(7, 1);
    struct prng same = prng_stream(7, 1);
    struct prng other_entity = prng_stream(7, 2);
    struct prng other_seed = prng_stream(8, 1);
    uint64_t value = prng_next(&first);

    EXPECT_EQ(prng_next(&same), value);
    EXPECT_NE(prng_next(&other_entity), value);
    EXPECT_NE(prng_next(&other_seed), value);
}

SPEC("the streams of neighbouring entities are not shifted copies of each other")
{
    struct prng ahead = prng_stream(1, 0);
    struct prng neighbour = prng_stream(1, 1);
    uint64_t value = prng_next(&neighbour);

    for (uint32_t i = 0; i < 1000; i++)
        EXPECT_NE(prng_next(&ahead), value);
}

PROPERTY("a bounded number stays below its bound, and each value comes about equally often", 20)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t counts[10] = { 0 };

    for (uint32_t i = 0; i < 10000; i++)
        counts[prng_below(&prng, 10)]++;
    for (uint32_t i = 0; i < 10; i++) {
        EXPECT_GT(counts[i], 800);
        EXPECT_LT(counts[i], 1200);
    }
}

SPEC("a bound of one leaves only zero, and the largest bound all of 32 bits")
{
    struct prng prng = prng_stream(3, 0);
    uint32_t all = 0;

    for (uint32_t i = 0; i < 100; i++) {
        EXPECT_EQ(prng_below(&prng, 1), 0);
        all |= prng_below(&prng, UINT32_MAX);
    }
    EXPECT_EQ(all, UINT32_MAX);
}

SPEC("an event of probability 0 never occurs, and one of a quarter in a quarter of the cases")
{
    struct prng prng = prng_stream(5, 0);
    uint32_t hits = 0;

    for (uint32_t i = 0; i < 10000; i++) {
        EXPECT(!prng_chance(&prng, 0));
        hits += prng_chance(&prng, UINT32_C(1) << 30);
    }
    EXPECT_GT(hits, 2300);
    EXPECT_LT(hits, 2700);
}
