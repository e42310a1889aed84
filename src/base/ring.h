/* SPDX-License-Identifier: Apache-2.0 */
/* The indexes of a single-producer, single-consumer ring between an application and an engine.
 *
 * The caller owns the slots, an array whose length is a power of two. Memory order:
 *   - Only the producer stores `tail`, and only the consumer stores `head`. Each reads its own
 *     index relaxed.
 *   - The producer fills a slot, then publishes it by storing `tail` with release. The consumer
 *     loads `tail` with acquire before it reads the slot, so it sees the bytes of the slot.
 *   - The consumer reads a slot, then returns it by storing `head` with release. The producer loads
 *     `head` with acquire before it fills the slot again, so it never overwrites bytes that are
 *     still being read. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ring {
    _Alignas(64) _Atomic uint32_t head; /* next slot to consume */
    _Alignas(64) _Atomic uint32_t tail; /* next slot to produce */
    uint32_t mask;                      /* slot count - 1 */
};

static inline void ring_init(struct ring *ring, uint32_t slot_count_power_of_two)
{
    atomic_init(&ring->head, 0);
    atomic_init(&ring->tail, 0);
    ring->mask = slot_count_power_of_two - 1;
}

/* Producer: returns true if there is a free slot, and its index. */
static inline bool ring_reserve(const struct ring *ring, uint32_t *slot)
{
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

    if (tail - atomic_load_explicit(&ring->head, memory_order_acquire) > ring->mask)
        return false;
    *slot = tail & ring->mask;
    return true;
}

/* Producer: publishes the slot that was reserved last. */
static inline void ring_push(struct ring *ring)
{
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
}

/* Consumer: returns true if there is a filled slot, and its index. */
static inline bool ring_peek(const struct ring *ring, uint32_t *slot)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

    if (head == atomic_load_explicit(&ring->tail, memory_order_acquire))
        return false;
    *slot = head & ring->mask;
    return true;
}

/* Consumer: frees the slot that was peeked at last. */
static inline void ring_pop(struct ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

/* Either side: returns the number of filled slots. It is not exact while the other side is
 * active. */
static inline uint32_t ring_count(const struct ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_acquire);

    return atomic_load_explicit(&ring->tail, memory_order_acquire) - head;
}
