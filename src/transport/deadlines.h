/* SPDX-License-Identifier: Apache-2.0 */
/* The timers of a NIC, one per owner: a few are searched linearly, many are kept in a timing wheel.
 *
 * The slots of the wheel take 2.5 KiB for any number of owners, which is too much for a simulation
 * of a hundred thousand NICs with two QPs each. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/wheel.h"

#define DEADLINES_FEW  8 /* largest number of owners that is searched linearly */
#define DEADLINES_NONE WHEEL_NONE

struct deadlines {
    struct wheel *wheel; /* NULL: few owners */
    uint64_t *few_ns;    /* [owner_count]; UINT64_MAX: not set */
    uint64_t first_ns;   /* the earliest of them: it is asked for after every packet */
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

/* Returns the time by which deadlines_take() must be called; it may be too early. UINT64_MAX: no
 * timer is set. */
static inline uint64_t deadlines_next_ns(const struct deadlines *deadlines)
{
    return deadlines->wheel ? wheel_next_ns(deadlines->wheel) : deadlines->first_ns;
}

/* Returns an owner whose deadline is not after `now_ns` and clears its timer. DEADLINES_NONE: there
 * is none. */
uint32_t deadlines_take(struct deadlines *, uint64_t now_ns);
