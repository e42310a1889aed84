/* SPDX-License-Identifier: Apache-2.0 */
/* A binary heap. */
#include "event_queue.h"

#include <assert.h>
#include <stdlib.h>

void event_queue_init(struct event_queue *queue)
{
    *queue = (struct event_queue){ 0 };
}

void event_queue_fini(struct event_queue *queue)
{
    free(queue->heap);
}

static bool comes_first(const struct event_queue_entry *a, const struct event_queue_entry *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    return (int32_t)(a->order - b->order) < 0;
}

static void grow(struct event_queue *queue)
{
    queue->capacity = queue->capacity ? 2 * queue->capacity : 256;
    queue->heap = realloc(queue->heap, queue->capacity * sizeof(struct event_queue_entry));
    assert(queue->heap);
}

void event_queue_push(struct event_queue *queue, uint64_t time_ps, uint32_t kind, uint32_t subject)
{
    struct event_queue_entry event = {
        .time_ps = time_ps, .order = queue->next_order++, .kind = kind, .subject = subject
    };
    uint32_t hole = queue->count;

    if (queue->count == queue->capacity)
        grow(queue);
    queue->count++;
    while (hole > 0 && comes_first(&event, &queue->heap[(hole - 1) / 2])) {
        queue->heap[hole] = queue->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    queue->heap[hole] = event;
}

/* The last event sinks from the top to its place. */
static void sink(struct event_queue *queue)
{
    struct event_queue_entry event = queue->heap[--queue->count];
    uint32_t hole = 0;

    for (;;) {
        uint32_t child = 2 * hole + 1;

        if (child >= queue->count)
            break;
        if (child + 1 < queue->count && comes_first(&queue->heap[child + 1], &queue->heap[child]))
            child++;
        if (comes_first(&event, &queue->heap[child]))
            break;
        queue->heap[hole] = queue->heap[child];
        hole = child;
    }
    queue->heap[hole] = event;
}

bool event_queue_pop(struct event_queue *queue, uint64_t until_ps, struct event_queue_entry *out)
{
    if (queue->count == 0 || queue->heap[0].time_ps > until_ps)
        return false;
    *out = queue->heap[0];
    sink(queue);
    return true;
}
