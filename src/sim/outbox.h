/* SPDX-License-Identifier: Apache-2.0 */
/* Arrivals at nodes of other shards, and packets that have ended far from their own. One outbox is
 * filled in a window, while the receivers empty the one of the window before. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "sim/packets.h"
#include "switch/switch.h"

#define OUTBOX_CHUNK_PARCELS 42
#define OUTBOX_NONE          UINT32_MAX

/* An arrival at a node of another shard. */
struct outbox_parcel {
    uint64_t time_ps;
    uint32_t node;
    uint32_t port;
    struct port_entry packet;
};

struct outbox_chunk {
    uint32_t next; /* OUTBOX_NONE: the last of its list */
    uint32_t count;
    struct outbox_parcel parcels[OUTBOX_CHUNK_PARCELS];
};

struct outbox_list {
    uint32_t first; /* OUTBOX_NONE: empty */
    uint32_t last;
};

struct outbox {
    struct outbox_chunk *chunks;
    struct outbox_list *lists; /* by receiving shard */
    uint64_t earliest_ps;      /* arrival; UINT64_MAX: empty */
    uint64_t count;
    struct packets_list *returned; /* by shard */
    uint32_t chunk_count;
    uint32_t used;
    uint32_t shard_count;
};

/* Has room for `packet_count` parcels. */
void outbox_init(struct outbox *, struct arena *, uint32_t shard_count, uint32_t packet_count);

void outbox_clear(struct outbox *);

/* Begins a chunk for a shard. Returns NULL if there is no room. */
struct outbox_chunk *outbox_take_chunk(struct outbox *, uint32_t to_shard);

/* Returns a parcel for the caller to fill in; NULL: there is no room. */
static inline struct outbox_parcel *outbox_add(struct outbox *outbox, uint32_t to_shard)
{
    uint32_t last = outbox->lists[to_shard].last;
    struct outbox_chunk *chunk = last == OUTBOX_NONE ? NULL : &outbox->chunks[last];

    if (!chunk || chunk->count == OUTBOX_CHUNK_PARCELS)
        chunk = outbox_take_chunk(outbox, to_shard);
    if (!chunk)
        return NULL;
    outbox->count++;
    return &chunk->parcels[chunk->count++];
}

/* Returns the first chunk for a shard, then the next ones; NULL: no more. */
static inline const struct outbox_chunk *outbox_chunk_at(const struct outbox *outbox, uint32_t at)
{
    return at == OUTBOX_NONE ? NULL : &outbox->chunks[at];
}

static inline const struct outbox_chunk *outbox_first(const struct outbox *outbox, uint32_t shard)
{
    return outbox_chunk_at(outbox, outbox->lists[shard].first);
}
