/* SPDX-License-Identifier: Apache-2.0 */
/* What is yet to happen, in order of time; events of one instant in the order in which they were
 * announced. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event_queue_entry {
    uint64_t time_ps;
    uint32_t order; /* wraps: events of one instant are never 2^31 announcements apart */
    uint32_t kind;  /* kind and subject: the owner's */
    uint32_t subject;
};

struct event_queue {
    struct event_queue_entry *heap;
    uint32_t count;
    uint32_t capacity;
    uint32_t next_order;
};

void event_queue_init(struct event_queue *);
void event_queue_fini(struct event_queue *);

void event_queue_push(struct event_queue *, uint64_t time_ps, uint32_t kind, uint32_t subject);

/* The first event, if it happens by `until_ps`; false when none does. */
bool event_queue_pop(struct event_queue *, uint64_t until_ps, struct event_queue_entry *out);
