/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions counted by callgrind, in a copy of this program that does one piece of work. */
#pragma once

#include <stdint.h>

/* Instructions depend on it: budgets are meant for gcc's -O2. */
#if defined(__clang__) || !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) ||               \
    defined(__SANITIZE_THREAD__)
#define CALLGRIND_BUILT_WITH "something else"
#else
#define CALLGRIND_BUILT_WITH "gcc, optimised"
#endif

struct callgrind_run {
    const char *const *counted; /* functions, callees included, that do not call each other */
    const char *zero_before;    /* what ran before this function is entered does not count; NULL */
    const char *const *arguments; /* of this program */
    uint32_t cache_bytes;         /* of a last-level cache of 8 ways to simulate; 0: none */
};

/* Both lists end with NULL. 0: it could not be counted. */
uint64_t callgrind_instructions(const struct callgrind_run *);

struct callgrind_counts {
    uint64_t instructions;
    uint64_t cache_misses; /* of data, if a cache is simulated */
};

/* All 0: it could not be counted. */
struct callgrind_counts callgrind_count(const struct callgrind_run *);
