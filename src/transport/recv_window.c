/* SPDX-License-Identifier: Apache-2.0 */
/* The bitmaps of the responder. */
#include "transport/recv_window.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

void recv_window_init(struct recv_window *window, struct arena *arena, uint32_t psn_count)
{
    struct recv_word *words =
        arena_take(arena, psn_count / 64, sizeof(*words), alignof(struct recv_word));

    if (!window)
        return;
    assert(psn_count >= 64 && (psn_count & (psn_count - 1)) == 0);
    assert(psn_count <= UINT16_MAX); /* ooo_count has 16 bits */
    *window = (struct recv_window){ .psn_count = psn_count, .words = words };
}

void recv_window_start(struct recv_window *window, struct psn expected)
{
    memset(window->words, 0, window->psn_count / 64 * sizeof(*window->words));
    window->cack = psn_add(expected, -1);
    window->highest = window->cack;
    window->ooo_count = 0;
    window->ended = true;
}

/* Advances up to the end of a word. True if cack may advance into the next word. */
static bool advance_in_word(struct recv_window *window, uint32_t *messages)
{
    uint32_t slot = recv_window_slot(window, psn_add(window->cack, 1));
    struct recv_word *word = &window->words[slot / 64];
    uint64_t taken = bits_run(word->received, slot % 64);
    uint32_t psns;

    if (!taken)
        return false;
    psns = bits_highest(taken) + 1 - slot % 64;
    if (word->ends & taken)
        *messages += bits_count(word->ends & taken);
    window->ended = word->ends >> bits_highest(taken) & 1;
    word->received &= ~taken;
    word->begins &= ~taken;
    word->ends &= ~taken;
    window->cack = psn_add(window->cack, (int32_t)psns);
    window->ooo_count = (uint16_t)(window->ooo_count - psns);
    return bits_highest(taken) == 63;
}

uint32_t recv_window_advance(struct recv_window *window)
{
    uint32_t messages = 0;

    while (advance_in_word(window, &messages))
        ;
    return messages;
}

/* Returns the bits of 64 slots from `slot` on. The window is circular. */
static uint64_t received_from(const struct recv_window *window, uint32_t slot)
{
    uint32_t word = slot / 64;
    uint32_t next = (word + 1) & (window->psn_count / 64 - 1);

    if (slot % 64 == 0)
        return window->words[word].received;
    return window->words[word].received >> slot % 64 | window->words[next].received
                                                           << (64 - slot % 64);
}

uint64_t recv_window_bitmap(const struct recv_window *window, struct psn base)
{
    int32_t known = psn_distance(base, window->highest) + 1;
    uint64_t bits = received_from(window, recv_window_slot(window, base));

    /* In a small window, the bits beyond the highest PSN belong to the lowest PSNs. */
    return known >= 64 ? bits : known <= 0 ? 0 : bits & ((UINT64_C(1) << known) - 1);
}

void recv_window_check(const struct recv_window *window)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < window->psn_count / 64; i++) {
        const struct recv_word *word = &window->words[i];

        count += bits_count(word->received);
        assert((word->ends & ~word->received) == 0);
        assert((word->begins & ~word->received) == 0);
    }
    assert(count == window->ooo_count);
    assert(psn_distance(window->cack, window->highest) >= 0);
    assert(!(received_from(window, recv_window_slot(window, psn_add(window->cack, 1))) & 1));
}
