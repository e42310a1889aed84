/* SPDX-License-Identifier: Apache-2.0 */
/* The receive requests of the responder, and immediates that arrived before it is their turn. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "wire/psn.h"

struct recv_request {
    uint64_t id;
    uint32_t immediate;
    uint32_t length_bytes;
    bool solicited;
};

/* A WriteImm whose last packet has arrived. It is delivered when all packets before it have
 * arrived. */
struct recv_stash {
    struct psn psn;
    uint32_t immediate;
    uint32_t length_bytes;
    uint16_t msn;
    bool solicited;
    bool full;
};

/* Positions count requests since the queue was started, and wrap. The members that every message
 * touches come first. */
struct recv_queue {
    struct recv_request *requests;
    struct recv_stash *stash; /* by rqmsn modulo stash_count */
    uint32_t stash_count;     /* a power of two, so that rqmsn may wrap */
    uint16_t next_rqmsn;      /* of the WriteImm that is delivered next */
    bool has_kept;            /* an immediate was kept since the queue was started */
    uint32_t slot_count;      /* a power of two */
    uint32_t depth;
    uint32_t reported;
    uint32_t done;
    uint32_t posted;
};

void recv_queue_init(struct recv_queue *, struct arena *, uint32_t depth, uint32_t imm_max);
void recv_queue_start(struct recv_queue *); /* discards immediates, keeps posted requests */
void recv_queue_clear(struct recv_queue *);

static inline struct recv_request *recv_queue_at(const struct recv_queue *queue, uint32_t position)
{
    return &queue->requests[position & (queue->slot_count - 1)];
}

static inline bool recv_queue_is_full(const struct recv_queue *queue)
{
    return queue->posted - queue->reported >= queue->depth;
}

void recv_queue_push(struct recv_queue *, uint64_t id);

static inline struct recv_stash *recv_queue_stash(const struct recv_queue *queue, uint16_t rqmsn)
{
    return &queue->stash[rqmsn & (queue->stash_count - 1)];
}

/* Keeps an immediate until it is delivered. */
static inline void recv_queue_keep(
    struct recv_queue *queue, uint16_t rqmsn, const struct recv_stash *stash)
{
    *recv_queue_stash(queue, rqmsn) = *stash;
    queue->has_kept = true;
}

enum recv_delivery {
    RECV_NOTHING, /* the next WriteImm has not arrived, or a packet before it is missing */
    RECV_DELIVERED,
    RECV_NO_REQUEST, /* it is the turn of the next WriteImm, but no receive is posted */
};

/* Delivers the next WriteImm to the oldest receive request, if all its packets are at or below
 * `cack`. */
enum recv_delivery recv_queue_deliver(struct recv_queue *, struct psn cack);
