/* SPDX-License-Identifier: Apache-2.0 */
/* What the responder remembers of PSNs: three bits each for the PSNs above `cack`, the last one
 * below which nothing is missing. */
#pragma once

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
    uint32_t ooo_count; /* received above cack */
    uint64_t *received;
    uint64_t *ends;     /* ... and ended a message */
    uint64_t *requests; /* ... and asked for an acknowledgement */
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

struct recv_window_progress {
    uint32_t psns;     /* by how much cack advanced */
    uint32_t messages; /* ended within */
    bool ack_requested;
};

/* A new PSN has come: marks it, and moves cack over all that has arrived without a gap. */
struct recv_window_progress recv_window_take_among_gaps(
    struct recv_window *, struct psn, bool ends_message, bool ack_requested);

/* The same; what comes in order, with nothing waiting above it, leaves no trace in the bitmaps. */
static inline struct recv_window_progress recv_window_take(
    struct recv_window *window, struct psn psn, bool ends_message, bool ack_requested)
{
    if (window->ooo_count > 0 || psn_distance(window->cack, psn) != 1)
        return recv_window_take_among_gaps(window, psn, ends_message, ack_requested);
    window->cack = window->highest = psn;
    return (struct recv_window_progress){
        .psns = 1, .messages = ends_message, .ack_requested = ack_requested
    };
}

/* 64 bits of what was received, bit 0 for `base`, which lies above cack and at most at highest. */
uint64_t recv_window_bitmap(const struct recv_window *, struct psn base);

void recv_window_check(const struct recv_window *);
