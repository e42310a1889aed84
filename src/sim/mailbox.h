/* SPDX-License-Identifier: Apache-2.0 */
/* Future arrivals: one list for each node and window of time.
 *
 * Windows are no longer than the shortest way between two nodes, so all packets that reach a node
 * inside a window were posted before the window opened. Nodes are numbers. A node that expects no
 * arrival but has something to do asks to be woken; other nodes cost nothing. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/wheel.h"
#include "switch/switch.h"

#define MAILBOX_WINDOWS     8 /* windows with lists; later arrivals wait in a heap */
#define MAILBOX_NONE        UINT32_MAX
#define MAILBOX_CHUNK_UNITS 8
#define MAILBOX_PACKETS_MOST                                                                       \
    (UINT32_MAX / MAILBOX_CHUNK_UNITS - 1) /* units have 32-bit numbers                            \
                                            */

struct mailbox_entry {
    uint64_t key; /* time since the window opened << 32 | egress port << 16, once it is known |
                     ingress port */
    struct port_entry packet; /* its handle is an index of struct packets */
};

static inline uint32_t mailbox_port(const struct mailbox_entry *entry)
{
    return (uint16_t)entry->key;
}

static inline uint64_t mailbox_offset_ps(const struct mailbox_entry *entry)
{
    return entry->key >> 32;
}

/* Lists consist of chunks of 8 units; the first unit describes the chunk. The position of the
 * next entry of a list is a number of units. 0: an empty list; a multiple of 8: the end of a
 * full chunk. */
struct mailbox_head {
    uint32_t older; /* the previous chunk of the list, or MAILBOX_NONE; free: the next free one */
    uint32_t count_before; /* entries in all older chunks */
    uint32_t second;       /* the chunk before `older`, and the one before that, to be fetched in */
    uint32_t third;        /* time; any other if there is none */
};

union mailbox_unit {
    struct mailbox_head head;
    struct mailbox_entry entry;
};

_Static_assert(sizeof(union mailbox_unit) == 16, "a chunk is two cache lines");

struct mailbox_far { /* an arrival beyond the windows with lists */
    uint64_t time_ps;
    uint32_t node;
    uint32_t port;
    struct port_entry packet;
};

struct mailbox {
    uint64_t window_ps;
    uint64_t open_ps; /* when the current window opened; a multiple of window_ps */
    uint32_t slot;    /* of the current window: its number modulo MAILBOX_WINDOWS */
    uint32_t node_count;
    uint32_t word_count;
    uint32_t *next;   /* [window][node]: unit of the next entry */
    uint64_t *active; /* [window][word]: bit per node */
    union mailbox_unit *units;
    uint32_t chunk_count;
    uint32_t chunks_touched;
    uint32_t free_chunk;
    struct mailbox_far *far; /* binary heap by time */
    uint32_t far_count;
    struct wheel wheel; /* wakes beyond the windows with lists */
};

/* `packet_count`: the maximum number of entries at a time. */
void mailbox_init(struct mailbox *, struct arena *, uint32_t node_count, uint32_t packet_count,
    uint64_t window_ps);

/* Begins a list, or adds a chunk after the one that ends at `next`. Returns the first unit to
 * fill. */
uint32_t mailbox_take_chunk(struct mailbox *, uint32_t next);
void mailbox_post_far(
    struct mailbox *, uint32_t node, uint32_t port, uint64_t time_ps, struct port_entry);
void mailbox_wake_far(struct mailbox *, uint32_t node, uint64_t time_ps);

/* Returns the number of windows from the current one to a time, and its offset in that window in
 * *offset_ps. MAILBOX_WINDOWS: beyond the lists. */
static inline uint32_t mailbox_ahead(
    const struct mailbox *mailbox, uint64_t time_ps, uint64_t *offset_ps)
{
    uint32_t ahead = 0;

    *offset_ps = time_ps - mailbox->open_ps;
    while (*offset_ps >= mailbox->window_ps && ahead < MAILBOX_WINDOWS) {
        *offset_ps -= mailbox->window_ps;
        ahead++;
    }
    return ahead;
}

static inline void mailbox_activate(struct mailbox *mailbox, uint32_t slot, uint32_t node)
{
    mailbox->active[slot * mailbox->word_count + node / 64] |= UINT64_C(1) << node % 64;
}

static inline void mailbox_append_to(struct mailbox *mailbox, uint32_t *list, uint32_t slot,
    uint32_t node, uint64_t key, const struct port_entry *packet)
{
    uint32_t unit = *list;

    if (__builtin_expect(unit % MAILBOX_CHUNK_UNITS == 0, false)) {
        if (unit == 0)
            mailbox_activate(mailbox, slot, node);
        unit = mailbox_take_chunk(mailbox, unit);
    }
    mailbox->units[unit].entry.key = key;
    mailbox->units[unit].entry.packet = *packet;
    *list = unit + 1;
}

static inline void mailbox_append(struct mailbox *mailbox, uint32_t slot, uint32_t node,
    uint64_t key, const struct port_entry *packet)
{
    mailbox_append_to(
        mailbox, &mailbox->next[slot * mailbox->node_count + node], slot, node, key, packet);
}

/* Posts a packet that arrives at `port` of `node` at `time_ps`, in a window that is not yet
 * open. */
static inline void mailbox_post(struct mailbox *mailbox, uint32_t node, uint32_t port,
    uint64_t time_ps, const struct port_entry *packet)
{
    uint64_t offset_ps = time_ps - mailbox->open_ps - mailbox->window_ps;
    uint32_t ahead = 1;

    assert(time_ps >= mailbox->open_ps + mailbox->window_ps);
    for (; offset_ps >= mailbox->window_ps && ahead < MAILBOX_WINDOWS; ahead++)
        offset_ps -= mailbox->window_ps;
    if (__builtin_expect(ahead == MAILBOX_WINDOWS, false))
        mailbox_post_far(mailbox, node, port, time_ps, *packet);
    else
        mailbox_append(mailbox, (mailbox->slot + ahead) % MAILBOX_WINDOWS, node,
            offset_ps << 32 | port, packet);
}

