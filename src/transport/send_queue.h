/* SPDX-License-Identifier: Apache-2.0 */
/* Work requests of the requester, in order: waiting, being cut into packets, waiting for their
 * Transport ACK, done. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "transport/transport.h"
#include "wire/psn.h"

struct send_request {
    struct work_request work;
    struct psn first_psn; /* from here on: once begun */
    uint32_t packet_count;
    uint16_t msn;
    uint16_t rqmsn;
};

/* Positions count requests since the queue began, and wrap; a request's slot is its position modulo
 * the depth. */
struct send_queue {
    struct send_request *requests;
    uint32_t slot_count; /* a power of two, at least the depth asked for */
    uint32_t depth;
    uint32_t reported;    /* oldest whose completion was not fetched */
    uint32_t done;        /* oldest not completed */
    uint32_t cutting;     /* the one being cut into packets, or next to be */
    uint32_t posted;      /* where the next one goes */
    uint32_t packets_cut; /* of the one being cut */
    uint32_t imm_begun;   /* WriteImm begun and not done */
    uint16_t next_rqmsn;
};

void send_queue_init(struct send_queue *, struct arena *, uint32_t depth);
void send_queue_start(struct send_queue *);

static inline uint32_t send_queue_slot(const struct send_queue *queue, uint32_t position)
{
    return position & (queue->slot_count - 1);
}

static inline struct send_request *send_queue_at(const struct send_queue *queue, uint32_t position)
{
    return &queue->requests[send_queue_slot(queue, position)];
}

static inline bool send_queue_is_full(const struct send_queue *queue)
{
    return queue->posted - queue->reported >= queue->depth;
}

void send_queue_push(struct send_queue *, const struct work_request *, uint32_t pmtu_bytes);

/* There is something not yet cut, and it may begin: WriteImm wait while `imm_max` are under way. */
static inline bool send_queue_can_cut(const struct send_queue *queue, uint32_t imm_max)
{
    if (queue->cutting == queue->posted)
        return false;
    return queue->packets_cut > 0 || queue->imm_begun < imm_max ||
           !(send_queue_at(queue, queue->cutting)->work.flags & WORK_WITH_IMMEDIATE);
}

/* The request at `cutting` gets its numbers. */
void send_queue_begin(struct send_queue *, struct psn first);

/* The request the packet with PSN `next` belongs to, its index in `*packet_index`. */
static inline struct send_request *send_queue_cut(
    struct send_queue *queue, struct psn next, uint32_t *packet_index)
{
    struct send_request *request = send_queue_at(queue, queue->cutting);

    if (queue->packets_cut == 0)
        send_queue_begin(queue, next);
    *packet_index = queue->packets_cut++;
    if (queue->packets_cut == request->packet_count) {
        queue->cutting++;
        queue->packets_cut = 0;
    }
    return request;
}

/* The next packet is neither the first nor the last of its request. */
static inline bool send_queue_is_within(const struct send_queue *queue)
{
    return queue->packets_cut > 0 &&
           queue->packets_cut + 1 < send_queue_at(queue, queue->cutting)->packet_count;
}

/* The request that a PSN sent earlier belongs to; NULL if it is done, or was never sent. */
struct send_request *send_queue_find(const struct send_queue *, struct psn);

static inline struct psn send_queue_last_psn(const struct send_request *request)
{
    return psn_add(request->first_psn, (int32_t)request->packet_count - 1);
}

/* Messages cut completely and not done: those an ACK may complete. */
static inline uint32_t send_queue_unacknowledged(const struct send_queue *queue)
{
    return queue->cutting - queue->done;
}

/* Begun, wholly or in part, and not done. */
static inline bool send_queue_has_begun(const struct send_queue *queue)
{
    return queue->cutting != queue->done || queue->packets_cut > 0;
}

/* The oldest request is done. */
void send_queue_complete(struct send_queue *);
