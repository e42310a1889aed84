/* SPDX-License-Identifier: Apache-2.0 */
/* Verifiable contents: bytes, numbers to add, and guards around them. */
#pragma once

#include <stdint.h>

#include "perf/perf_settings.h"

/* The bytes of one message. */
struct perf_message {
    uint64_t seed;
    uint64_t iteration;
    uint32_t rank;
    uint32_t qp;
};
void perf_pattern_fill(uint8_t *, uint64_t length, const struct perf_message *);
/* Returns the number of bytes that differ. */
uint64_t perf_pattern_wrong(const uint8_t *, uint64_t length, const struct perf_message *);

/* Fills memory that must not be written. */
void perf_pattern_guard(uint8_t *, uint64_t length);
uint64_t perf_pattern_guard_wrong(const uint8_t *, uint64_t length);

/* Numbers of 4 bytes whose sums over all ranks are exact: element `index` of `rank`. */
struct perf_numbers {
    uint64_t seed;
    uint64_t iteration;
    enum perf_type type;
};
void perf_pattern_put(
    void *to, const struct perf_numbers *, uint32_t rank, uint64_t first, uint64_t count);
/* Return the number of elements that differ from those of the rank, or from the sum over ranks 0 to
 * rank_count - 1. */
uint64_t perf_pattern_not(
    const void *, const struct perf_numbers *, uint32_t rank, uint64_t first, uint64_t count);
uint64_t perf_pattern_not_sum(
    const void *, const struct perf_numbers *, uint32_t rank_count, uint64_t first, uint64_t count);

/* to = left + right */
void perf_pattern_add(
    void *to, const void *left, const void *right, uint64_t count, enum perf_type);
