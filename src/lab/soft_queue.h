/* SPDX-License-Identifier: Apache-2.0 */
/* What happens next: a binary heap of events in order of time; of one time, in the order in which
 * they were pushed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum soft_event_kind {
    SOFT_ARRIVAL, /* the first frame on the wire reaches its end */
    SOFT_FREE,    /* the port before the wire may send */
};

struct soft_event {
    uint64_t time_ps;
    uint32_t order;
    uint32_t what; /* twice the wire, and the kind */
};

struct soft_queue {
    struct soft_event *events;
    uint32_t count;
    uint32_t room;
    uint32_t pushed;
};

bool soft_queue_init(struct soft_queue *, uint32_t room);
void soft_queue_fini(struct soft_queue *);
/* There is room. */
void soft_queue_push(
    struct soft_queue *, uint64_t time_ps, uint32_t wire, enum soft_event_kind kind);
/* The first one is over. */
void soft_queue_pop(struct soft_queue *);
/* The first one is over and comes again. */
void soft_queue_repeat(struct soft_queue *, uint64_t time_ps);

static inline uint64_t soft_queue_next_ps(const struct soft_queue *queue)
{
    return queue->count > 0 ? queue->events[0].time_ps : UINT64_MAX;
}

/* Of the first one; there is one. */
static inline uint32_t soft_queue_wire(const struct soft_queue *queue)
{
    return queue->events[0].what >> 1;
}

static inline enum soft_event_kind soft_queue_kind(const struct soft_queue *queue)
{
    return (enum soft_event_kind)(queue->events[0].what & 1);
}
