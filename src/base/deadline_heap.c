/* SPDX-License-Identifier: Apache-2.0 */
/* Moves nodes up and down the heap. A node has the deadline, too, so that comparing two of them
 * touches the heap only. */
#include "base/deadline_heap.h"

#include <stdbool.h>

void deadline_heap_init(struct deadline_heap *heap, struct arena *arena, uint32_t owner_count)
{
    *heap = (struct deadline_heap){
        .nodes = arena_take(arena, owner_count, sizeof(*heap->nodes), sizeof(uint64_t)),
        .places = arena_take(arena, owner_count, sizeof(uint32_t), sizeof(uint32_t)),
    };
    for (uint32_t i = 0; heap->nodes && i < owner_count; i++)
        heap->places[i] = DEADLINE_HEAP_NONE;
}

static bool is_before(const struct deadline_heap_node *a, const struct deadline_heap_node *b)
{
    return a->deadline < b->deadline || (a->deadline == b->deadline && a->owner < b->owner);
}

static void put_node(
    struct deadline_heap *heap, uint32_t place, const struct deadline_heap_node *node)
{
    heap->nodes[place] = *node;
    heap->places[node->owner] = place;
}

static void move_up(
    struct deadline_heap *heap, uint32_t place, const struct deadline_heap_node *node)
{
    while (place > 0) {
        uint32_t above = (place - 1) / 2;

        if (!is_before(node, &heap->nodes[above]))
            break;
        put_node(heap, place, &heap->nodes[above]);
        place = above;
    }
    put_node(heap, place, node);
}

static void move_down(
    struct deadline_heap *heap, uint32_t place, const struct deadline_heap_node *node)
{
    uint32_t count = heap->count;

    for (uint32_t below = 2 * place + 1; below < count; below = 2 * place + 1) {
        if (below + 1 < count && is_before(&heap->nodes[below + 1], &heap->nodes[below]))
            below++;
        if (!is_before(&heap->nodes[below], node))
            break;
        put_node(heap, place, &heap->nodes[below]);
        place = below;
    }
    put_node(heap, place, node);
}

static void remove_owner(struct deadline_heap *heap, uint32_t owner)
{
    uint32_t place = heap->places[owner];
    const struct deadline_heap_node removed = heap->nodes[place];
    const struct deadline_heap_node last = heap->nodes[--heap->count];

    heap->places[owner] = DEADLINE_HEAP_NONE;
    if (last.owner == owner)
        return;
    if (is_before(&last, &removed))
        move_up(heap, place, &last);
    else
        move_down(heap, place, &last);
}

void deadline_heap_set(struct deadline_heap *heap, uint32_t owner, uint64_t deadline)
{
    const struct deadline_heap_node node = { .deadline = deadline, .owner = owner };
    uint32_t place = heap->places[owner];

    if (place == DEADLINE_HEAP_NONE) {
        if (deadline != DEADLINE_HEAP_NEVER)
            move_up(heap, heap->count++, &node);
    } else if (deadline == DEADLINE_HEAP_NEVER) {
        remove_owner(heap, owner);
    } else if (deadline < heap->nodes[place].deadline) {
        move_up(heap, place, &node);
    } else if (deadline > heap->nodes[place].deadline) {
        move_down(heap, place, &node);
    }
}
