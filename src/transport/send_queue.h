/* SPDX-License-Identifier: Apache-2.0 */
/* The work requests of the requester, in order. A request waits, is divided into packets, waits for
 * its Transport ACK, and is done. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "transport/transport.h"
#include "wire/psn.h"

struct send_request {
    struct work_request work;
    struct psn first_psn; /* the members from here on are set when it is begun */
    uint32_t packet_count;
    uint16_t msn;
    uint16_t rqmsn;
};

/* Positions count requests since the queue was started, and wrap. The slot of a request is its
 * position modulo slot_count. The members that every packet touches come first. */
struct send_queue {
    struct send_request *requests;
    uint32_t slot_count;  /* a power of two, at least the requested depth */
    uint32_t done;        /* oldest request that is not complete */
    uint32_t cutting;     /* request that is being cut into packets, or is next */
    uint32_t posted;      /* position of the next request */
    uint32_t packets_cut; /* packets of the request at `cutting` */
    uint32_t imm_begun;   /* WriteImm begun and not done */
    uint32_t depth;
    uint32_t reported; /* oldest request whose completion was not fetched */
    uint16_t next_rqmsn;
};

void send_queue_init(struct send_queue *, struct arena *, uint32_t depth);
/* Gives a queue without requests, which may lack its memory, other memory. */
void send_queue_lend(struct send_queue *, struct arena *);
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

/* True if a request is not yet cut and may begin. A WriteImm waits while `imm_max` are in
 * flight. */
static inline bool send_queue_can_cut(const struct send_queue *queue, uint32_t imm_max)
{
    if (queue->cutting == queue->posted)
        return false;
    return queue->packets_cut > 0 || queue->imm_begun < imm_max ||
           !(send_queue_at(queue, queue->cutting)->work.flags & WORK_WITH_IMMEDIATE);
}

/* Assigns PSN and sequence numbers to the request at `cutting`. */
void send_queue_begin(struct send_queue *, struct psn first);

/* Returns the request to which the packet with PSN `next` belongs. `*packet_index`: its index in
 * the request. */
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

/* True if the next packet is neither the first nor the last of its request. */
static inline bool send_queue_is_within(const struct send_queue *queue)
{
    return queue->packets_cut > 0 &&
           queue->packets_cut + 1 < send_queue_at(queue, queue->cutting)->packet_count;
}

/* Returns the number of packets that are left of the request at `cutting`. */
static inline uint32_t send_queue_rest(const struct send_queue *queue)
{
    return queue->cutting == queue->posted
               ? 0
               : send_queue_at(queue, queue->cutting)->packet_count - queue->packets_cut;
}

/* Returns the request to which a PSN sent earlier belongs; NULL if it is done or was never sent. */
struct send_request *send_queue_find(const struct send_queue *, struct psn);

static inline struct psn send_queue_last_psn(const struct send_request *request)
{
    return psn_add(request->first_psn, (int32_t)request->packet_count - 1);
}

/* Returns the number of messages that are cut completely and not done. An ACK may complete
 * these. */
static inline uint32_t send_queue_unacknowledged(const struct send_queue *queue)
{
    return queue->cutting - queue->done;
}

/* True if a request is begun, completely or in part, and not done. */
static inline bool send_queue_has_begun(const struct send_queue *queue)
{
    return queue->cutting != queue->done || queue->packets_cut > 0;
}

/* Marks the oldest request as done. */
void send_queue_complete(struct send_queue *);
