/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of chunks, and the pools that they come from. */
#include "sim/outbox.h"

enum { CHUNKS_KEPT = 64 }; /* free ones, beyond what the window before needed */

static const struct outbox_list empty_list = { .first = OUTBOX_NONE, .last = OUTBOX_NONE };

/* ---- pools ----------------------------------------------------------------------------------- */

/* Twice what a window needs: chunks are filled while others are on their way back. */
uint32_t outbox_pool_room(uint32_t packet_count, uint32_t shard_count)
{
    uint64_t room = 2 * ((uint64_t)packet_count / OUTBOX_CHUNK_PARCELS + shard_count +
                            (uint64_t)CHUNKS_KEPT * shard_count);
    uint32_t most = (OUTBOX_NONE - 1) / shard_count;

    return room < most ? (uint32_t)room : most;
}

void outbox_pool_init(
    struct outbox_pool *pool, struct outbox_chunk *all, uint32_t shard, uint32_t room)
{
    *pool =
        (struct outbox_pool){ .all = all, .first = shard * room, .room = room, .free = empty_list };
}

void outbox_pool_open(struct outbox_pool *pool)
{
    pool->taken_before = pool->taken;
    pool->taken = 0;
}

static void push_chunk(const struct outbox_pool *pool, struct outbox_list *list, uint32_t chunk)
{
    pool->all[chunk].next = list->first;
    if (list->first == OUTBOX_NONE)
        list->last = chunk;
    list->first = chunk;
    list->count++;
}

void outbox_pool_take_back(struct outbox_pool *pool, struct outbox_list *list)
{
    if (list->first == OUTBOX_NONE)
        return;
    pool->all[list->last].next = pool->free.first;
    if (pool->free.first == OUTBOX_NONE)
        pool->free.last = list->last;
    pool->free.first = list->first;
    pool->free.count += list->count;
    *list = empty_list;
}

void outbox_pool_free(struct outbox_pool *pool, uint32_t chunk, struct outbox_list *spare)
{
    bool is_kept =
        chunk - pool->first < pool->room || pool->free.count < pool->taken_before + CHUNKS_KEPT;

    push_chunk(pool, is_kept ? &pool->free : &spare[chunk / pool->room], chunk);
}

/* Returns OUTBOX_NONE if there is no room. */
static uint32_t take_chunk(struct outbox_pool *pool)
{
    uint32_t chunk = pool->free.first;

    if (chunk == OUTBOX_NONE)
        return pool->touched < pool->room ? pool->first + pool->touched++ : OUTBOX_NONE;
    pool->free.first = pool->all[chunk].next;
    pool->free.count--;
    return chunk;
}

/* ---- outboxes -------------------------------------------------------------------------------- */

static void clear_lists(struct outbox_list *lists, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        lists[i] = empty_list;
}

void outbox_init(
    struct outbox *outbox, struct arena *arena, struct outbox_pool *pool, uint32_t shard_count)
{
    *outbox = (struct outbox){ .pool = pool,
        .lists = arena_take(arena, shard_count, sizeof(*outbox->lists), 64),
        .spare = arena_take(arena, shard_count, sizeof(*outbox->spare), 64),
        .returned = arena_take(arena, shard_count, sizeof(*outbox->returned), 64),
        .shard_count = shard_count };
    if (!outbox->lists)
        return;
    packets_list_clear(outbox->returned, shard_count);
    clear_lists(outbox->spare, shard_count);
    outbox_clear(outbox);
}

void outbox_clear(struct outbox *outbox)
{
    clear_lists(outbox->lists, outbox->shard_count);
    outbox->earliest_ps = UINT64_MAX;
    outbox->count = 0;
}

struct outbox_chunk *outbox_take_chunk(struct outbox *outbox, uint32_t to_shard)
{
    struct outbox_chunk *all = outbox->pool->all;
    struct outbox_list *list = &outbox->lists[to_shard];
    uint32_t taken = take_chunk(outbox->pool);

    if (taken == OUTBOX_NONE)
        return NULL;
    outbox->pool->taken++;
    all[taken].next = OUTBOX_NONE;
    all[taken].count = 0;
    if (list->first == OUTBOX_NONE)
        list->first = taken;
    else
        all[list->last].next = taken;
    list->last = taken;
    list->count++;
    return &all[taken];
}
