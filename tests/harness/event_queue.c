/* SPDX-License-Identifier: Apache-2.0 */
/* The event heap, with memory that grows. */
#include "event_queue.h"

#include <assert.h>
#include <stdlib.h>

void event_queue_init(struct event_queue *queue)
{
    *queue = (struct event_queue){ 0 };
}

void event_queue_fini(struct event_queue *queue)
{
    free(queue->heap.events);
}

static void grow(struct event_heap *heap)
{
    heap->room = heap->room ? 2 * heap->room : 256;
    heap->events = realloc(heap->events, heap->room * sizeof(*heap->events));
    assert(heap->events);
}

void event_queue_push(struct event_queue *queue, uint64_t time_ps, uint32_t kind, uint32_t subject)
{
    if (queue->heap.count == queue->heap.room)
        grow(&queue->heap);
    event_heap_push(&queue->heap, event_heap_announce(&queue->heap, time_ps, kind, subject));
}

bool event_queue_pop(struct event_queue *queue, uint64_t until_ps, struct event_heap_entry *out)
{
    if (queue->heap.count == 0 || queue->heap.events[0].time_ps > until_ps)
        return false;
    *out = queue->heap.events[0];
    event_heap_pop(&queue->heap);
    return true;
}
