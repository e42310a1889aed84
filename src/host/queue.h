/* SPDX-License-Identifier: Apache-2.0 */
/* What queues and channels are inside. The engine fills a queue, one reader empties it:
 * base/ring.h.
 */
#pragma once

#include "base/ring.h"
#include "host/host_queue.h"

struct host_cq {
    struct ring ring;
    struct host_nic *nic;
    struct host_channel *channel;
    void *user;
    uint32_t depth;
    bool is_ev_queue;
    union {
        struct host_completion *completions;
        struct host_ev_event *ev_events;
    };
    uint32_t user_count; /* QPs */
    uint32_t lost;       /* EV events since the last one that found room */
    _Atomic bool is_overrun;
    _Atomic uint32_t armed;  /* enum queue_armed */
    _Atomic uint32_t events; /* put into the channel and not fetched */
    struct host_cq *next;    /* of the NIC's list */
};

enum queue_armed {
    QUEUE_NOT_ARMED,
    QUEUE_ARMED_SOLICITED,
    QUEUE_ARMED,
};

struct host_channel {
    struct host_nic *nic;
    int fd; /* an eventfd that counts events, one a read */
    uint32_t user_count;
};

/* The owner's. */
void queue_push_completion(struct host_cq *, const struct host_completion *, bool solicited);
void queue_push_ev_event(struct host_cq *, const struct host_ev_event *);
