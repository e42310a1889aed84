/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory as tests observe it, and the pattern they fill it with. */
#include "region.h"

#include <string.h>

#include "base/prng.h"
#include "pattern.h"
#include "spec.h"

#define KEY UINT64_C(0x1234567890abcdef)
#define VA  UINT64_C(0x7000)

enum { RKEY = 77 };

static struct payload bytes_of_message(uint8_t *bytes, uint32_t offset, uint32_t length)
{
    pattern_fill(bytes, KEY, offset, length);
    return (struct payload){ .bytes = bytes, .length = length };
}

PROPERTY("a pattern is the same whether it is made at once or in pieces", 100)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t offset = prng_below(&prng, 100);
    uint32_t first = prng_below(&prng, 100);
    uint32_t second = prng_below(&prng, 100);
    uint8_t whole[200];
    uint8_t pieces[200];

    pattern_fill(whole, seed, offset, first + second);
    pattern_fill(pieces, seed, offset, first);
    pattern_fill(pieces + first, seed, offset + first, second);
    EXPECT_MEM_EQ(whole, pieces, first + second);
    EXPECT(pattern_matches(whole, seed, offset, first + second));
}

SPEC("one wrong byte anywhere is found")
{
    uint8_t bytes[3000];

    pattern_fill(bytes, KEY, 5, sizeof(bytes));
    for (uint32_t i = 0; i < sizeof(bytes); i += 7) {
        bytes[i] ^= 1;
        EXPECT(!pattern_matches(bytes, KEY, 5, sizeof(bytes)));
        bytes[i] ^= 1;
    }
    EXPECT(!pattern_matches(bytes, KEY + 1, 5, sizeof(bytes)));
    EXPECT(!pattern_matches(bytes, KEY, 6, sizeof(bytes)));
}

SPEC("a message is complete when each byte was placed exactly once, in any order")
{
    struct region region;
    uint8_t bytes[64];
    struct payload payload;

    region_init(&region, RKEY, VA, true);
    region_grow(&region, 1000);
    region_expect(&region, 100, 90);
    payload = bytes_of_message(bytes, 64, 26);
    EXPECT_EQ(region_place(&region, RKEY, VA + 164, &payload), REGION_PLACED);
    EXPECT(!region_is_complete(&region, 100, 90));
    payload = bytes_of_message(bytes, 0, 64);
    EXPECT_EQ(region_place(&region, RKEY, VA + 100, &payload), REGION_PLACED);
    EXPECT(region_is_complete(&region, 100, 90));
    EXPECT(region_matches(&region, 100, 90, KEY));
    EXPECT(!region_matches(&region, 100, 90, KEY + 1));
    EXPECT(!region_is_complete(&region, 99, 90));
    region_fini(&region);
}

SPEC("a byte that is placed twice is detected, until the range is reused")
{
    struct region region;
    uint8_t bytes[64];
    struct payload payload = bytes_of_message(bytes, 0, 64);

    region_init(&region, RKEY, VA, true);
    region_grow(&region, 1000);
    region_place(&region, RKEY, VA, &payload);
    payload.length = 1;
    EXPECT_EQ(region_place(&region, RKEY, VA + 63, &payload), REGION_PLACED_TWICE);
    EXPECT(!region_is_complete(&region, 0, 64));
    region_expect(&region, 0, 64);
    payload.length = 64;
    EXPECT_EQ(region_place(&region, RKEY, VA, &payload), REGION_PLACED);
    region_fini(&region);
}

SPEC("a wrong key and a range not wholly inside are refused, and nothing is placed")
{
    struct region region;
    uint8_t bytes[64];
    struct payload payload = bytes_of_message(bytes, 0, 64);

    region_init(&region, RKEY, VA, true);
    region_grow(&region, 1);
    EXPECT_EQ(region_place(&region, RKEY + 1, VA, &payload), REGION_REFUSED);
    EXPECT_EQ(region_place(&region, RKEY, VA - 1, &payload), REGION_REFUSED);
    EXPECT_EQ(region_place(&region, RKEY, VA + region.size_bytes - 63, &payload), REGION_REFUSED);
    EXPECT_EQ(region_place(&region, RKEY, UINT64_MAX, &payload), REGION_REFUSED);
    EXPECT_EQ(region_place(&region, RKEY, VA + region.size_bytes - 64, &payload), REGION_PLACED);
    EXPECT(region_is_intact(&region));
    region.memory[region.size_bytes] ^= 1;
    EXPECT(!region_is_intact(&region));
    region_fini(&region);
}

SPEC("a region that grows keeps its contents")
{
    struct region region;
    uint8_t bytes[64];
    struct payload payload = bytes_of_message(bytes, 0, 64);

    region_init(&region, RKEY, VA, true);
    region_grow(&region, 100);
    region_place(&region, RKEY, VA, &payload);
    region_grow(&region, 1000000);
    EXPECT_GE(region.size_bytes, 1000000);
    EXPECT(region_is_complete(&region, 0, 64));
    EXPECT(region_matches(&region, 0, 64, KEY));
    EXPECT(region_is_intact(&region));
    region_fini(&region);
}

SPEC("placements are counted also without bytes")
{
    struct region region;
    struct payload payload = { .bytes = NULL, .length = 256 };

    region_init(&region, RKEY, VA, false);
    region_grow(&region, 100000);
    region_expect(&region, 640, 300);
    EXPECT_EQ(region_place(&region, RKEY, VA + 640, &payload), REGION_PLACED);
    EXPECT(!region_is_complete(&region, 640, 300));
    payload.length = 44;
    EXPECT_EQ(region_place(&region, RKEY, VA + 896, &payload), REGION_PLACED);
    EXPECT(region_is_complete(&region, 640, 300));
    EXPECT_EQ(region_place(&region, RKEY, VA + 896, &payload), REGION_PLACED_TWICE);
    region_fini(&region);
}
