/* SPDX-License-Identifier: Apache-2.0 */
/* Moves owners up and down the heap. */
#include "base/deadline_heap.h"

#include <stdbool.h>

void deadline_heap_init(struct deadline_heap *heap, struct arena *arena, uint32_t owner_count)
{
    *heap = (struct deadline_heap){
        .deadlines = arena_take(arena, owner_count, sizeof(uint64_t), sizeof(uint64_t)),
        .places = arena_take(arena, owner_count, sizeof(uint32_t), sizeof(uint32_t)),
        .owners = arena_take(arena, owner_count, sizeof(uint32_t), sizeof(uint32_t)),
    };
    for (uint32_t i = 0; heap->deadlines && i < owner_count; i++)
        heap->deadlines[i] = DEADLINE_HEAP_NEVER;
}

static bool is_before(const struct deadline_heap *heap, uint32_t a, uint32_t b)
{
    if (heap->deadlines[a] != heap->deadlines[b])
        return heap->deadlines[a] < heap->deadlines[b];
    return a < b;
}

static void put_owner(struct deadline_heap *heap, uint32_t place, uint32_t owner)
{
    heap->owners[place] = owner;
    heap->places[owner] = place;
}

static void move_up(struct deadline_heap *heap, uint32_t place, uint32_t owner)
{
    while (place > 0) {
        uint32_t above = (place - 1) / 2;

        if (!is_before(heap, owner, heap->owners[above]))
            break;
        put_owner(heap, place, heap->owners[above]);
        place = above;
    }
    put_owner(heap, place, owner);
}

static void move_down(struct deadline_heap *heap, uint32_t place, uint32_t owner)
{
    for (;;) {
        uint32_t below = 2 * place + 1;

        if (below >= heap->count)
            break;
        if (below + 1 < heap->count &&
            is_before(heap, heap->owners[below + 1], heap->owners[below]))
            below++;
        if (!is_before(heap, heap->owners[below], owner))
            break;
        put_owner(heap, place, heap->owners[below]);
        place = below;
    }
    put_owner(heap, place, owner);
}

static void remove_owner(struct deadline_heap *heap, uint32_t owner)
{
    uint32_t place = heap->places[owner];
    uint32_t last = heap->owners[--heap->count];

    if (last == owner)
        return;
    if (is_before(heap, last, owner))
        move_up(heap, place, last);
    else
        move_down(heap, place, last);
}

void deadline_heap_set(struct deadline_heap *heap, uint32_t owner, uint64_t deadline)
{
    uint64_t before = heap->deadlines[owner];

    if (deadline == before)
        return;
    if (deadline == DEADLINE_HEAP_NEVER) {
        remove_owner(heap, owner);
        heap->deadlines[owner] = deadline;
        return;
    }
    heap->deadlines[owner] = deadline;
    if (before == DEADLINE_HEAP_NEVER)
        move_up(heap, heap->count++, owner);
    else if (deadline < before)
        move_up(heap, heap->places[owner], owner);
    else
        move_down(heap, heap->places[owner], owner);
}
