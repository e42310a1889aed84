/* SPDX-License-Identifier: Apache-2.0 */
/* Exact deadlines of a fixed number of owners: a binary heap that knows where each owner is. An
 * owner is an index and has at most one deadline. At one time, the lowest owner comes first. */
#pragma once

#include <stdint.h>

#include "base/arena.h"

#define DEADLINE_HEAP_NEVER UINT64_MAX
#define DEADLINE_HEAP_NONE  UINT32_MAX

struct deadline_heap_node {
    uint64_t deadline;
    uint32_t owner;
};

struct deadline_heap {
    struct deadline_heap_node *nodes;
    uint32_t *places; /* of each owner in `nodes`; DEADLINE_HEAP_NONE: not in the heap */
    uint32_t count;
};

/* With an arena without memory, only measures. */
void deadline_heap_init(struct deadline_heap *, struct arena *, uint32_t owner_count);

/* Sets, moves or (DEADLINE_HEAP_NEVER) clears the deadline of an owner. */
void deadline_heap_set(struct deadline_heap *, uint32_t owner, uint64_t deadline);

/* Returns the deadline of an owner; DEADLINE_HEAP_NEVER: it has none. */
static inline uint64_t deadline_heap_of(const struct deadline_heap *heap, uint32_t owner)
{
    uint32_t place = heap->places[owner];

    return place == DEADLINE_HEAP_NONE ? DEADLINE_HEAP_NEVER : heap->nodes[place].deadline;
}

/* Returns the owner with the earliest deadline; DEADLINE_HEAP_NONE: there is none. */
static inline uint32_t deadline_heap_first(const struct deadline_heap *heap)
{
    return heap->count > 0 ? heap->nodes[0].owner : DEADLINE_HEAP_NONE;
}

/* Returns the earliest deadline; DEADLINE_HEAP_NEVER: there is none. */
static inline uint64_t deadline_heap_next(const struct deadline_heap *heap)
{
    return heap->count > 0 ? heap->nodes[0].deadline : DEADLINE_HEAP_NEVER;
}
