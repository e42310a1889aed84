/* SPDX-License-Identifier: Apache-2.0 */
/* What a NIC has to tell to the network. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "network/network.h"

struct event_queue {
    struct endpoint_event *events; /* a ring */
    uint32_t room;
    uint64_t in;
    uint64_t out;
};

/* With an arena without memory, only measures. */
void event_queue_init(struct event_queue *, struct arena *, uint32_t room);

/* There must be room. */
void event_queue_push(struct event_queue *, struct endpoint_event);
/* Returns false if there is none. */
bool event_queue_pop(struct event_queue *, struct endpoint_event *);

static inline bool event_queue_is_empty(const struct event_queue *queue)
{
    return queue->in == queue->out;
}
