/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of answers that wait to be sent: SACK, NACK, ACK and Endpoint Response. A SACK reads
 * the state of the window when it is sent, so that its contents are current. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
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
    uint32_t qp_index;   /* unused by CONTROL_ENDPOINT_ANSWER */
    struct psn psn;      /* of the trigger, or the one NACKed or NAKed; endpoint: request id */
    uint32_t entropy;    /* EV of the trigger */
    uint32_t arrival_ns; /* low bits of the arrival time of the trigger */
    uint16_t tx_timestamp;
    uint16_t probe_id;
    union {
        uint16_t stretch; /* SACK: 1 + index of the 64 PSNs above cack to show; 0: in turn */
        uint16_t shown;   /* is_second: low bits of the PSN at which the first bitmap began */
    };
    uint8_t kind;
    uint8_t code; /* SACK: enum sack_mark; NACK: reason; NAK: syndrome; endpoint: op */
    uint8_t port; /* on which the trigger arrived */
    bool retransmission;
    bool is_second; /* a first copy left on another plane; this one uses the plane of the trigger */
    bool elsewhere; /* a copy on another EV than the way back, which is in doubt */
};

/* A ring. It refuses records when it is full and never drops one that it accepted. */
struct control_queue {
    struct control_record *records;
    uint32_t slot_count;
    uint32_t head;
    uint32_t tail;
    uint32_t address_count;
    uint32_t address_head; /* address of the oldest CONTROL_ENDPOINT_ANSWER */
    uint32_t address_tail;
    struct ipv6_addr *addresses; /* destinations of Endpoint Responses, in their order */
};

/* Both counts are powers of two. `address_count`: largest number of Endpoint Responses among the
 * records. */
void control_queue_init(
    struct control_queue *, struct arena *, uint32_t slot_count, uint32_t address_count);

/* Returns the place of a new record, which the caller fills in; NULL if the ring is full. A record
 * should be written there directly: a copy of fields that were just written stalls the processor
 * until the stores have reached the cache. */
static inline struct control_record *control_queue_add(struct control_queue *queue)
{
    if (queue->tail - queue->head == queue->slot_count)
        return NULL;
    return &queue->records[queue->tail++ & (queue->slot_count - 1)];
}

static inline bool control_queue_push(
    struct control_queue *queue, const struct control_record *record)
{
    struct control_record *place = control_queue_add(queue);

    if (place)
        *place = *record;
    return place;
}

bool control_queue_push_endpoint(
    struct control_queue *, struct control_record, const struct ipv6_addr *destination);

static inline struct control_record *control_queue_peek(const struct control_queue *queue)
{
    return queue->head == queue->tail ? 0 : &queue->records[queue->head & (queue->slot_count - 1)];
}

/* Returns the destination of the oldest CONTROL_ENDPOINT_ANSWER. */
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

/* Removes the record `place` places behind the head (0: the head itself). CONTROL_ENDPOINT_ANSWERs
 * must be removed oldest first. */
static inline void control_queue_take(struct control_queue *queue, uint32_t place)
{
    if (control_queue_at(queue, place)->kind == CONTROL_ENDPOINT_ANSWER)
        queue->address_head++;
    for (; place > 0; place--)
        *control_queue_at(queue, place) = *control_queue_at(queue, place - 1);
    queue->head++;
}

/* True if an answer of this QP waits. */
bool control_queue_has(const struct control_queue *, uint32_t qp_index);

/* Discards the records of a QP that no longer exists. */
void control_queue_forget(struct control_queue *, uint32_t qp_index);
