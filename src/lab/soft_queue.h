/* SPDX-License-Identifier: Apache-2.0 */
/* What happens next: a binary heap of events in order of time; of one time, in the order in which
 * they were pushed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct soft_event {
    uint64_t time_ps;
    uint32_t order;
    uint32_t end;   /* the egress port (soft_state.h) whose packet arrives, or that is free */
    uint32_t frame; /* that arrives; SOFT_NO_FRAME: the port is free */
};

#define SOFT_NO_FRAME UINT32_MAX

struct soft_queue {
    struct soft_event *events;
    uint32_t count;
    uint32_t room;
    uint32_t pushed;
};

bool soft_queue_init(struct soft_queue *, uint32_t room);
void soft_queue_fini(struct soft_queue *);
/* There is room. */
void soft_queue_push(struct soft_queue *, uint64_t time_ps, uint32_t end, uint32_t frame);
/* The next event if it is due by `now_ps`. */
bool soft_queue_pop(struct soft_queue *, uint64_t now_ps, struct soft_event *);

static inline uint64_t soft_queue_next_ps(const struct soft_queue *queue)
{
    return queue->count > 0 ? queue->events[0].time_ps : UINT64_MAX;
}
