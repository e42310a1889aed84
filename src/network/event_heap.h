/* SPDX-License-Identifier: Apache-2.0 */
/* What happens next: a binary heap of events in order of time; of one time by `order`. No two
 * events that are in it at once are equal in both. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event_heap_entry {
    uint64_t time_ps;
    uint64_t order;
    uint32_t kind; /* this and the subject: the owner's */
    uint32_t subject;
};

struct event_heap {
    struct event_heap_entry *events; /* the owner's */
    uint32_t count;
    uint32_t room;
    uint64_t announced; /* by event_heap_announce() */
};

/* There is room. */
void event_heap_push(struct event_heap *, struct event_heap_entry);
/* The first one is over. */
void event_heap_pop(struct event_heap *);
/* The first one is over; another, or the same again, takes its place. */
void event_heap_replace(struct event_heap *, struct event_heap_entry);

/* For owners with whom events of one time happen in the order in which they were announced. */
static inline struct event_heap_entry event_heap_announce(
    struct event_heap *heap, uint64_t time_ps, uint32_t kind, uint32_t subject)
{
    return (struct event_heap_entry){
        .time_ps = time_ps, .order = heap->announced++, .kind = kind, .subject = subject
    };
}

/* UINT64_MAX: nothing. */
static inline uint64_t event_heap_next_ps(const struct event_heap *heap)
{
    return heap->count > 0 ? heap->events[0].time_ps : UINT64_MAX;
}
