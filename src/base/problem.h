/* SPDX-License-Identifier: Apache-2.0 */
/* Errors in a configuration. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The part of a configuration that is wrong, and the reason. */
struct problem {
    const char *section; /* "workloads", "faults", "generators", "parameters" */
    uint32_t index;
    const char *member; /* as in an experiment file */
    char reason[160];
};

/* The numbers that replace the % signs of a reason, in order. */
struct problem_numbers {
    uint64_t first;
    uint64_t second;
    uint64_t third;
};

/* Fills in member and reason (truncated if too long). Returns false, so that a check can return its
 * result. */
bool problem_is(struct problem *, const char *member, const char *words, struct problem_numbers);

struct problem_limit {
    const char *member;
    uint64_t number;
    uint64_t least;
    uint64_t most;
};

/* Returns false, with the first member that is out of its range. */
bool problem_limits(struct problem *, const struct problem_limit *, uint32_t count);
