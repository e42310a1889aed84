/* SPDX-License-Identifier: Apache-2.0 */
/* The bitmaps of the responder. */
#include "transport/recv_window.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

void recv_window_init(struct recv_window *window, struct arena *arena, uint32_t psn_count)
{
    uint64_t *received = arena_take(arena, psn_count / 64, sizeof(*received), alignof(uint64_t));
    uint64_t *begins = arena_take(arena, psn_count / 64, sizeof(*begins), alignof(uint64_t));
    uint64_t *ends = arena_take(arena, psn_count / 64, sizeof(*ends), alignof(uint64_t));

    if (!window)
        return;
    assert(psn_count >= 64 && (psn_count & (psn_count - 1)) == 0);
    assert(psn_count <= UINT16_MAX); /* ooo_count has 16 bits */
    *window = (struct recv_window){
        .psn_count = psn_count, .received = received, .begins = begins, .ends = ends
    };
}

void recv_window_start(struct recv_window *window, struct psn expected)
{
    memset(window->received, 0, window->psn_count / 8);
    memset(window->begins, 0, window->psn_count / 8);
    memset(window->ends, 0, window->psn_count / 8);
    window->cack = psn_add(expected, -1);
    window->highest = window->cack;
    window->ooo_count = 0;
    window->ended = true;
}

/* Advances up to the end of a word. True if cack may advance into the next word. */
static bool advance_in_word(struct recv_window *window, uint32_t *messages)
{
    uint32_t slot = recv_window_slot(window, psn_add(window->cack, 1));
    uint32_t word = slot / 64;
    uint64_t taken = bits_run(window->received[word], slot % 64);
    uint32_t psns;

    if (!taken)
        return false;
    psns = bits_highest(taken) + 1 - slot % 64;
    if (window->ends[word] & taken)
        *messages += bits_count(window->ends[word] & taken);
    window->ended = window->ends[word] >> bits_highest(taken) & 1;
    window->received[word] &= ~taken;
    window->begins[word] &= ~taken;
    window->ends[word] &= ~taken;
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

uint64_t recv_window_bitmap(const struct recv_window *window, struct psn base)
{
    int32_t known = psn_distance(base, window->highest) + 1;
    uint64_t bits =
        bits_window(window->received, window->psn_count, recv_window_slot(window, base));

    /* In a small window, the bits beyond the highest PSN belong to the lowest PSNs. */
    return known >= 64 ? bits : known <= 0 ? 0 : bits & ((UINT64_C(1) << known) - 1);
}

void recv_window_check(const struct recv_window *window)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < window->psn_count / 64; i++) {
        count += bits_count(window->received[i]);
        assert((window->ends[i] & ~window->received[i]) == 0);
        assert((window->begins[i] & ~window->received[i]) == 0);
    }
    assert(count == window->ooo_count);
    assert(psn_distance(window->cack, window->highest) >= 0);
    assert(!bits_test(window->received, recv_window_slot(window, psn_add(window->cack, 1))));
}
