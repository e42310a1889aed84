/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines of many owners. */
#include "spec.h"

#include "base/deadline_heap.h"
#include "base/prng.h"

enum { OWNERS = 40 };

static uint64_t memory[OWNERS * 3];

static void open_heap(struct deadline_heap *heap)
{
    struct arena arena;

    arena_init(&arena, memory, sizeof(memory));
    deadline_heap_init(heap, &arena, OWNERS);
}

SPEC("an empty heap has no deadline")
{
    struct deadline_heap heap;

    open_heap(&heap);
    EXPECT_EQ(deadline_heap_next(&heap), DEADLINE_HEAP_NEVER);
    EXPECT_EQ(deadline_heap_first(&heap), DEADLINE_HEAP_NONE);
}

/* Returns the owner with the earliest deadline, the lowest of several. */
static uint32_t first_of(const uint64_t *deadlines)
{
    uint32_t first = DEADLINE_HEAP_NONE;
    uint64_t earliest = DEADLINE_HEAP_NEVER;

    for (uint32_t i = 0; i < OWNERS; i++)
        if (deadlines[i] < earliest) {
            earliest = deadlines[i];
            first = i;
        }
    return first;
}

PROPERTY("the first owner is that of the earliest deadline, after any changes", 50)
{
    struct prng prng = prng_stream(seed, 0);
    uint64_t expected[OWNERS];
    struct deadline_heap heap;

    open_heap(&heap);
    for (uint32_t i = 0; i < OWNERS; i++)
        expected[i] = DEADLINE_HEAP_NEVER;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t owner = prng_below(&prng, OWNERS);

        expected[owner] = prng_below(&prng, 3) ? prng_below(&prng, 100) : DEADLINE_HEAP_NEVER;
        deadline_heap_set(&heap, owner, expected[owner]);
        EXPECT_EQ(deadline_heap_first(&heap), first_of(expected));
        EXPECT_EQ(deadline_heap_next(&heap),
            heap.count > 0 ? expected[first_of(expected)] : DEADLINE_HEAP_NEVER);
    }
}