/* A node that receives many packets, with the lists that nearly all of them go to. */
struct mailbox_way {
    uint64_t next_open_ps;
    uint32_t *lists[2]; /* of the next window and the one after it */
    uint32_t slots[2];
    uint32_t node;
    uint32_t port;
};

static inline struct mailbox_way mailbox_way(
    const struct mailbox *mailbox, uint32_t node, uint32_t port)
{
    uint32_t first = (mailbox->slot + 1) % MAILBOX_WINDOWS;
    uint32_t second = (mailbox->slot + 2) % MAILBOX_WINDOWS;

    return (struct mailbox_way){ .next_open_ps = mailbox->open_ps + mailbox->window_ps,
        .lists = { &mailbox->next[first * mailbox->node_count + node],
            &mailbox->next[second * mailbox->node_count + node] },
        .slots = { first, second },
        .node = node,
        .port = port };
}

/* Like mailbox_post(), which also rejects a time before the next window: it is far ahead in both
 * comparisons. */
static inline void mailbox_send(struct mailbox *mailbox, const struct mailbox_way *way,
    uint64_t time_ps, const struct port_entry *packet)
{
    uint64_t window_ps = mailbox->window_ps;
    uint64_t offset_ps = time_ps - way->next_open_ps;

    if (__builtin_expect(offset_ps < window_ps, true))
        mailbox_append_to(
            mailbox, way->lists[0], way->slots[0], way->node, offset_ps << 32 | way->port, packet);
    else if (offset_ps - window_ps < window_ps)
        mailbox_append_to(mailbox, way->lists[1], way->slots[1], way->node,
            (offset_ps - window_ps) << 32 | way->port, packet);
    else
        mailbox_post(mailbox, way->node, way->port, time_ps, packet);
}

/* Requests that the node be run at `time_ps`, in this window or later. It may be woken early. */
static inline void mailbox_wake(struct mailbox *mailbox, uint32_t node, uint64_t time_ps)
{
    uint64_t offset_ps;
    uint32_t ahead = mailbox_ahead(mailbox, time_ps, &offset_ps);

    if (ahead == MAILBOX_WINDOWS)
        mailbox_wake_far(mailbox, node, time_ps);
    else
        mailbox_activate(mailbox, (mailbox->slot + ahead) % MAILBOX_WINDOWS, node);
}

/* Takes the arrivals at `node` in the current window, in any order; many are nearly sorted by time.
 * Returns their number. `out` has room for the maximum number of entries. */
uint32_t mailbox_take(struct mailbox *, uint32_t node, struct mailbox_entry *out);

static inline void mailbox_fetch_chunk(const struct mailbox *mailbox, uint32_t chunk)
{
    const union mailbox_unit *units = &mailbox->units[(size_t)chunk * MAILBOX_CHUNK_UNITS];

    __builtin_prefetch(units, 1);
    __builtin_prefetch(units + MAILBOX_CHUNK_UNITS / 2);
}

/* Begins to fetch the newest part of the list of a node into the cache. */
static inline void mailbox_fetch(const struct mailbox *mailbox, uint32_t node)
{
    uint32_t next = mailbox->next[mailbox->slot * mailbox->node_count + node];

    if (next != 0)
        mailbox_fetch_chunk(mailbox, (next - 1) / MAILBOX_CHUNK_UNITS);
}

/* The same, once that part is in the cache, for the rest. */
static inline void mailbox_fetch_older(const struct mailbox *mailbox, uint32_t node)
{
    uint32_t next = mailbox->next[mailbox->slot * mailbox->node_count + node];

    if (next != 0) {
        uint32_t newest = (next - 1) / MAILBOX_CHUNK_UNITS;
        const struct mailbox_head *head =
            &mailbox->units[(size_t)newest * MAILBOX_CHUNK_UNITS].head;

        mailbox_fetch_chunk(mailbox, head->older == MAILBOX_NONE ? newest : head->older);
        mailbox_fetch_chunk(mailbox, head->second);
        mailbox_fetch_chunk(mailbox, head->third);
    }
}

/* Returns the arrivals of a node in the current window, in units, if they fit into one chunk.
 * *count: their number, 0 if there are none or more. */
static inline const union mailbox_unit *mailbox_peek(
    const struct mailbox *mailbox, uint32_t node, uint32_t *count)
{
    uint32_t last = mailbox->next[mailbox->slot * mailbox->node_count + node] - 1;
    const union mailbox_unit *units =
        &mailbox->units[(size_t)(last / MAILBOX_CHUNK_UNITS) * MAILBOX_CHUNK_UNITS];

    *count = 0;
    if (last != MAILBOX_NONE && units->head.older == MAILBOX_NONE)
        *count = last % MAILBOX_CHUNK_UNITS;
    return units + 1;
}

/* Takes the nodes that are active in the current window, in ascending order. Returns their
 * number. */
uint32_t mailbox_take_active(struct mailbox *, uint32_t *nodes);

/* Returns the beginning of a window before which nothing happens, at most `limit_ps`. */
uint64_t mailbox_next_ps(const struct mailbox *, uint64_t limit_ps);

/* Opens the window that begins at `open_ps`, a multiple of window_ps after the current window or
 * the first. Nothing may be due in between. */
void mailbox_open(struct mailbox *, uint64_t open_ps);

/* Returns the number of packets in all lists. */
uint64_t mailbox_count(const struct mailbox *);
