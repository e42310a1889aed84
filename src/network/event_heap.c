/* SPDX-License-Identifier: Apache-2.0 */
/* A binary heap of events. */
#include "network/event_heap.h"

#include <assert.h>

static bool is_sooner(const struct event_heap_entry *left, const struct event_heap_entry *right)
{
    if (left->time_ps != right->time_ps)
        return left->time_ps < right->time_ps;
    return left->order < right->order;
}

void event_heap_push(struct event_heap *heap, struct event_heap_entry event)
{
    uint32_t place = heap->count++;

    assert(heap->count <= heap->room);
    while (place > 0 && is_sooner(&event, &heap->events[(place - 1) / 2])) {
        heap->events[place] = heap->events[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    heap->events[place] = event;
}

void event_heap_replace(struct event_heap *heap, struct event_heap_entry event)
{
    struct event_heap_entry *events = heap->events;
    uint32_t place = 0;

    for (uint32_t child = 1; child < heap->count; child = 2 * place + 1) {
        if (child + 1 < heap->count && is_sooner(&events[child + 1], &events[child]))
            child++;
        if (is_sooner(&event, &events[child]))
            break;
        events[place] = events[child];
        place = child;
    }
    events[place] = event;
}

void event_heap_pop(struct event_heap *heap)
{
    assert(heap->count > 0);
    heap->count--;
    event_heap_replace(heap, heap->events[heap->count]);
}
