/* SPDX-License-Identifier: Apache-2.0 */
/* The record of each PSN in flight: five bytes and two bitmap bits per PSN.
 *
 * PSNs from `oldest` up to but not including `next` are in the window; each is in flight,
 * acknowledged or lost (to be sent again). The record of a PSN stays readable until the PSN one
 * window later uses its slot. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "wire/psn.h"

#define SEND_WINDOW_TICK_NS     64
#define SEND_WINDOW_TICK_MASK   UINT32_C(0xffffff)  /* send times wrap after 1.07 s */
#define SEND_WINDOW_AGE_MAX_NS  UINT64_C(500000000) /* half of it: longer ages are not reliable */
#define SEND_WINDOW_PSN_BYTES   5                   /* of records, per PSN */
#define SEND_WINDOW_BYTES(psns) ((psns)*SEND_WINDOW_PSN_BYTES + (psns) / 4)

enum send_flag {
    SEND_ODD_SIZE = 1 << 0, /* not the size of a full packet: ask the send queue */
    SEND_TWICE = 1 << 1,    /* sent again once ... */
    SEND_OFTEN = 1 << 2,    /* ... or more often; both: once, and the first copy arrived */
    SEND_DEMOTED = 1 << 3,  /* its loss made the EV bad */
    SEND_HELD = 1 << 4, /* NACKed because the peer lacks a resource: waits until hold_until_ns */
};

struct send_record {
    uint32_t ticks; /* send time of the newest copy, 24 bits of 64 ns */
    uint32_t ev_index;
    uint8_t flags; /* enum send_flag */
};

struct send_window {
    struct psn oldest;
    struct psn next;
    uint32_t psn_count; /* slots, a power of two, at least 64 */
    uint32_t inflight_bytes;
    uint32_t lost_count;
    uint32_t *sent; /* ticks << 8 | low 8 bits of the EV index */
    uint8_t *flags; /* high 2 bits of the EV index, then enum send_flag */
    uint64_t *acked;
    uint64_t *lost;
};

void send_window_init(struct send_window *, struct arena *, uint32_t psn_count);
/* Gives an empty window, which may lack its memory, other memory. */
void send_window_lend(struct send_window *, struct arena *);
void send_window_start(struct send_window *, struct psn first);

static inline uint32_t send_window_ticks(uint64_t now_ns)
{
    return (uint32_t)(now_ns / SEND_WINDOW_TICK_NS) & SEND_WINDOW_TICK_MASK;
}

/* Returns the age of a send time, for ages below 1.07 s. */
static inline uint32_t send_window_age_ns(uint32_t ticks, uint64_t now_ns)
{
    return ((send_window_ticks(now_ns) - ticks) & SEND_WINDOW_TICK_MASK) * SEND_WINDOW_TICK_NS;
}

/* True if tick `a` is later than tick `b`. */
static inline bool send_window_later(uint32_t a, uint32_t b)
{
    return ((a - b) & SEND_WINDOW_TICK_MASK) - 1 < SEND_WINDOW_TICK_MASK / 2;
}

static inline uint32_t send_window_slot(const struct send_window *window, struct psn psn)
{
    return psn.value & (window->psn_count - 1);
}

static inline bool send_window_holds(const struct send_window *window, struct psn psn)
{
    return psn_distance(window->oldest, psn) >= 0 && psn_distance(psn, window->next) > 0;
}

/* True if the record of the PSN can still be read, even if it was acknowledged. */
static inline bool send_window_remembers(const struct send_window *window, struct psn psn)
{
    int32_t behind = psn_distance(psn, window->next);

    return behind > 0 && behind <= (int32_t)window->psn_count;
}

static inline struct send_record send_window_record(
    const struct send_window *window, struct psn psn)
{
    uint32_t slot = send_window_slot(window, psn);
    uint32_t sent = window->sent[slot];
    uint32_t flags = window->flags[slot];

    return (struct send_record){
        .ticks = sent >> 8, .ev_index = (sent & 0xff) | (flags & 0xc0) << 2, .flags = flags & 0x3f
    };
}

static inline bool send_window_is_acked(const struct send_window *window, struct psn psn)
{
    return bits_test(window->acked, send_window_slot(window, psn));
}

static inline bool send_window_is_lost(const struct send_window *window, struct psn psn)
{
    return bits_test(window->lost, send_window_slot(window, psn));
}

