/* SPDX-License-Identifier: Apache-2.0 */
/* The indexes of a single-producer, single-consumer ring: where an application and an engine meet.
 *
 * The caller owns the slots, an array of a power of two. Memory order, rule by rule:
 *   - the producer alone stores `tail`, the consumer alone stores `head`; each reads its own
 * relaxed;
 *   - the producer fills a slot, then publishes it by storing `tail` with release; the consumer
 * loads `tail` with acquire before it reads the slot, so it sees the slot's bytes;
 *   - the consumer is done with a slot, then returns it by storing `head` with release; the
 * producer loads `head` with acquire before it fills the slot again, so it never overwrites bytes
 * still being read. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ring {
    _Alignas(64) _Atomic uint32_t head; /* next to consume */
    _Alignas(64) _Atomic uint32_t tail; /* next to produce */
    uint32_t mask;                      /* slot count - 1 */
};

static inline void ring_init(struct ring *ring, uint32_t slot_count_power_of_two)
{
    atomic_init(&ring->head, 0);
    atomic_init(&ring->tail, 0);
    ring->mask = slot_count_power_of_two - 1;
}

/* Producer: whether there is a free slot, and which. */
static inline bool ring_reserve(const struct ring *ring, uint32_t *slot)
{
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

    if (tail - atomic_load_explicit(&ring->head, memory_order_acquire) > ring->mask)
        return false;
    *slot = tail & ring->mask;
    return true;
}

/* Producer: the slot reserved last is filled. */
static inline void ring_push(struct ring *ring)
{
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
}

/* Consumer: whether a filled slot waits, and which. */
static inline bool ring_peek(const struct ring *ring, uint32_t *slot)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

    if (head == atomic_load_explicit(&ring->tail, memory_order_acquire))
        return false;
    *slot = head & ring->mask;
    return true;
}

/* Consumer: the slot peeked at last may be filled again. */
static inline void ring_pop(struct ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

/* Either side: filled slots, exact for neither while the other moves. */
static inline uint32_t ring_count(const struct ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_acquire);

    return atomic_load_explicit(&ring->tail, memory_order_acquire) - head;
}
