/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of arrivals, and the sequence of windows. */
#include "sim/mailbox.h"

#include <string.h>

#include "sim/packets.h"

enum {
    PS_PER_NS = 1000,
    WHEEL_TICK_NS = 256,
    MANY_LEAST = 32, /* entries of a list */
    BUCKET_BITS_MOST = 11,
};

void mailbox_init(struct mailbox *mailbox, struct arena *arena, uint32_t node_count,
    uint32_t packet_count, uint64_t window_ps)
{
    uint32_t words = (node_count + 63) / 64;
    size_t lists = (size_t)MAILBOX_WINDOWS * node_count;

    assert(window_ps > 0 && window_ps <= UINT32_MAX);
    assert(packet_count <= MAILBOX_PACKETS_MOST);
    packets_begin_pool(arena, (size_t)packet_count * MAILBOX_CHUNK_UNITS * sizeof(*mailbox->units));
    *mailbox = (struct mailbox){ .window_ps = window_ps,
        .node_count = node_count,
        .word_count = words,
        .next = arena_take(arena, lists, sizeof(*mailbox->next), 64),
        .active = arena_take(arena, (size_t)MAILBOX_WINDOWS * words, sizeof(uint64_t), 64),
        .chunk_count = packet_count,
        .free_chunk = MAILBOX_NONE };
    wheel_init(arena->memory ? &mailbox->wheel : NULL, arena, node_count);
    /* what is used only in part comes last: its pages then have nothing else */
    mailbox->units = packets_take_memory(
        arena, (size_t)packet_count * MAILBOX_CHUNK_UNITS, sizeof(*mailbox->units));
    mailbox->far = packets_take_memory(arena, packet_count, sizeof(*mailbox->far));
}

/* ---- lists ----------------------------------------------------------------------------------- */

static union mailbox_unit *chunk_at(const struct mailbox *mailbox, uint32_t chunk)
{
    return &mailbox->units[(size_t)chunk * MAILBOX_CHUNK_UNITS];
}

static struct mailbox_head head_after(const struct mailbox *mailbox, uint32_t older, uint32_t chunk)
{
    const struct mailbox_head *before;

    if (older == MAILBOX_NONE)
        return (struct mailbox_head){ .older = older, .second = chunk, .third = chunk };
    before = &chunk_at(mailbox, older)->head;
    return (struct mailbox_head){ .older = older,
        .count_before = before->count_before + MAILBOX_CHUNK_UNITS - 1,
        .second = before->older == MAILBOX_NONE ? chunk : before->older,
        .third = before->second };
}

/* Every chunk in use has at least one entry, and there are as many chunks as packets. */
uint32_t mailbox_take_chunk(struct mailbox *mailbox, uint32_t next)
{
    uint32_t older = next == 0 ? MAILBOX_NONE : next / MAILBOX_CHUNK_UNITS - 1;
    uint32_t chunk = mailbox->free_chunk;

    if (chunk == MAILBOX_NONE) {
        assert(mailbox->chunks_touched < mailbox->chunk_count);
        chunk = mailbox->chunks_touched++;
    } else {
        mailbox->free_chunk = chunk_at(mailbox, chunk)->head.older;
        if (mailbox->free_chunk != MAILBOX_NONE)
            __builtin_prefetch(chunk_at(mailbox, mailbox->free_chunk), 1);
    }
    chunk_at(mailbox, chunk)->head = head_after(mailbox, older, chunk);
    return chunk * MAILBOX_CHUNK_UNITS + 1;
}

/* The entries of a list, from the newest chunk to the oldest. */
struct list {
    uint32_t newest;
    uint32_t newest_count; /* entries in it; older ones are full */
    uint32_t total;
};

static uint32_t free_after(struct mailbox *mailbox, uint32_t chunk)
{
    struct mailbox_head *head = &chunk_at(mailbox, chunk)->head;
    uint32_t older = head->older;

    head->older = mailbox->free_chunk;
    mailbox->free_chunk = chunk;
    return older;
}

/* Fills `out` from its end, so that entries of one sender are in the order in which it posted
 * them. */