static inline uint32_t send_window_count(const struct send_window *window)
{
    return (uint32_t)psn_distance(window->oldest, window->next);
}

static inline void send_window_keep(
    struct send_window *window, uint32_t slot, struct send_record record)
{
    window->sent[slot] = record.ticks << 8 | (record.ev_index & 0xff);
    window->flags[slot] = (uint8_t)((record.ev_index >> 2 & 0xc0) | record.flags);
}

/* Records that the next PSN is sent for the first time. */
static inline void send_window_sent(
    struct send_window *window, struct send_record record, uint32_t nominal_bytes)
{
    struct psn psn = window->next;

    window->next = psn_add(psn, 1);
    window->inflight_bytes += nominal_bytes;
    send_window_keep(window, send_window_slot(window, psn), record);
}

/* Records that a lost PSN is sent again. */
static inline void send_window_sent_again(
    struct send_window *window, struct psn psn, struct send_record record, uint32_t nominal_bytes)
{
    uint32_t slot = send_window_slot(window, psn);

    assert(bits_test(window->lost, slot));
    bits_clear(window->lost, slot);
    window->lost_count--;
    window->inflight_bytes += nominal_bytes;
    send_window_keep(window, slot, record);
}

static inline void send_window_set_flags(struct send_window *window, struct psn psn, uint8_t flags)
{
    window->flags[send_window_slot(window, psn)] |= flags;
}

/* Acknowledges PSNs for the first time: those in `bits`, bit 0 for `base`, all in the window.
 * Returns those that were in flight and not declared lost. */
static inline uint64_t send_window_acknowledge(
    struct send_window *window, struct psn base, uint64_t bits)
{
    uint32_t slot = send_window_slot(window, base);
    uint64_t lost = 0;

    if (window->lost_count > 0) {
        lost = bits & bits_window(window->lost, window->psn_count, slot);
        bits_window_clear(window->lost, window->psn_count, slot, lost);
        window->lost_count -= bits_count(lost);
    }
    bits_window_set(window->acked, window->psn_count, slot, bits);
    return bits & ~lost;
}

/* Subtracts packets of this total nominal size from the bytes in flight. */
static inline void send_window_shrink(struct send_window *window, uint32_t nominal_bytes)
{
    assert(window->inflight_bytes >= nominal_bytes);
    window->inflight_bytes -= nominal_bytes;
}

/* Marks the newest copy of a PSN as lost. */
static inline void send_window_lose(
    struct send_window *window, struct psn psn, uint32_t nominal_bytes)
{
    uint32_t slot = send_window_slot(window, psn);

    assert(!bits_test(window->acked, slot) && !bits_test(window->lost, slot));
    bits_set(window->lost, slot);
    window->lost_count++;
    window->inflight_bytes -= nominal_bytes;
}

/* Returns those of the PSNs in `bits`, bit 0 for `base`, that are in the window and not
 * acknowledged. */
static inline uint64_t send_window_unacked(
    const struct send_window *window, struct psn base, uint64_t bits)
{
    int32_t to_oldest = psn_distance(base, window->oldest);
    int32_t to_next = psn_distance(base, window->next);

    if (to_oldest >= 64 || to_next <= 0)
        return 0;
    if (to_oldest > 0)
        bits &= ~UINT64_C(0) << to_oldest;
    if (to_next < 64)
        bits &= (UINT64_C(1) << to_next) - 1;
    return bits & ~bits_window(window->acked, window->psn_count, send_window_slot(window, base));
}

/* Replaces EV index i, of `count`, by names[i] in all records, and clears SEND_DEMOTED. */
void send_window_rename(struct send_window *, const uint16_t *names, uint32_t count);

/* Removes acknowledged PSNs at the old end of the window. True if there were any. */
bool send_window_advance(struct send_window *);

/* Returns the first PSN at or after `from` that is in flight; `next` if there is none. */
struct psn send_window_next_in_flight(const struct send_window *, struct psn from);

/* Returns the oldest lost PSN. There must be one. */
struct psn send_window_oldest_lost(const struct send_window *);

/* Checks the invariants. `nominal_bytes_of` returns the size of a PSN; inflight_bytes must be the
 * sum of the sizes of the PSNs in flight. */
void send_window_check(const struct send_window *,
    uint32_t (*nominal_bytes_of)(const void *, struct psn), const void *context);
