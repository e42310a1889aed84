/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of arrivals and the list of wakes. */
#include "sim/heap.h"

#include <assert.h>

#include "sim/packets.h"

struct heap *heap_init(struct arena *arena, uint32_t node_count, uint32_t packet_count)
{
    struct heap *heap = arena_take(arena, 1, sizeof(*heap), _Alignof(struct heap));
    struct heap_event *events = packets_take_memory(arena, packet_count, sizeof(*events));
    uint64_t *wake_ps = arena_take(arena, node_count, sizeof(*wake_ps), _Alignof(uint64_t));

    if (!heap)
        return NULL;
    *heap = (struct heap){
        .events = events, .count_max = packet_count, .node_count = node_count, .wake_ps = wake_ps
    };
    for (uint32_t i = 0; i < node_count; i++)
        wake_ps[i] = UINT64_MAX;
    return heap;
}

static bool is_before(const struct heap_event *a, const struct heap_event *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    if (a->node != b->node)
        return a->node < b->node;
    return a->order < b->order;
}

void heap_post(
    struct heap *heap, uint32_t node, uint32_t port, uint64_t time_ps, struct port_entry packet)
{
    struct heap_event event = { .time_ps = time_ps, .node = node, .order = port, .packet = packet };
    uint32_t at = heap->count++;

    assert(at < heap->count_max);
    while (at > 0 && is_before(&event, &heap->events[(at - 1) / 2])) {
        heap->events[at] = heap->events[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->events[at] = event;
}

static void remove_first(struct heap *heap)
{
    struct heap_event last = heap->events[--heap->count];
    uint32_t at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child + 1 < heap->count && is_before(&heap->events[child + 1], &heap->events[child]))
            child++;
        if (child >= heap->count || is_before(&last, &heap->events[child]))
            break;
        heap->events[at] = heap->events[child];
        at = child;
    }
    heap->events[at] = last;
}

static struct heap_event first_wake(const struct heap *heap)
{
    struct heap_event first = { .time_ps = UINT64_MAX, .order = HEAP_WAKE };

    for (uint32_t node = 0; node < heap->node_count; node++)
        if (heap->wake_ps[node] < first.time_ps) {
            first.time_ps = heap->wake_ps[node];
            first.node = node;
        }
    return first;
}

bool heap_pop(struct heap *heap, uint64_t before_ps, struct heap_event *out)
{
    struct heap_event wake = first_wake(heap);

    *out = heap->count > 0 && is_before(&heap->events[0], &wake) ? heap->events[0] : wake;
    if (out->time_ps >= before_ps)
        return false;
    if (out->order == HEAP_WAKE)
        heap->wake_ps[out->node] = UINT64_MAX;
    else
        remove_first(heap);
    return true;
}

uint64_t heap_next_ps(const struct heap *heap)
{
    uint64_t wake_ps = first_wake(heap).time_ps;

    return heap->count > 0 && heap->events[0].time_ps < wake_ps ? heap->events[0].time_ps : wake_ps;
}
