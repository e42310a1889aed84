/* SPDX-License-Identifier: Apache-2.0 */
/* Saying what is wrong with a configuration. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Which part of a configuration is wrong, and why. */
struct problem {
    const char *section; /* "workloads", "faults", "generators", "parameters" */
    uint32_t index;
    const char *member; /* as in an experiment file */
    char reason[160];
};

/* The numbers that the gaps (%) of a reason stand for, in their order. */
struct problem_numbers {
    uint64_t first;
    uint64_t second;
    uint64_t third;
};

/* Fills in member and reason (cut off where it is full); returns false, so that a check ends with
 * it. */
bool problem_is(struct problem *, const char *member, const char *words, struct problem_numbers);
