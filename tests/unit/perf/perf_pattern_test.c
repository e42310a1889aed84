/* SPDX-License-Identifier: Apache-2.0 */
/* Contents that mrc perf sends: each message differs, and what is wrong is counted. */
#include "perf/perf_pattern.h"

#include <string.h>

#include "spec.h"

enum { LENGTH = 100 };

static const struct perf_message message = { .seed = 1, .iteration = 5, .rank = 2, .qp = 3 };

SPEC("a pattern that was filled in is recognised, at any length")
{
    uint8_t bytes[LENGTH];

    for (uint64_t length = 0; length <= LENGTH; length++) {
        perf_pattern_fill(bytes, length, &message);
        EXPECT_EQ(perf_pattern_wrong(bytes, length, &message), 0);
    }
}

SPEC("each byte that differs counts once")
{
    uint8_t bytes[LENGTH];

    perf_pattern_fill(bytes, LENGTH, &message);
    bytes[0] ^= 1;
    bytes[50] ^= 0x80;
    bytes[LENGTH - 1] ^= 0xff;
    EXPECT_EQ(perf_pattern_wrong(bytes, LENGTH, &message), 3);
}

SPEC("a message of another iteration, rank or QP is not recognised")
{
    struct perf_message others[] = { message, message, message };
    uint8_t bytes[LENGTH];

    others[0].iteration++;
    others[1].rank++;
    others[2].qp++;
    perf_pattern_fill(bytes, LENGTH, &message);
    for (int i = 0; i < 3; i++)
        EXPECT_GT(perf_pattern_wrong(bytes, LENGTH, &others[i]), LENGTH / 2);
}

SPEC("a guard counts the bytes that were written into it")
{
    uint8_t guard[LENGTH];

    perf_pattern_guard(guard, LENGTH);
    EXPECT_EQ(perf_pattern_guard_wrong(guard, LENGTH), 0);
    guard[LENGTH / 2] ^= 1;
    EXPECT_EQ(perf_pattern_guard_wrong(guard, LENGTH), 1);
}

static void expect_exact_sum(enum perf_type type)
{
    struct perf_numbers numbers = { .seed = 9, .iteration = 4, .type = type };
    uint32_t sum[LENGTH];
    uint32_t one[LENGTH];

    perf_pattern_put(sum, &numbers, 0, 7, LENGTH);
    EXPECT_EQ(perf_pattern_not(sum, &numbers, 0, 7, LENGTH), 0);
    for (uint32_t rank = 1; rank < 8; rank++) {
        perf_pattern_put(one, &numbers, rank, 7, LENGTH);
        perf_pattern_add(sum, sum, one, LENGTH, type);
    }
    EXPECT_EQ(perf_pattern_not_sum(sum, &numbers, 8, 7, LENGTH), 0);
    EXPECT_GT(perf_pattern_not_sum(sum, &numbers, 7, 7, LENGTH), 0);
    memset(&sum[3], 0xff, sizeof(sum[3]));
    EXPECT_EQ(perf_pattern_not_sum(sum, &numbers, 8, 7, LENGTH), 1);
}

SPEC("the sum over all ranks is exact in integers")
{
    expect_exact_sum(PERF_UINT32);
}

SPEC("the sum over all ranks is exact in floating point")
{
    expect_exact_sum(PERF_FLOAT);
}
