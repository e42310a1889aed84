/* SPDX-License-Identifier: Apache-2.0 */
/* Bitmaps in 64-bit words. */
#include "spec.h"

#include "base/bits.h"
#include "base/prng.h"

SPEC("bits are set and cleared one by one")
{
    uint64_t words[2] = { 0 };

    bits_set(words, 0);
    bits_set(words, 63);
    bits_set(words, 64);
    EXPECT_EQ(words[0], UINT64_C(0x8000000000000001));
    EXPECT_EQ(words[1], 1);
    bits_clear(words, 63);
    EXPECT(!bits_test(words, 63));
    EXPECT(bits_test(words, 0));
    EXPECT(bits_test(words, 64));
    EXPECT(!bits_test(words, 127));
}

SPEC("a bitmap has as many words as its bits need")
{
    EXPECT_EQ(BITS_WORDS(0), 0);
    EXPECT_EQ(BITS_WORDS(1), 1);
    EXPECT_EQ(BITS_WORDS(64), 1);
    EXPECT_EQ(BITS_WORDS(65), 2);
}

SPEC("the lowest bit and the number of set bits of a word are found")
{
    EXPECT_EQ(bits_lowest(UINT64_C(1) << 63), 63);
    EXPECT_EQ(bits_lowest(0x76), 1);
    EXPECT_EQ(bits_count(0x76), 5);
    EXPECT_EQ(bits_count(UINT64_MAX), 64);
    EXPECT_EQ(bits_count(0), 0);
}

SPEC("the next set bit is at or after the start, and bit_count when there is none")
{
    uint64_t words[3] = { UINT64_C(1) << 5, 0, 1 };

    EXPECT_EQ(bits_next_set(words, 192, 0), 5);
    EXPECT_EQ(bits_next_set(words, 192, 5), 5);
    EXPECT_EQ(bits_next_set(words, 192, 6), 128);
    EXPECT_EQ(bits_next_set(words, 192, 129), 192);
    EXPECT_EQ(bits_next_set(words, 192, 500), 192);
}

SPEC("bits beyond the end of a partly used word are not found")
{
    uint64_t words[2] = { 0, UINT64_C(0xfffffffffffffff0) };

    EXPECT_EQ(bits_next_set(words, 68, 0), 68);
    EXPECT_EQ(bits_next_set(words, 69, 0), 68);
}

SPEC("a window goes around the end of a circular bitmap")
{
    uint64_t words[2] = { 0xf, UINT64_C(0xa) << 60 };

    EXPECT_EQ(bits_window(words, 128, 0), 0xf);
    EXPECT_EQ(bits_window(words, 128, 64), UINT64_C(0xa) << 60);
    EXPECT_EQ(bits_window(words, 128, 124), 0xfa);
}

SPEC("a circular bitmap of one word follows itself")
{
    uint64_t word = UINT64_C(0x8000000000000001);

    EXPECT_EQ(bits_window(&word, 64, 63), 3);
}

PROPERTY("searching and windows agree with testing bit by bit", 500)
{
    struct prng prng = prng_stream(seed, 0);
    uint64_t words[4];
    uint32_t from = prng_below(&prng, 256);
    uint32_t next = from;

    for (uint32_t i = 0; i < 4; i++)
        words[i] = prng_next(&prng) & prng_next(&prng) & prng_next(&prng);
    while (next < 256 && !bits_test(words, next))
        next++;
    EXPECT_EQ(bits_next_set(words, 256, from), next);
    for (uint32_t i = 0; i < 64; i++)
        EXPECT_EQ(bits_window(words, 256, from) >> i & 1, bits_test(words, (from + i) % 256));
}

PROPERTY("setting and clearing in a window agree with doing so bit by bit", 500)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t first = prng_below(&prng, 256);
    uint64_t set = prng_next(&prng);
    uint64_t cleared = prng_next(&prng);
    uint64_t words[4];
    uint64_t expected[4];

    for (uint32_t i = 0; i < 4; i++)
        words[i] = expected[i] = prng_next(&prng);
    bits_window_set(words, 256, first, set);
    bits_window_clear(words, 256, first, cleared);
    for (uint32_t i = 0; i < 64; i++) {
        if (set >> i & 1)
            bits_set(expected, (first + i) % 256);
        if (cleared >> i & 1)
            bits_clear(expected, (first + i) % 256);
    }
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(words[i], expected[i]);
}

SPEC("a run is the number of consecutive set bits from a bit on, within its word")
{
    EXPECT_EQ(bits_run(0x73, 0), 0x3);
    EXPECT_EQ(bits_run(0x73, 1), 0x2);
    EXPECT_EQ(bits_run(0x73, 2), 0);
    EXPECT_EQ(bits_run(0x73, 5), 0x60);
    EXPECT_EQ(bits_run(UINT64_MAX, 0), UINT64_MAX);
    EXPECT_EQ(bits_run(UINT64_MAX, 63), UINT64_C(1) << 63);
    EXPECT_EQ(bits_run(0, 17), 0);
}

SPEC("the highest bit set is found at either end of the word")
{
    EXPECT_EQ(bits_highest(1), 0);
    EXPECT_EQ(bits_highest(0x73), 6);
    EXPECT_EQ(bits_highest(UINT64_MAX), 63);
}
