/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of waiting packets, which share one pool of slots. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define PORT_SLOT_NONE UINT32_MAX

enum port_queue_kind {
    PORT_DATA,    /* all other classes */
    PORT_CONTROL, /* DSCP_CONTROL and trimmed packets */
    PORT_QUEUE_COUNT,
};

struct port_entry {
    uint32_t handle;
    uint16_t length_bytes;
    uint8_t class; /* enum dscp_class */
    uint8_t ecn;   /* enum ecn */
};

struct port_slot {
    struct port_entry entry;
    uint32_t next; /* in the list of free slots, or in a queue: of its last slot, any number */
};

/* The packet buffer that the ports of a switch share. It limits the number of packets that wait in
 * all of them together. */
struct port_pool {
    struct port_slot *slots;
    uint32_t slot_count;
    uint32_t touched_count; /* slots from here on were never used */
    uint32_t free_head;
    uint64_t marked;  /* the sums of these counters of its ports, so that an owner of */
    uint64_t trimmed; /* many ports need not add them up */
};

/* The slot that port_queue_push() takes is looked at first: both tests become one. */
static inline bool port_pool_has_room(const struct port_pool *pool)
{
    return pool->free_head != PORT_SLOT_NONE || pool->touched_count < pool->slot_count;
}

/* Returns the number of slots in use. Counts the free ones, so that queues need not count. */
uint32_t port_pool_used_count(const struct port_pool *);

/* Takes its memory from the arena. With a measuring arena the pool cannot be used. */
void port_pool_init(struct port_pool *, struct arena *, uint32_t slot_count);

struct port_queue {
    uint32_t head; /* slots of the pool, linked */
    uint32_t tail;
    uint32_t count;
    uint32_t bytes;
};

/* The pool must have a free slot. Slots are reused last in, first out: the last one is still in the
 * cache. */
static inline void port_queue_push(
    struct port_queue *queue, struct port_pool *pool, const struct port_entry *entry)
{
    uint32_t slot = pool->free_head;

    if (slot == PORT_SLOT_NONE)
        slot = pool->touched_count++;
    else
        pool->free_head = pool->slots[slot].next;
    pool->slots[slot].entry = *entry;
    if (queue->count++ == 0)
        queue->head = slot;
    else
        pool->slots[queue->tail].next = slot;
    queue->tail = slot;
    queue->bytes += entry->length_bytes;
}

/* The queue must not be empty. The entry stays valid until the next push. */
static inline struct port_entry *port_queue_pop(struct port_queue *queue, struct port_pool *pool)
{
    struct port_slot *slot = &pool->slots[queue->head];
    uint32_t next = slot->next;

    queue->count--;
    queue->bytes -= slot->entry.length_bytes;
    slot->next = pool->free_head;
    pool->free_head = queue->head;
    queue->head = next;
    return &slot->entry;
}
