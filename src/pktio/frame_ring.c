/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of frames: see frame_ring.h for the layout and the order of stores. */
#include "pktio/frame_ring.h"

#include <assert.h>
#include <string.h>

#include "base/fetch_ahead.h"
#include "pktio/doorbell.h"

static const uint8_t ring_magic[8] = { 'M', 'R', 'C', 'R', 'I', 'N', 'G', '1' };

enum {
    SLOT_COUNT_MAX = 1 << 16,
    SLOT_BYTES_MAX = 1 << 16,
    LINE_BYTES = 64,
};

size_t frame_ring_bytes(uint32_t slot_count, uint32_t slot_bytes)
{
    return sizeof(struct frame_ring_shared) + (size_t)slot_count * slot_bytes;
}

uint32_t frame_ring_slot_bytes(uint32_t frame_bytes)
{
    return (frame_bytes + FRAME_RING_SLOT_HEADER + LINE_BYTES - 1) & ~(uint32_t)(LINE_BYTES - 1);
}

void frame_ring_format(void *memory, uint32_t slot_count, uint32_t slot_bytes)
{
    struct frame_ring_shared *shared = memory;

    assert((slot_count & (slot_count - 1)) == 0);
    memcpy(shared->magic, ring_magic, sizeof(ring_magic));
    shared->slot_count = slot_count;
    shared->slot_bytes = slot_bytes;
}

bool frame_ring_attach(struct frame_ring *ring, void *memory, size_t room, int peer_doorbell)
{
    struct frame_ring_shared *shared = memory;
    uint32_t slot_count;
    uint32_t slot_bytes;

    if (room < sizeof(*shared) || memcmp(shared->magic, ring_magic, sizeof(ring_magic)) != 0)
        return false;
    slot_count = shared->slot_count;
    slot_bytes = shared->slot_bytes;
    if (slot_count == 0 || slot_count > SLOT_COUNT_MAX || (slot_count & (slot_count - 1)) != 0 ||
        slot_bytes < LINE_BYTES || slot_bytes > SLOT_BYTES_MAX || slot_bytes % LINE_BYTES != 0 ||
        frame_ring_bytes(slot_count, slot_bytes) > room)
        return false;
    *ring = (struct frame_ring){ .shared = shared,
        .slots = (uint8_t *)memory + sizeof(*shared),
        .slot_count = slot_count,
        .slot_bytes = slot_bytes,
        .peer_doorbell = peer_doorbell };
    return true;
}

static void wake_peer(_Atomic uint32_t *sleeps, int doorbell)
{
    if (atomic_load(sleeps) && atomic_exchange(sleeps, 0))
        doorbell_ring(doorbell);
}

static uint8_t *slot_at(const struct frame_ring *ring, uint32_t counter)
{
    return ring->slots + (size_t)(counter & (ring->slot_count - 1)) * ring->slot_bytes;
}

/* ---- producer ------------------------------------------------------------------------------- */

static uint32_t known_room(const struct frame_ring *ring)
{
    return ring->slot_count - (ring->mine - ring->others);
}

uint32_t frame_ring_room(struct frame_ring *ring)
{
    uint32_t head;

    if (ring->is_broken)
        return 0;
    if (known_room(ring) >= PKTIO_BATCH_MAX)
        return known_room(ring);
    head = atomic_load(&ring->shared->head);
    if (ring->mine - head > ring->slot_count) {
        ring->is_broken = true;
        return 0;
    }
    ring->others = head;
    return known_room(ring);
}

void frame_ring_put(struct frame_ring *ring, const struct pktio_frame *frame)
{
    uint8_t *slot = slot_at(ring, ring->mine);
    uint8_t *at = slot + FRAME_RING_SLOT_HEADER;
    uint32_t header[2] = { frame->length_bytes, 0 };

    assert(frame->length_bytes <= ring->slot_bytes - FRAME_RING_SLOT_HEADER);
    /* Prefetch the next slot: another processor has read it and it is on another page, so fetching
     * it takes as long as filling this one. The next frame probably has the same length. */
    fetch_ahead_to_write(
        slot_at(ring, ring->mine + 1), FRAME_RING_SLOT_HEADER + (size_t)frame->length_bytes);
    memcpy(slot, header, sizeof(header));
    for (uint32_t i = 0; i < frame->piece_count; i++) {
        memcpy(at, frame->pieces[i].iov_base, frame->pieces[i].iov_len);
        at += frame->pieces[i].iov_len;
    }
    ring->mine++;
}

