/* SPDX-License-Identifier: Apache-2.0 */
/* A single-producer, single-consumer ring of frames in memory that two threads or two processes
 * share.
 *
 * Layout, little endian, all offsets in bytes from the start of the ring:
 *
 *       0  magic "MRCRING1"         64  tail: slots ever filled       128  head: slots ever emptied
 *       8  slot_count (u32)         68  producer_waits (u32)          132  consumer_sleeps (u32)
 *      12  slot_bytes (u32)         72  held: slots ever filled, also those not published yet
 *     192  slot 0, then slot 1 at 192 + slot_bytes, ...
 *
 * A slot is the length of its frame (u32), four bytes of zero, and the frame. slot_count is a power
 * of two, slot_bytes a multiple of 64. Counters wrap at 2^32. Memory order is that of base/ring.h:
 * the producer fills slots, then stores tail with release; the consumer loads tail with acquire,
 * reads, then stores head with release.
 *
 * Sleeping. Each end has a doorbell. A consumer about to sleep stores consumer_sleeps = 1, then
 * looks at tail again. A producer stores tail, then swaps consumer_sleeps for 0 and rings the
 * consumer's doorbell if it was 1. All four operations are sequentially consistent, so at least
 * one end sees the other. producer_waits works in the same way for a producer without room: the
 * consumer rings after it stores head.
 *
 * Holding. A producer may fill slots and store `held` before it stores tail. The consumer does not
 * see these frames until tail is stored, or until the producer's process has ended.
 *
 * The other end is not trusted: sizes are copied when the ring is attached, a counter out of range
 * breaks the ring, and a frame with a length out of range becomes empty. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pktio/pktio_port.h"

#define FRAME_RING_SLOT_HEADER 8

struct frame_ring_shared {
    uint8_t magic[8];
    uint32_t slot_count;
    uint32_t slot_bytes;
    _Alignas(64) _Atomic uint32_t tail;
    _Atomic uint32_t producer_waits;
    _Atomic uint32_t held;
    _Alignas(64) _Atomic uint32_t head;
    _Atomic uint32_t consumer_sleeps;
};

_Static_assert(offsetof(struct frame_ring_shared, slot_count) == 8, "layout");
_Static_assert(offsetof(struct frame_ring_shared, tail) == 64, "layout");
_Static_assert(offsetof(struct frame_ring_shared, head) == 128, "layout");
_Static_assert(sizeof(struct frame_ring_shared) == 192, "layout");

/* One end's view. `mine` is its own counter, `others` the last known counter of the other end. */
struct frame_ring {
    struct frame_ring_shared *shared;
    uint8_t *slots;
    uint32_t slot_count;
    uint32_t slot_bytes;
    uint32_t mine;
    uint32_t others;
    uint32_t lent;     /* consumer: slots lent to the caller */
    int peer_doorbell; /* doorbell.h, or an eventfd if both ends are in one process */
    bool is_broken;
    bool keeps;              /* consumer: releases slots only on request */
    _Atomic bool takes_held; /* consumer: the producer's process has ended; set by any thread */
};

size_t frame_ring_bytes(uint32_t slot_count, uint32_t slot_bytes);
/* Returns the slot size for frames of up to `frame_bytes`. */
uint32_t frame_ring_slot_bytes(uint32_t frame_bytes);

/* `memory` must be zeroed and aligned to 64 bytes. */
void frame_ring_format(void *memory, uint32_t slot_count, uint32_t slot_bytes);
/* Returns false if `room` bytes of memory do not hold a ring. */
bool frame_ring_attach(struct frame_ring *, void *memory, size_t room, int peer_doorbell);

/* Producer. */
uint32_t frame_ring_room(struct frame_ring *);
void frame_ring_put(struct frame_ring *, const struct pktio_frame *); /* needs room */
void frame_ring_publish(struct frame_ring *);                         /* all frames put so far */
void frame_ring_hold(
    struct frame_ring *); /* all frames put so far, until published or until this process ends */
bool frame_ring_is_holding(const struct frame_ring *); /* frames were put and not published */
void frame_ring_call(struct frame_ring *); /* after publishing: wakes a consumer that sleeps */
bool frame_ring_wait_for_room(struct frame_ring *);    /* false if there is room */
uint32_t frame_ring_unread(const struct frame_ring *); /* published and not released yet */

/* Consumer. Frames are lent until the next call, which releases them. A consumer that keeps frames
 * releases a number of them, the oldest first. */
uint32_t frame_ring_take(struct frame_ring *, struct pktio_received *, uint32_t max);
void frame_ring_give_back(struct frame_ring *, uint32_t count);
/* The producer's process has ended: also take the frames that it held. */
void frame_ring_outlive(struct frame_ring *);
bool frame_ring_sleep(struct frame_ring *); /* false if frames wait */
void frame_ring_awake(struct frame_ring *);
