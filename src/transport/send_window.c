/* SPDX-License-Identifier: Apache-2.0 */
/* Searches over the window of PSNs in flight, 64 at a time. */
#include "transport/send_window.h"

#include <stdalign.h>
#include <string.h>

void send_window_init(struct send_window *window, struct arena *arena, uint32_t psn_count)
{
    uint32_t *sent = arena_take(arena, psn_count, sizeof(*sent), alignof(uint32_t));
    uint64_t *acked = arena_take(arena, psn_count / 64, sizeof(*acked), alignof(uint64_t));
    uint64_t *lost = arena_take(arena, psn_count / 64, sizeof(*lost), alignof(uint64_t));
    uint8_t *flags = arena_take(arena, psn_count, sizeof(*flags), 1);

    if (!window)
        return;
    assert(psn_count >= 64 && (psn_count & (psn_count - 1)) == 0);
    *window = (struct send_window){
        .psn_count = psn_count, .sent = sent, .flags = flags, .acked = acked, .lost = lost
    };
}

void send_window_lend(struct send_window *window, struct arena *arena)
{
    struct send_window empty = *window;

    send_window_init(window, arena, window->psn_count);
    window->oldest = window->next = empty.next;
}

void send_window_start(struct send_window *window, struct psn first)
{
    if (window->acked) {
        memset(window->acked, 0, window->psn_count / 8);
        memset(window->lost, 0, window->psn_count / 8);
    }
    window->oldest = first;
    window->next = first;
    window->inflight_bytes = 0;
    window->lost_count = 0;
}

/* `count` bounds the index, because slots that were never used hold arbitrary EVs. */
void send_window_rename(struct send_window *window, const uint16_t *names, uint32_t count)
{
    for (uint32_t slot = 0; slot < window->psn_count; slot++) {
        struct send_record record = send_window_record(window, psn(slot));
        uint32_t name = record.ev_index < count ? names[record.ev_index] : 0;

        window->sent[slot] = record.ticks << 8 | (name & 0xff);
        window->flags[slot] =
            (uint8_t)((name >> 2 & 0xc0) | (record.flags & ~(uint32_t)SEND_DEMOTED));
    }
}

bool send_window_advance(struct send_window *window)
{
    struct psn before = window->oldest;
    uint64_t leaving;

    do {
        uint32_t slot = send_window_slot(window, window->oldest);

        leaving = bits_run(window->acked[slot / 64], slot % 64);
        if (!leaving)
            break;
        window->acked[slot / 64] &= ~leaving;
        window->oldest = psn_add(window->oldest, (int32_t)(bits_highest(leaving) + 1 - slot % 64));
    } while (bits_highest(leaving) == 63); /* the window may advance into the next word */
    return !psn_equal(before, window->oldest);
}

struct psn send_window_next_in_flight(const struct send_window *window, struct psn from)
{
    int32_t left = psn_distance(from, window->next);

    while (left > 0) {
        uint32_t slot = send_window_slot(window, from);
        uint64_t in_flight = ~(window->acked[slot / 64] | window->lost[slot / 64]) >> slot % 64;
        int32_t step = (int32_t)(64 - slot % 64);

        if (in_flight) {
            step = (int32_t)bits_lowest(in_flight);
            return step < left ? psn_add(from, step) : window->next;
        }
        from = psn_add(from, step);
        left -= step;
    }
    return window->next;
}

struct psn send_window_oldest_lost(const struct send_window *window)
{
    uint32_t first = send_window_slot(window, window->oldest);
    uint32_t slot = bits_next_set(window->lost, window->psn_count, first);

    if (slot == window->psn_count)
        slot = bits_next_set(window->lost, window->psn_count, 0);
    assert(slot < window->psn_count);
    return psn_add(window->oldest, (int32_t)((slot - first) & (window->psn_count - 1)));
}

void send_window_check(const struct send_window *window,
    uint32_t (*nominal_bytes_of)(const void *, struct psn), const void *context)
{
    uint32_t inflight_bytes = 0;
    uint32_t lost_count = 0;
    uint32_t bits = 0;

    assert(send_window_count(window) <= window->psn_count);
    for (struct psn psn = window->oldest; !psn_equal(psn, window->next); psn = psn_add(psn, 1)) {
        bool acked = send_window_is_acked(window, psn);
        bool lost = send_window_is_lost(window, psn);

        assert(!(acked && lost));
        lost_count += lost;
        bits += acked;
        if (!acked && !lost)
            inflight_bytes += nominal_bytes_of(context, psn);
    }
    assert(lost_count == window->lost_count);
    assert(inflight_bytes == window->inflight_bytes);
    for (uint32_t i = 0; i < window->psn_count / 64; i++)
        bits -= bits_count(window->acked[i]);
    assert(bits == 0);
}