void frame_ring_publish(struct frame_ring *ring)
{
    atomic_store(&ring->shared->tail, ring->mine);
}

void frame_ring_hold(struct frame_ring *ring)
{
    atomic_store_explicit(&ring->shared->held, ring->mine, memory_order_release);
}

bool frame_ring_is_holding(const struct frame_ring *ring)
{
    return atomic_load_explicit(&ring->shared->tail, memory_order_relaxed) != ring->mine;
}

void frame_ring_call(struct frame_ring *ring)
{
    wake_peer(&ring->shared->consumer_sleeps, ring->peer_doorbell);
}

bool frame_ring_wait_for_room(struct frame_ring *ring)
{
    atomic_store(&ring->shared->producer_waits, 1);
    ring->others = ring->mine - ring->slot_count; /* no free slot known: look again */
    return frame_ring_room(ring) < PKTIO_BATCH_MAX && !ring->is_broken;
}

uint32_t frame_ring_unread(const struct frame_ring *ring)
{
    uint32_t unread = ring->mine - atomic_load_explicit(&ring->shared->head, memory_order_relaxed);

    return unread <= ring->slot_count ? unread : 0; /* else the other end is broken */
}

/* ---- consumer ------------------------------------------------------------------------------- */

/* Returns the end of the frames that may be taken. */
static uint32_t end_of_frames(const struct frame_ring *ring)
{
    uint32_t tail = atomic_load(&ring->shared->tail);
    bool takes_held = atomic_load_explicit(&ring->takes_held, memory_order_relaxed);
    uint32_t held = takes_held ? atomic_load(&ring->shared->held) : tail;

    return (int32_t)(held - tail) > 0 ? held : tail;
}

static uint32_t filled(struct frame_ring *ring)
{
    uint32_t tail = end_of_frames(ring);

    if (tail - ring->mine > ring->slot_count - ring->lent)
        ring->is_broken = true;
    return ring->is_broken ? 0 : tail - ring->mine;
}

void frame_ring_give_back(struct frame_ring *ring, uint32_t count)
{
    assert(count <= ring->lent);
    if (count == 0)
        return;
    ring->lent -= count;
    atomic_store(&ring->shared->head, ring->mine - ring->lent);
    wake_peer(&ring->shared->producer_waits, ring->peer_doorbell);
}

static void give_all_back(struct frame_ring *ring)
{
    if (!ring->keeps)
        frame_ring_give_back(ring, ring->lent);
}

uint32_t frame_ring_take(struct frame_ring *ring, struct pktio_received *frames, uint32_t max)
{
    uint32_t count;

    give_all_back(ring);
    count = filled(ring);
    if (count > max)
        count = max;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *slot = slot_at(ring, ring->mine + i);
        uint32_t length;

        memcpy(&length, slot, sizeof(length));
        if (length > ring->slot_bytes - FRAME_RING_SLOT_HEADER)
            length = 0;
        frames[i] = (struct pktio_received){ .bytes = slot + FRAME_RING_SLOT_HEADER,
            .length_bytes = length };
    }
    ring->mine += count;
    ring->lent += count;
    return count;
}

void frame_ring_outlive(struct frame_ring *ring)
{
    atomic_store_explicit(&ring->takes_held, true, memory_order_relaxed);
}

bool frame_ring_sleep(struct frame_ring *ring)
{
    give_all_back(ring);
    atomic_store(&ring->shared->consumer_sleeps, 1);
    return filled(ring) == 0;
}

void frame_ring_awake(struct frame_ring *ring)
{
    if (atomic_load_explicit(&ring->shared->consumer_sleeps, memory_order_relaxed))
        atomic_store_explicit(&ring->shared->consumer_sleeps, 0, memory_order_relaxed);
}
