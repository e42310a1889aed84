/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of packets that wait, all in one pool of slots. */
#pragma once

#include <assert.h>
#include <stdint.h>

#include "base/arena.h"

#define PORT_SLOT_NONE UINT32_MAX

enum port_queue_kind {
    PORT_DATA,    /* all other classes */
    PORT_CONTROL, /* DSCP_CONTROL and what was trimmed, here or before */
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
    uint32_t next;
};

/* The packet buffer that ports of a switch share: as many entries as can wait in all of them
 * together. */
struct port_pool {
    struct port_slot *slots;
    uint32_t slot_count;
    uint32_t used_count;
    uint32_t touched_count; /* slots from here on were never used */
    uint32_t free_head;
};

/* Takes its memory from the arena; with a measuring arena the pool cannot be used. */
void port_pool_init(struct port_pool *, struct arena *, uint32_t slot_count);

struct port_queue {
    uint32_t head; /* slots of the pool, linked */
    uint32_t tail;
    uint32_t count;
    uint32_t bytes;
};

/* The pool has a slot left. Last in, first out: the slot used last is in the cache still. */
static inline void port_queue_push(
    struct port_queue *queue, struct port_pool *pool, const struct port_entry *entry)
{
    uint32_t slot = pool->free_head;

    if (slot == PORT_SLOT_NONE)
        slot = pool->touched_count++;
    else
        pool->free_head = pool->slots[slot].next;
    pool->used_count++;
    pool->slots[slot].entry = *entry;
    pool->slots[slot].next = PORT_SLOT_NONE;
    if (queue->count++ == 0)
        queue->head = slot;
    else
        pool->slots[queue->tail].next = slot;
    queue->tail = slot;
    queue->bytes += entry->length_bytes;
}

/* The queue is not empty. What it returns stays where it is until the next push. */
static inline struct port_entry *port_queue_pop(struct port_queue *queue, struct port_pool *pool)
{
    struct port_slot *slot = &pool->slots[queue->head];
    uint32_t next = slot->next;

    queue->count--;
    queue->bytes -= slot->entry.length_bytes;
    slot->next = pool->free_head;
    pool->free_head = queue->head;
    pool->used_count--;
    queue->head = next;
    return &slot->entry;
}
