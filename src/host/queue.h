/* SPDX-License-Identifier: Apache-2.0 */
/* Private declarations of queues and channels. Each engine fills one part of a queue; one reader
 * empties all parts (base/ring.h). */
#pragma once

#include "base/ring.h"
#include "host/host_queue.h"

struct engine;

/* Entries of one engine. */
struct queue_part {
    struct ring ring;
    union {
        struct host_completion *completions;
        struct host_ev_event *ev_events;
    };
    uint32_t lost; /* EV events lost since the last one that was stored */
};

struct host_cq {
    struct queue_part *parts; /* one for each engine of the NIC */
    uint32_t next_part;       /* the reader's: the part to read first */
    struct host_nic *nic;
    struct host_channel *channel;
    void *user;
    uint32_t depth;
    bool is_ev_queue;
    uint32_t user_count; /* QPs */
    _Atomic bool is_overrun;
    _Atomic uint32_t armed;  /* enum queue_armed */
    _Atomic uint32_t events; /* put into the channel and not fetched */
    struct host_cq *next;    /* in the NIC's list */
};

enum queue_armed {
    QUEUE_NOT_ARMED,
    QUEUE_ARMED_SOLICITED,
    QUEUE_ARMED,
};

struct host_channel {
    struct host_nic *nic;
    int fd; /* an eventfd semaphore that counts events */
    uint32_t user_count;
};

/* Called by the owner of an engine of the NIC. */
void queue_push_completion(
    struct engine *, struct host_cq *, const struct host_completion *, bool solicited);
void queue_push_ev_event(struct engine *, struct host_cq *, const struct host_ev_event *);
/* Increments an eventfd (queue_channel.c). */
void queue_count_up(int fd);
