/* SPDX-License-Identifier: Apache-2.0 */
/* The next events on the wires of a soft fabric, by time and, at one time, in the order in which
 * they were pushed. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "network/network.h"

enum soft_event_kind {
    SOFT_ARRIVAL, /* the first frame on the wire arrives */
    SOFT_FREE,    /* the port of the wire may send */
};

struct soft_queue {
    struct event_heap heap; /* numbers of wires */
};

bool soft_queue_init(struct soft_queue *, uint32_t room);
void soft_queue_fini(struct soft_queue *);

/* There must be room. */
static inline void soft_queue_push(
    struct soft_queue *queue, uint64_t time_ps, uint32_t wire, enum soft_event_kind kind)
{
    event_heap_push(&queue->heap, event_heap_announce(&queue->heap, time_ps, kind, wire));
}

/* Removes the first event. */
static inline void soft_queue_pop(struct soft_queue *queue)
{
    event_heap_pop(&queue->heap);
}

static inline uint64_t soft_queue_next_ps(const struct soft_queue *queue)
{
    return event_heap_next_ps(&queue->heap);
}

/* Returns the wire of the first event, which must exist. */
static inline uint32_t soft_queue_wire(const struct soft_queue *queue)
{
    return queue->heap.events[0].subject;
}

static inline enum soft_event_kind soft_queue_kind(const struct soft_queue *queue)
{
    return (enum soft_event_kind)queue->heap.events[0].kind;
}

/* Replaces the first event by the same event at a later time. */
static inline void soft_queue_repeat(struct soft_queue *queue, uint64_t time_ps)
{
    assert(queue->heap.count > 0);
    event_heap_replace(&queue->heap,
        event_heap_announce(&queue->heap, time_ps, soft_queue_kind(queue), soft_queue_wire(queue)));
}
