/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of arrivals and the list of wakes. */
#include "sim/heap.h"

#include <assert.h>

#include "sim/packets.h"

struct heap *heap_init(struct arena *arena, uint32_t node_count, uint32_t packet_count)
{
    struct heap *heap = arena_take(arena, 1, sizeof(*heap), _Alignof(struct heap));
    struct event_heap_entry *events = packets_take_memory(arena, packet_count, sizeof(*events));
    struct port_entry *packets = packets_take_memory(arena, packet_count, sizeof(*packets));
    uint32_t *free_places = packets_take_memory(arena, packet_count, sizeof(*free_places));
    uint64_t *wake_ps = arena_take(arena, node_count, sizeof(*wake_ps), _Alignof(uint64_t));

    if (!heap)
        return NULL;
    *heap = (struct heap){ .arrivals = { .events = events, .room = packet_count },
        .packets = packets,
        .free_places = free_places,
        .free_count = packet_count,
        .node_count = node_count,
        .wake_ps = wake_ps };
    for (uint32_t i = 0; i < packet_count; i++)
        free_places[i] = packet_count - 1 - i;
    for (uint32_t i = 0; i < node_count; i++)
        wake_ps[i] = UINT64_MAX;
    return heap;
}

void heap_post(
    struct heap *heap, uint32_t node, uint32_t port, uint64_t time_ps, struct port_entry packet)
{
    uint32_t place;

    assert(heap->free_count > 0);
    place = heap->free_places[--heap->free_count];
    heap->packets[place] = packet;
    event_heap_push(&heap->arrivals,
        (struct event_heap_entry){
            .time_ps = time_ps, .order = (uint64_t)node << 32 | port, .subject = place });
}

/* Returns the first arrival. The heap must not be empty. */
static struct heap_event first_arrival(const struct heap *heap)
{
    const struct event_heap_entry *first = &heap->arrivals.events[0];

    return (struct heap_event){ .time_ps = first->time_ps,
        .node = (uint32_t)(first->order >> 32),
        .order = (uint32_t)first->order,
        .packet = heap->packets[first->subject] };
}

static void remove_first(struct heap *heap)
{
    heap->free_places[heap->free_count++] = heap->arrivals.events[0].subject;
    event_heap_pop(&heap->arrivals);
}

static bool is_before(const struct heap_event *a, const struct heap_event *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    if (a->node != b->node)
        return a->node < b->node;
    return a->order < b->order;
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
    *out = first_wake(heap);
    if (heap->arrivals.count > 0) {
        struct heap_event arrival = first_arrival(heap);

        if (is_before(&arrival, out))
            *out = arrival;
    }
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
    uint64_t arrival_ps = event_heap_next_ps(&heap->arrivals);

    return arrival_ps < wake_ps ? arrival_ps : wake_ps;
}