static void take_few(struct mailbox *mailbox, const struct list *list, struct mailbox_entry *out)
{
    uint32_t count = list->newest_count;

    for (uint32_t chunk = list->newest; chunk != MAILBOX_NONE;
         chunk = free_after(mailbox, chunk), count = MAILBOX_CHUNK_UNITS - 1) {
        const union mailbox_unit *units = chunk_at(mailbox, chunk);

        for (uint32_t i = 0; i < count; i++)
            out[units->head.count_before + i] = units[1 + i].entry;
    }
}

/* The entries of a long list are put into buckets by time, so that little is left to sort: arrivals
 * are spread almost evenly over a window. */
struct buckets {
    uint32_t shift; /* from a key to its bucket */
    uint32_t count;
    uint32_t ends[1 << BUCKET_BITS_MOST];
};

static void count_entries(
    const struct mailbox *mailbox, const struct list *list, struct buckets *buckets)
{
    uint32_t count = list->newest_count;
    uint32_t sum = 0;

    memset(buckets->ends, 0, buckets->count * sizeof(buckets->ends[0]));
    for (uint32_t chunk = list->newest; chunk != MAILBOX_NONE;
         chunk = chunk_at(mailbox, chunk)->head.older, count = MAILBOX_CHUNK_UNITS - 1) {
        const union mailbox_unit *units = chunk_at(mailbox, chunk);

        mailbox_fetch_chunk(mailbox, units->head.third);
        for (const union mailbox_unit *unit = units + count; unit != units; unit--)
            buckets->ends[unit->entry.key >> buckets->shift]++;
    }
    for (uint32_t i = 0; i < buckets->count; i++)
        buckets->ends[i] = sum += buckets->ends[i];
}

static void take_many(struct mailbox *mailbox, const struct list *list, struct mailbox_entry *out)
{
    uint32_t count = list->newest_count;
    uint32_t total_bits = 31 - (uint32_t)__builtin_clz(list->total);
    uint32_t bits = total_bits < BUCKET_BITS_MOST ? total_bits : BUCKET_BITS_MOST;
    uint32_t window_bits = 64 - (uint32_t)__builtin_clzll(mailbox->window_ps);
    struct buckets buckets;

    bits = bits < window_bits ? bits : window_bits;
    buckets.shift = 32 + window_bits - bits;
    buckets.count = UINT32_C(1) << bits;
    count_entries(mailbox, list, &buckets);
    for (uint32_t chunk = list->newest; chunk != MAILBOX_NONE;
         chunk = free_after(mailbox, chunk), count = MAILBOX_CHUNK_UNITS - 1) {
        const union mailbox_unit *units = chunk_at(mailbox, chunk);

        for (uint32_t i = count; i > 0; i--)
            out[--buckets.ends[units[i].entry.key >> buckets.shift]] = units[i].entry;
    }
}

uint32_t mailbox_take(struct mailbox *mailbox, uint32_t node, struct mailbox_entry *out)
{
    uint32_t *next = &mailbox->next[mailbox->slot * mailbox->node_count + node];
    struct list list;

    if (*next == 0)
        return 0;
    list.newest = (*next - 1) / MAILBOX_CHUNK_UNITS;
    list.newest_count = (*next - 1) % MAILBOX_CHUNK_UNITS;
    list.total = chunk_at(mailbox, list.newest)->head.count_before + list.newest_count;
    *next = 0;
    if (list.total < MANY_LEAST)
        take_few(mailbox, &list, out);
    else
        take_many(mailbox, &list, out);
    return list.total;
}

/* ---- beyond the windows ---------------------------------------------------------------------- */

void mailbox_post_far(struct mailbox *mailbox, uint32_t node, uint32_t port, uint64_t time_ps,
    struct port_entry packet)
{
    uint32_t at = mailbox->far_count++;

    assert(at < mailbox->chunk_count);
    while (at > 0 && mailbox->far[(at - 1) / 2].time_ps > time_ps) {
        mailbox->far[at] = mailbox->far[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    mailbox->far[at] =
        (struct mailbox_far){ .time_ps = time_ps, .node = node, .port = port, .packet = packet };
}

static struct mailbox_far pop_far(struct mailbox *mailbox)
{
    struct mailbox_far first = mailbox->far[0];
    struct mailbox_far last = mailbox->far[--mailbox->far_count];
    uint32_t at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child + 1 < mailbox->far_count &&
            mailbox->far[child + 1].time_ps < mailbox->far[child].time_ps)
            child++;
        if (child >= mailbox->far_count || mailbox->far[child].time_ps >= last.time_ps)
            break;
        mailbox->far[at] = mailbox->far[child];
        at = child;
    }
    mailbox->far[at] = last;
    return first;
}

