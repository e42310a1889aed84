/* SPDX-License-Identifier: Apache-2.0 */
/* A hierarchical timing wheel: timers of many owners, with operations in constant time for any
 * number of them.
 *
 * An owner is an index and has at most one timer. A tick is 256 ns. A slot of level k spans 64^k
 * ticks, and ten levels of 64 slots span all of time, so no timer is too far away. */
#pragma once

#include <stdint.h>

#include "base/arena.h"

#define WHEEL_LEVELS 10
#define WHEEL_SLOTS  64
#define WHEEL_NONE   UINT32_MAX

struct wheel_node {
    uint64_t deadline_ns; /* UINT64_MAX: not set */
    uint32_t next;
    uint32_t previous; /* WHEEL_NONE: first of its slot */
    uint16_t slot;     /* level * WHEEL_SLOTS + slot */
};

struct wheel {
    uint64_t tick; /* all timers due up to it have been taken */
    struct wheel_node *nodes;
    uint64_t occupied[WHEEL_LEVELS]; /* bit s: slot s is not empty */
    uint32_t first[WHEEL_LEVELS * WHEEL_SLOTS];
};

void wheel_init(struct wheel *, struct arena *, uint32_t owner_count);

/* Sets, moves or (UINT64_MAX) clears the timer of `owner`. */
void wheel_set(struct wheel *, uint32_t owner, uint64_t deadline_ns);

static inline uint64_t wheel_deadline_of(const struct wheel *wheel, uint32_t owner)
{
    return wheel->nodes[owner].deadline_ns;
}

/* Returns a time by which wheel_take() should be called: at most one tick after the earliest
 * deadline, possibly before it. UINT64_MAX: no timer is set. */
uint64_t wheel_next_ns(const struct wheel *);

/* Returns the owner that wheel_take() returns after the next one, if both are due in the current
 * tick; otherwise WHEEL_NONE. Lets a caller fetch what it will need. */
static inline uint32_t wheel_after_next(const struct wheel *wheel)
{
    uint32_t next = wheel->first[wheel->tick % WHEEL_SLOTS];

    return next == WHEEL_NONE ? WHEEL_NONE : wheel->nodes[next].next;
}

/* Returns an owner whose deadline is not after `now_ns` and clears its timer. WHEEL_NONE: there is
 * none. */
uint32_t wheel_take(struct wheel *, uint64_t now_ns);
