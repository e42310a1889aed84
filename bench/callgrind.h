/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions counted by callgrind, in a copy of this program that does one piece of work. */
#pragma once

#include <stdint.h>

/* The number of instructions depends on the compiler: budgets are for -O2 of gcc. */
#if defined(__clang__) || !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) ||               \
    defined(__SANITIZE_THREAD__)
#define CALLGRIND_BUILT_WITH "something else"
#else
#define CALLGRIND_BUILT_WITH "gcc, optimised"
#endif

struct callgrind_run {
    const char *const *counted; /* functions, with their callees, that do not call each other */
    const char *zero_before; /* counting begins when this function is entered; NULL: at the start */
    const char *const *arguments; /* of this program */
    uint32_t cache_bytes;         /* simulated last-level cache with 8 ways; 0: none */
};

/* Both lists end with NULL. Returns 0 if counting failed. */
uint64_t callgrind_instructions(const struct callgrind_run *);

struct callgrind_counts {
    uint64_t instructions;
    uint64_t cache_misses; /* of data, if a cache is simulated */
};

/* Returns all 0 if counting failed. */
struct callgrind_counts callgrind_count(const struct callgrind_run *);
