/* SPDX-License-Identifier: Apache-2.0 */
/* Contents that can be recognised: bytes, numbers to add up, and what stands around them. */
#pragma once

#include <stdint.h>

#include "perf/perf_settings.h"

/* Bytes that belong to one message. */
struct perf_message {
    uint64_t seed;
    uint64_t iteration;
    uint32_t rank;
    uint32_t qp;
};
void perf_pattern_fill(uint8_t *, uint64_t length, const struct perf_message *);
/* How many bytes differ. */
uint64_t perf_pattern_wrong(const uint8_t *, uint64_t length, const struct perf_message *);

/* What stands where nothing may be written. */
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
/* How many elements are not those of the rank; of the sum over ranks 0 to rank_count - 1. */
uint64_t perf_pattern_not(
    const void *, const struct perf_numbers *, uint32_t rank, uint64_t first, uint64_t count);
uint64_t perf_pattern_not_sum(
    const void *, const struct perf_numbers *, uint32_t rank_count, uint64_t first, uint64_t count);

/* to = left + right */
void perf_pattern_add(
    void *to, const void *left, const void *right, uint64_t count, enum perf_type);