/* The wheel may be late by a tick, so it is set a tick early. */
void mailbox_wake_far(struct mailbox *mailbox, uint32_t node, uint64_t time_ps)
{
    uint64_t time_ns = time_ps / PS_PER_NS;

    time_ns = time_ns > WHEEL_TICK_NS ? time_ns - WHEEL_TICK_NS : 0;
    if (time_ns < wheel_deadline_of(&mailbox->wheel, node))
        wheel_set(&mailbox->wheel, node, time_ns);
}

/* Moves arrivals and wakes that now fall into the current window. */
static void bring_near(struct mailbox *mailbox)
{
    uint64_t end_ps = mailbox->open_ps + mailbox->window_ps;
    uint32_t node;

    while (mailbox->far_count > 0 && mailbox->far[0].time_ps < end_ps) {
        struct mailbox_far far = pop_far(mailbox);

        mailbox_append(mailbox, mailbox->slot, far.node,
            (far.time_ps - mailbox->open_ps) << 32 | far.port, &far.packet);
    }
    while ((node = wheel_take(&mailbox->wheel, end_ps / PS_PER_NS)) != WHEEL_NONE)
        mailbox_activate(mailbox, mailbox->slot, node);
}

/* ---- windows --------------------------------------------------------------------------------- */

uint32_t mailbox_take_active(struct mailbox *mailbox, uint32_t *nodes)
{
    uint64_t *words = &mailbox->active[(size_t)mailbox->slot * mailbox->word_count];
    uint32_t count = 0;

    for (uint32_t i = 0; i < mailbox->word_count; i++) {
        uint64_t word = words[i];

        words[i] = 0;
        for (; word; word &= word - 1)
            nodes[count++] = 64 * i + (uint32_t)__builtin_ctzll(word);
    }
    return count;
}

static bool slot_is_active(const struct mailbox *mailbox, uint32_t slot)
{
    for (uint32_t i = 0; i < mailbox->word_count; i++)
        if (mailbox->active[slot * mailbox->word_count + i])
            return true;
    return false;
}

uint64_t mailbox_next_ps(const struct mailbox *mailbox, uint64_t limit_ps)
{
    uint64_t wake_ns = wheel_next_ns(&mailbox->wheel);

    for (uint32_t ahead = 0; ahead < MAILBOX_WINDOWS; ahead++)
        if (slot_is_active(mailbox, (mailbox->slot + ahead) % MAILBOX_WINDOWS)) {
            uint64_t open_ps = mailbox->open_ps + ahead * mailbox->window_ps;

            if (open_ps < limit_ps)
                limit_ps = open_ps;
            break;
        }
    if (mailbox->far_count > 0 && mailbox->far[0].time_ps < limit_ps)
        limit_ps = mailbox->far[0].time_ps;
    if (wake_ns < limit_ps / PS_PER_NS)
        limit_ps = wake_ns * PS_PER_NS;
    return limit_ps;
}

void mailbox_open(struct mailbox *mailbox, uint64_t open_ps)
{
    uint64_t windows = (open_ps - mailbox->open_ps) / mailbox->window_ps;

    assert(open_ps >= mailbox->open_ps);
    assert(open_ps % mailbox->window_ps == 0);
    mailbox->open_ps = open_ps;
    mailbox->slot = (uint32_t)((mailbox->slot + windows) % MAILBOX_WINDOWS);
    bring_near(mailbox);
}

uint64_t mailbox_count(const struct mailbox *mailbox)
{
    uint64_t count = mailbox->far_count;

    for (uint32_t i = 0; i < MAILBOX_WINDOWS * mailbox->node_count; i++) {
        uint32_t last = mailbox->next[i] - 1;
        uint32_t first = last / MAILBOX_CHUNK_UNITS * MAILBOX_CHUNK_UNITS;

        if (mailbox->next[i] != 0)
            count += mailbox->units[first].head.count_before + last - first;
    }
    return count;
}
