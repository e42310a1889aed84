/* SPDX-License-Identifier: Apache-2.0 */
/* What is yet to happen, in order of time; events of one instant in the order in which they were
 * announced. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "network/network.h"

struct event_queue {
    struct event_heap heap;
};

void event_queue_init(struct event_queue *);
void event_queue_fini(struct event_queue *);

void event_queue_push(struct event_queue *, uint64_t time_ps, uint32_t kind, uint32_t subject);

/* The first event, if it happens by `until_ps`; false when none does. */
bool event_queue_pop(struct event_queue *, uint64_t until_ps, struct event_heap_entry *out);
