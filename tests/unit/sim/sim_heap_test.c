/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/heap.h"

#include <stdlib.h>

#include "base/prng.h"
#include "spec.h"

enum {
    NODES = 9,
    PACKETS = 300,
};

struct fixture {
    struct heap *heap;
    void *memory;
};

static struct fixture open_fixture(void)
{
    struct fixture f;
    struct arena arena;

    arena_init(&arena, NULL, 0);
    heap_init(&arena, NODES, PACKETS);
    f.memory = aligned_alloc(64, (arena.used_bytes + 63) / 64 * 64);
    arena_init(&arena, f.memory, arena.used_bytes);
    f.heap = heap_init(&arena, NODES, PACKETS);
    return f;
}

SPEC("an empty heap has no event")
{
    struct fixture f = open_fixture();
    struct heap_event event;

    EXPECT(!heap_pop(f.heap, UINT64_MAX, &event));
    EXPECT_EQ(heap_next_ps(f.heap), UINT64_MAX);
    free(f.memory);
}

SPEC("at one time a node receives, port by port, before it runs")
{
    struct fixture f = open_fixture();
    const uint32_t orders[] = { 1, 4, HEAP_WAKE };
    struct heap_event event;

    heap_wake(f.heap, 2, 50);
    heap_post(f.heap, 2, 4, 50, (struct port_entry){ .handle = 4 });
    heap_post(f.heap, 2, 1, 50, (struct port_entry){ .handle = 1 });
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT(heap_pop(f.heap, UINT64_MAX, &event));
        EXPECT_EQ(event.order, orders[i]);
    }
    free(f.memory);
}

SPEC("a node is woken at the earliest time it asked for, once")
{
    struct fixture f = open_fixture();
    struct heap_event event;

    heap_wake(f.heap, 3, 80);
    heap_wake(f.heap, 3, 60);
    heap_wake(f.heap, 3, 70);
    EXPECT(!heap_pop(f.heap, 60, &event));
    EXPECT(heap_pop(f.heap, 61, &event));
    EXPECT_EQ(event.time_ps, 60);
    EXPECT(!heap_pop(f.heap, UINT64_MAX, &event));
    free(f.memory);
}

PROPERTY("events come in order of time, then node", 100)
{
    struct fixture f = open_fixture();
    struct prng prng = prng_stream(seed, 0);
    struct heap_event event;
    struct heap_event last = { 0 };

    for (uint32_t i = 0; i < PACKETS; i++)
        heap_post(f.heap, prng_below(&prng, NODES), i, prng_below(&prng, 40),
            (struct port_entry){ .handle = i });
    for (uint32_t i = 0; i < PACKETS; i++) {
        EXPECT(heap_pop(f.heap, UINT64_MAX, &event));
        EXPECT(last.time_ps < event.time_ps ||
               (last.time_ps == event.time_ps && last.node <= event.node));
        last = event;
    }
    EXPECT(!heap_pop(f.heap, UINT64_MAX, &event));
    free(f.memory);
}
