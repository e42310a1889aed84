/* SPDX-License-Identifier: Apache-2.0 */
/* The timers of a NIC, one per owner: a few are looked through, many stand in a timing wheel.
 *
 * The wheel's slots take 2.5 KiB whatever the number of owners, too much for each of the hundred
 * thousand NICs of a simulation that have two QPs. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/wheel.h"

#define DEADLINES_FEW  8 /* owners up to which all are looked through */
#define DEADLINES_NONE WHEEL_NONE

struct deadlines {
    struct wheel *wheel; /* NULL: few owners */
    uint64_t *few_ns;    /* [owner_count]; UINT64_MAX: not set */
    uint32_t owner_count;
};

static inline uint64_t deadlines_sooner_ns(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

void deadlines_init(struct deadlines *, struct arena *, uint32_t owner_count);

static inline uint64_t deadlines_of(const struct deadlines *deadlines, uint32_t owner)
{
    return deadlines->wheel ? wheel_deadline_of(deadlines->wheel, owner) : deadlines->few_ns[owner];
}

/* Sets, moves or (UINT64_MAX) clears the timer of `owner`. */
void deadlines_set(struct deadlines *, uint32_t owner, uint64_t deadline_ns);

/* The owner whose deadline comes first, among few. */
static inline uint32_t deadlines_earliest(const struct deadlines *deadlines)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i < deadlines->owner_count; i++)
        if (deadlines->few_ns[i] < deadlines->few_ns[first])
            first = i;
    return first;
}

/* By when deadlines_take() should be called, possibly too early; UINT64_MAX: no timer is set. */
static inline uint64_t deadlines_next_ns(const struct deadlines *deadlines)
{
    return deadlines->wheel ? wheel_next_ns(deadlines->wheel)
                            : deadlines->few_ns[deadlines_earliest(deadlines)];
}

/* An owner whose deadline is not after `now_ns`, its timer cleared; DEADLINES_NONE when there is
 * none left. */
uint32_t deadlines_take(struct deadlines *, uint64_t now_ns);
