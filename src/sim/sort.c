/* SPDX-License-Identifier: Apache-2.0 */
/* Few entries, and many that are nearly sorted, are sorted by insertion. Others are first spread
 * over as many time buckets as there are entries, which puts nearly all of them into place. */
#include "sim/sort.h"

#include <stdbool.h>
#include <string.h>

enum {
    MOVES_PER_ENTRY = 12, /* by insertion; in any order, 24 entries need no more */
    BUCKET_BITS_MOST = 11,
};

/* Returns false if it takes more moves than this; the entries are then in any order. Not inlined,
 * so that lists which are sorted already need no registers for it. */
static __attribute__((noinline)) bool insertion_sort(
    struct mailbox_entry *entries, uint32_t count, uint64_t moves_most)
{
    uint64_t moves = 0;

    for (uint32_t i = 1; i < count; i++) {
        struct mailbox_entry entry;
        uint32_t at = i;

        if (entries[i - 1].key <= entries[i].key)
            continue;
        entry = entries[i];
        do {
            entries[at] = entries[at - 1];
            at--;
        } while (at > 0 && entries[at - 1].key > entry.key);
        entries[at] = entry;
        moves += i - at;
        if (__builtin_expect(moves > moves_most, false))
            return false;
    }
    return true;
}

static uint32_t bit_count(uint64_t value)
{
    return value == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(value);
}

struct buckets {
    uint64_t first_key;
    uint32_t shift; /* of the difference between a key and the first key */
    uint32_t count;
};

static struct buckets choose_buckets(const struct mailbox_entry *entries, uint32_t count)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    uint32_t bits = bit_count(count - 1);
    uint32_t span_bits;

    for (uint32_t i = 0; i < count; i++) {
        least = entries[i].key < least ? entries[i].key : least;
        most = entries[i].key > most ? entries[i].key : most;
    }
    if (bits > BUCKET_BITS_MOST)
        bits = BUCKET_BITS_MOST;
    span_bits = bit_count(most - least);
    return (struct buckets){ .first_key = least,
        .shift = span_bits > bits ? span_bits - bits : 0,
        .count = UINT32_C(1) << bits };
}

static void bucket_sort(
    const struct mailbox_entry *entries, uint32_t count, struct mailbox_entry *out)
{
    struct buckets buckets = choose_buckets(entries, count);
    uint32_t positions[1 << BUCKET_BITS_MOST];
    uint32_t sum = 0;

    memset(positions, 0, buckets.count * sizeof(positions[0]));
    for (uint32_t i = 0; i < count; i++)
        positions[(entries[i].key - buckets.first_key) >> buckets.shift]++;
    for (uint32_t bucket = 0; bucket < buckets.count; bucket++) {
        uint32_t here = positions[bucket];

        positions[bucket] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; i++)
        out[positions[(entries[i].key - buckets.first_key) >> buckets.shift]++] = entries[i];
}

/* Most lists are: their entries were put into buckets by time, or have one sender. */
static inline bool is_sorted(const struct mailbox_entry *entries, uint32_t count)
{
    const struct mailbox_entry *end = entries + count;
    uint64_t before = 0;

    for (; entries != end; entries++) {
        if (entries->key < before)
            return false;
        before = entries->key;
    }
    return true;
}

struct mailbox_entry *sort_entries(
    struct mailbox_entry *entries, uint32_t count, struct mailbox_entry *spare)
{
    if (is_sorted(entries, count))
        return entries;
    if (insertion_sort(entries, count, (uint64_t)MOVES_PER_ENTRY * count))
        return entries;
    bucket_sort(entries, count, spare);
    insertion_sort(spare, count, UINT64_MAX);
    return spare;
}
