/* SPDX-License-Identifier: Apache-2.0 */
/* What the responder remembers of PSNs: three bits each for the PSNs above `cack`, the last one
 * below which nothing is missing. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "wire/psn.h"

#define RECV_WINDOW_BYTES(psns) ((psns)*3 / 8)

struct recv_window {
    struct psn cack;    /* all PSNs up to it were received */
    struct psn highest; /* the highest received */
    uint32_t psn_count; /* slots, a power of two, at least 64 */
    uint16_t ooo_count; /* received above cack */
    bool ended;         /* the packet at cack ended a message, or none has come yet */
    uint64_t *received;
    uint64_t *begins; /* ... and began a message */
    uint64_t *ends;   /* ... and ended one */
};

enum recv_window_place {
    RECV_WINDOW_NEW,
    RECV_WINDOW_DUPLICATE, /* received already, above or below cack */
    RECV_WINDOW_OLD,       /* below cack: received long ago */
    RECV_WINDOW_BEYOND,
};

void recv_window_init(struct recv_window *, struct arena *, uint32_t psn_count);
void recv_window_start(struct recv_window *, struct psn expected);

static inline uint32_t recv_window_slot(const struct recv_window *window, struct psn psn)
{
    return psn.value & (window->psn_count - 1);
}

/* `range_psns`: how many PSNs above cack are admitted. */
static inline enum recv_window_place recv_window_place(
    const struct recv_window *window, struct psn psn, uint32_t range_psns)
{
    int32_t ahead = psn_distance(window->cack, psn);

    if (ahead <= 0)
        return RECV_WINDOW_OLD;
    if (ahead > (int32_t)range_psns || ahead > (int32_t)window->psn_count)
        return RECV_WINDOW_BEYOND;
    return bits_test(window->received, recv_window_slot(window, psn)) ? RECV_WINDOW_DUPLICATE
                                                                      : RECV_WINDOW_NEW;
}

/* What a packet's opcode says of its place in a message. */
struct recv_window_part {
    bool begins;
    bool ends;
};

/* A message begins where the one before has ended, and nowhere else: whether that holds between a
 * new PSN and those next to it that have arrived. */
static inline bool recv_window_fits(
    const struct recv_window *window, struct psn psn, struct recv_window_part part)
{
    uint32_t ahead = (uint32_t)psn_distance(window->cack, psn);
    uint32_t before = recv_window_slot(window, psn_add(psn, -1));
    uint32_t after = recv_window_slot(window, psn_add(psn, 1));

    if (ahead == 1 && part.begins != window->ended)
        return false;
    if (window->ooo_count == 0)
        return true;
    /* Only of what has arrived it is known whether it began or ended a message. */
    if (ahead - 2 < window->psn_count &&
        (part.begins ? bits_test(window->received, before) && !bits_test(window->ends, before)
                     : bits_test(window->ends, before)))
        return false;
    return ahead >= window->psn_count ||
           (part.ends ? !bits_test(window->received, after) || bits_test(window->begins, after)
                      : !bits_test(window->begins, after));
}

/* Moves cack over all that has arrived without a gap. Returns the number of messages that ended
 * there. */
uint32_t recv_window_advance(struct recv_window *);

static inline void recv_window_mark(
    struct recv_window *window, struct psn psn, struct recv_window_part part)
{
    uint32_t slot = recv_window_slot(window, psn);
    uint64_t bit = UINT64_C(1) << slot % 64;

    window->received[slot / 64] |= bit;
    if (part.begins)
        window->begins[slot / 64] |= bit;
    if (part.ends)
        window->ends[slot / 64] |= bit;
    if (psn_before(window->highest, psn))
        window->highest = psn;
    window->ooo_count++;
}

/* A new PSN has come. Returns the number of messages that are complete with it. What comes in
 * order, with nothing waiting above it, leaves no trace in the bitmaps. */
static inline uint32_t recv_window_take(
    struct recv_window *window, struct psn psn, struct recv_window_part part)
{
    bool is_next = psn_distance(window->cack, psn) == 1;

    if (is_next && window->ooo_count == 0) {
        window->cack = window->highest = psn;
        window->ended = part.ends;
        return part.ends;
    }
    recv_window_mark(window, psn, part);
    return is_next ? recv_window_advance(window) : 0;
}

/* 64 bits of what was received, bit 0 for `base`, which lies above cack and at most at highest. */
uint64_t recv_window_bitmap(const struct recv_window *, struct psn base);

void recv_window_check(const struct recv_window *);
