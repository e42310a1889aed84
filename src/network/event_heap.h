/* SPDX-License-Identifier: Apache-2.0 */
/* A binary heap of events, ordered by time and, at one time, by `order`. No two events in the heap
 * are equal in both. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event_heap_entry {
    uint64_t time_ps;
    uint64_t order;
    uint32_t kind; /* kind and subject are for the owner */
    uint32_t subject;
};

struct event_heap {
    struct event_heap_entry *events; /* memory of the owner */
    uint32_t count;
    uint32_t room;
    uint64_t announced; /* number of calls of event_heap_announce() */
};

/* There must be room. */
void event_heap_push(struct event_heap *, struct event_heap_entry);
/* Removes the first event. */
void event_heap_pop(struct event_heap *);
/* Replaces the first event by another one, or by the same at another time. */
void event_heap_replace(struct event_heap *, struct event_heap_entry);

/* For owners whose events at one time happen in the order in which they were announced. */
static inline struct event_heap_entry event_heap_announce(
    struct event_heap *heap, uint64_t time_ps, uint32_t kind, uint32_t subject)
{
    return (struct event_heap_entry){
        .time_ps = time_ps, .order = heap->announced++, .kind = kind, .subject = subject
    };
}

/* Returns UINT64_MAX if the heap is empty. */
static inline uint64_t event_heap_next_ps(const struct event_heap *heap)
{
    return heap->count > 0 ? heap->events[0].time_ps : UINT64_MAX;
}
