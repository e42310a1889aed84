/* SPDX-License-Identifier: Apache-2.0 */
/* The test harness, as far as it can be seen from inside; tests/tools/harness.sh looks from
 * outside. */
#include "spec.h"

#include <stdbool.h>

SPEC("integers of different types and signs compare by value")
{
    enum colour { RED = 3 } colour = RED;

    EXPECT_EQ((uint8_t)200, 200);
    EXPECT_EQ(colour, 3u);
    EXPECT_EQ(true, 1);
    EXPECT_NE(-1, SIZE_MAX);
    EXPECT_NE(-1, UINT32_MAX);
    EXPECT_LT(INT64_MIN, UINT64_MAX);
    EXPECT_GT(UINT64_MAX, INT64_MAX);
    EXPECT_LE((size_t)7, 7);
    EXPECT_GE('a', 97);
}

SPEC("an argument of an expectation is evaluated once")
{
    int calls = 0;

    EXPECT_EQ(++calls, 1);
    EXPECT(++calls == 2);
    EXPECT_EQ(calls, 2);
}

SPEC("strings and memory compare by content")
{
    char text[] = "plane";

    EXPECT_STR_EQ(text, "plane");
    EXPECT_MEM_EQ(text, "plant", 4);
}

PROPERTY("a property runs with a new seed each time", 100)
{
    static uint64_t seed_before;

    EXPECT_NE(seed, seed_before);
    seed_before = seed;
}
