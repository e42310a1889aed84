/* SPDX-License-Identifier: Apache-2.0 */
/* The PSNs that the responder has received: three bits for each PSN above `cack`, the highest PSN
 * up to which none is missing. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "wire/psn.h"

#define RECV_WINDOW_BYTES(psns) ((psns)*3 / 8)

/* The bits of 64 PSNs are adjacent: a packet touches one cache line. */
struct recv_word {
    uint64_t received;
    uint64_t begins; /* ... and began a message */
    uint64_t ends;   /* ... and ended one */
};

struct recv_window {
    struct psn cack;    /* all PSNs up to it were received */
    struct psn highest; /* highest PSN received */
    uint32_t psn_count; /* slots, a power of two, at least 64 */
    uint16_t ooo_count; /* PSNs received above cack */
    bool ended;         /* the packet at cack ended a message, or no packet has arrived yet */
    struct recv_word *words;
};

enum recv_window_place {
    RECV_WINDOW_NEW,
    RECV_WINDOW_DUPLICATE, /* received before, above or below cack */
    RECV_WINDOW_OLD,       /* far below cack: received long ago */
    RECV_WINDOW_BEYOND,
};

void recv_window_init(struct recv_window *, struct arena *, uint32_t psn_count);
void recv_window_start(struct recv_window *, struct psn expected);

static inline uint32_t recv_window_slot(const struct recv_window *window, struct psn psn)
{
    return psn.value & (window->psn_count - 1);
}

static inline const struct recv_word *recv_window_word(
    const struct recv_window *window, uint32_t slot)
{
    return &window->words[slot / 64];
}

/* Returns the place of a PSN. `range_psns`: number of PSNs above cack that are admitted. */
static inline enum recv_window_place recv_window_place(
    const struct recv_window *window, struct psn psn, uint32_t range_psns)
{
    int32_t ahead = psn_distance(window->cack, psn);
    uint32_t slot;

    if (ahead <= 0)
        return RECV_WINDOW_OLD;
    if (ahead > (int32_t)range_psns || ahead > (int32_t)window->psn_count)
        return RECV_WINDOW_BEYOND;
    slot = recv_window_slot(window, psn);
    return bits_test(&recv_window_word(window, slot)->received, slot % 64) ? RECV_WINDOW_DUPLICATE
                                                                           : RECV_WINDOW_NEW;
}

/* The place of a packet in its message, from its opcode. */
struct recv_window_part {
    bool begins;
    bool ends;
};

/* True if the new PSN fits those next to it that have arrived: a message begins exactly where the
 * message before it has ended. */
static inline bool recv_window_fits(
    const struct recv_window *window, struct psn psn, struct recv_window_part part)
{
    uint32_t ahead = (uint32_t)psn_distance(window->cack, psn);
    uint32_t slot = recv_window_slot(window, psn);
    uint32_t before = (slot - 1) & (window->psn_count - 1);
    uint32_t after = (slot + 1) & (window->psn_count - 1);
    const struct recv_word *word = recv_window_word(window, before);

    if (ahead == 1 && part.begins != window->ended)
        return false;
    if (window->ooo_count == 0)
        return true;
    /* Whether a packet begins or ends a message is known only for packets that have arrived. */
    if (ahead - 2 < window->psn_count && (part.begins ? bits_test(&word->received, before % 64) &&
                                                            !bits_test(&word->ends, before % 64)
                                                      : bits_test(&word->ends, before % 64)))
        return false;
    word = recv_window_word(window, after);
    return ahead >= window->psn_count || (part.ends ? !bits_test(&word->received, after % 64) ||
                                                          bits_test(&word->begins, after % 64)
                                                    : !bits_test(&word->begins, after % 64));
}

/* Moves cack to the last PSN before the first gap. Returns the number of messages that ended on the
 * way. */
uint32_t recv_window_advance(struct recv_window *);

static inline void recv_window_mark(
    struct recv_window *window, struct psn psn, struct recv_window_part part)
{
    uint32_t slot = recv_window_slot(window, psn);
    uint64_t bit = UINT64_C(1) << slot % 64;
    struct recv_word *word = &window->words[slot / 64];

    word->received |= bit;
    if (part.begins)
        word->begins |= bit;
    if (part.ends)
        word->ends |= bit;
    if (psn_before(window->highest, psn))
        window->highest = psn;
    window->ooo_count++;
}

/* Records a new PSN. Returns the number of messages that it completes. A packet that arrives in
 * order, with no packets above it, leaves the bitmaps unchanged. */
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

/* Returns 64 bits that show received PSNs, bit 0 for `base`. `base` is above cack and not above
 * highest. */
uint64_t recv_window_bitmap(const struct recv_window *, struct psn base);

void recv_window_check(const struct recv_window *);
