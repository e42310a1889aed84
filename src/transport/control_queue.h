/* SPDX-License-Identifier: Apache-2.0 */
/* Answers waiting to leave: SACK, NACK, ACK and Endpoint Response, in order. Small records; what a
 * SACK says of the window is read when it leaves, so it is as fresh as can be. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "wire/ip_address.h"
#include "wire/psn.h"

enum control_kind {
    CONTROL_SACK,
    CONTROL_PROBE_ANSWER,
    CONTROL_NACK,
    CONTROL_ACK,
    CONTROL_NAK,
    CONTROL_ENDPOINT_ANSWER,
};

struct control_record {
    uint32_t qp_index;   /* not of CONTROL_ENDPOINT_ANSWER */
    struct psn psn;      /* trigger, NACKed or offending; endpoint: request id */
    uint32_t entropy;    /* EV of the trigger */
    uint32_t arrival_ns; /* low bits of when the trigger came */
    uint16_t tx_timestamp;
    uint16_t probe_id;
    uint16_t stretch; /* SACK: 1 + which 64 PSNs above cack it shows; 0: those whose turn it is */
    uint8_t kind;
    uint8_t code; /* SACK: enum sack_mark; NACK: reason; NAK: syndrome; endpoint: op */
    uint8_t port; /* the trigger came by */
    bool retransmission;
    bool is_second; /* the answer has left by another plane; once more by the trigger's own */
};

/* A ring that forgets nothing it accepted and refuses when full. */
struct control_queue {
    struct control_record *records;
    uint32_t slot_count;
    uint32_t head;
    uint32_t tail;
    uint32_t address_count;
    uint32_t address_head; /* that of the oldest CONTROL_ENDPOINT_ANSWER */
    uint32_t address_tail;
    struct ipv6_addr *addresses; /* where Endpoint Responses go, in their order */
};

/* Both counts are powers of two; `address_count`: Endpoint Responses among the records. */
void control_queue_init(
    struct control_queue *, struct arena *, uint32_t slot_count, uint32_t address_count);

/* Here, so that a record is written where it stays: a copy of fields just written makes the
 * processor wait until they have got to the cache. */
static inline bool control_queue_push(
    struct control_queue *queue, const struct control_record *record)
{
    if (queue->tail - queue->head == queue->slot_count)
        return false;
    queue->records[queue->tail++ & (queue->slot_count - 1)] = *record;
    return true;
}

bool control_queue_push_endpoint(
    struct control_queue *, struct control_record, const struct ipv6_addr *destination);

static inline struct control_record *control_queue_peek(const struct control_queue *queue)
{
    return queue->head == queue->tail ? 0 : &queue->records[queue->head & (queue->slot_count - 1)];
}

/* Of the oldest CONTROL_ENDPOINT_ANSWER. */
static inline const struct ipv6_addr *control_queue_address(const struct control_queue *queue)
{
    return &queue->addresses[queue->address_head & (queue->address_count - 1)];
}

static inline uint32_t control_queue_count(const struct control_queue *queue)
{
    return queue->tail - queue->head;
}

static inline struct control_record *control_queue_at(
    const struct control_queue *queue, uint32_t place)
{
    return &queue->records[(queue->head + place) & (queue->slot_count - 1)];
}

/* Takes out the record `place` places behind the head, which is 0; of several
 * CONTROL_ENDPOINT_ANSWERs the oldest must go first. */
static inline void control_queue_take(struct control_queue *queue, uint32_t place)
{
    if (control_queue_at(queue, place)->kind == CONTROL_ENDPOINT_ANSWER)
        queue->address_head++;
    for (; place > 0; place--)
        *control_queue_at(queue, place) = *control_queue_at(queue, place - 1);
    queue->head++;
}

/* An answer of this QP waits. */
bool control_queue_has(const struct control_queue *, uint32_t qp_index);

/* A QP is gone: its records are of no use. */
void control_queue_forget(struct control_queue *, uint32_t qp_index);
