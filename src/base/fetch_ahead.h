/* SPDX-License-Identifier: Apache-2.0 */
/* Prefetches cache lines that are about to be read or written. The loops are unrolled by hand,
 * because a loop over single lines takes four instructions for each of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    FETCH_AHEAD_LINE = 64,
    FETCH_AHEAD_STEP = 4 * FETCH_AHEAD_LINE,
};

/* A line that is prefetched for reading must be requested again when it is written; on x86,
 * compilers turn __builtin_prefetch() into such a prefetch unless newer instructions are
 * enabled. */
static inline void fetch_ahead_line_to_write(const uint8_t *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* Prefetches the lines of `length_bytes` from `first` on, for exclusive use by this processor. */
static inline void fetch_ahead_to_write(const uint8_t *first, size_t length_bytes)
{
    size_t at = 0;

    for (; length_bytes - at >= FETCH_AHEAD_STEP; at += FETCH_AHEAD_STEP) {
        fetch_ahead_line_to_write(first + at);
        fetch_ahead_line_to_write(first + at + FETCH_AHEAD_LINE);
        fetch_ahead_line_to_write(first + at + (size_t)2 * FETCH_AHEAD_LINE);
        fetch_ahead_line_to_write(first + at + (size_t)3 * FETCH_AHEAD_LINE);
    }
    for (; at < length_bytes; at += FETCH_AHEAD_LINE)
        fetch_ahead_line_to_write(first + at);
}

/* Prefetches the lines of `length_bytes` from `first` on. */
static inline void fetch_ahead_to_read(const uint8_t *first, size_t length_bytes)
{
    size_t at = 0;

    for (; length_bytes - at >= FETCH_AHEAD_STEP; at += FETCH_AHEAD_STEP) {
        __builtin_prefetch(first + at);
        __builtin_prefetch(first + at + FETCH_AHEAD_LINE);
        __builtin_prefetch(first + at + (size_t)2 * FETCH_AHEAD_LINE);
        __builtin_prefetch(first + at + (size_t)3 * FETCH_AHEAD_LINE);
    }
    for (; at < length_bytes; at += FETCH_AHEAD_LINE)
        __builtin_prefetch(first + at);
}
