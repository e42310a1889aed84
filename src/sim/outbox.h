/* SPDX-License-Identifier: Apache-2.0 */
/* Arrivals at nodes of other shards, and packets that have ended far from their own. One outbox is
 * filled in a window, while the receivers empty the one of the window before. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "sim/packets.h"
#include "switch/switch.h"

#define OUTBOX_CHUNK_PARCELS 50
#define OUTBOX_NONE          UINT32_MAX

/* An arrival at a node of another shard. */
struct outbox_parcel {
    struct port_entry packet;
    uint32_t seat; /* of the node in that shard */
    uint16_t port;
    uint16_t offset_high; /* time since the window of its departure opened, in 2^32 ps ... */
    uint32_t offset_low;  /* ... and ps */
};

_Static_assert(sizeof(struct outbox_parcel) == 20, "half of all packets cross shards");

/* `open_ps`: when the window of its departure opened. */
static inline uint64_t outbox_time_ps(const struct outbox_parcel *parcel, uint64_t open_ps)
{
    return open_ps + ((uint64_t)parcel->offset_high << 32 | parcel->offset_low);
}

struct outbox_chunk {
    uint32_t next; /* OUTBOX_NONE: the last of its list */
    uint32_t count;
    struct outbox_parcel parcels[OUTBOX_CHUNK_PARCELS];
};

struct outbox_list {
    uint32_t first; /* OUTBOX_NONE: empty */
    uint32_t last;
    uint32_t count; /* chunks */
};

/* The chunks of a shard, in an array of all shards. The shard that empties a chunk fills it next,
 * so that one window of arrivals needs memory, not two. What it will not need, because it receives
 * more than it sends, goes back to the shard that first used it. */
struct outbox_pool {
    struct outbox_chunk *all;
    uint32_t first; /* of this shard */
    uint32_t room;  /* of each shard */
    uint32_t touched;
    uint32_t taken;        /* in this window */
    uint32_t taken_before; /* in the window before */
    struct outbox_list free;
};

struct outbox {
    struct outbox_pool *pool;
    struct outbox_list *lists; /* by receiving shard */
    struct outbox_list *spare; /* chunks that go back, by shard */
    uint64_t earliest_ps;      /* arrival; UINT64_MAX: empty */
    uint64_t count;
    struct packets_list *returned; /* by shard */
    uint32_t shard_count;
};

/* Returns the number of chunks with which a shard can send `packet_count` parcels in a window. */
uint32_t outbox_pool_room(uint32_t packet_count, uint32_t shard_count);
void outbox_pool_init(
    struct outbox_pool *, struct outbox_chunk *all, uint32_t shard, uint32_t room);
/* Begins a window. */
void outbox_pool_open(struct outbox_pool *);
/* Takes over chunks that were sent back, and empties the list. */
void outbox_pool_take_back(struct outbox_pool *, struct outbox_list *);
/* Frees a chunk that was emptied here, or puts it into the list `spare` of its first shard. */
void outbox_pool_free(struct outbox_pool *, uint32_t chunk, struct outbox_list *spare);

void outbox_init(struct outbox *, struct arena *, struct outbox_pool *, uint32_t shard_count);

void outbox_clear(struct outbox *);

/* Begins a chunk for a shard. Returns NULL if there is no room. */
struct outbox_chunk *outbox_take_chunk(struct outbox *, uint32_t to_shard);

/* Returns a parcel for the caller to fill in; NULL: there is no room. */
static inline struct outbox_parcel *outbox_add(struct outbox *outbox, uint32_t to_shard)
{
    uint32_t last = outbox->lists[to_shard].last;
    struct outbox_chunk *chunk = last == OUTBOX_NONE ? NULL : &outbox->pool->all[last];

    if (!chunk || chunk->count == OUTBOX_CHUNK_PARCELS)
        chunk = outbox_take_chunk(outbox, to_shard);
    if (!chunk)
        return NULL;
    outbox->count++;
    return &chunk->parcels[chunk->count++];
}
