/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of chunks, which are taken one after the other. */
#include "sim/outbox.h"

void outbox_init(
    struct outbox *outbox, struct arena *arena, uint32_t shard_count, uint32_t packet_count)
{
    uint32_t chunk_count = packet_count / OUTBOX_CHUNK_PARCELS + shard_count;

    *outbox =
        (struct outbox){ .chunks = packets_take_memory(arena, chunk_count, sizeof(*outbox->chunks)),
            .lists = arena_take(arena, shard_count, sizeof(*outbox->lists), 64),
            .returned = arena_take(arena, shard_count, sizeof(*outbox->returned), 64),
            .chunk_count = chunk_count,
            .shard_count = shard_count };
    if (!outbox->lists)
        return;
    packets_list_clear(outbox->returned, shard_count);
    outbox_clear(outbox);
}

void outbox_clear(struct outbox *outbox)
{
    for (uint32_t i = 0; i < outbox->shard_count; i++)
        outbox->lists[i] = (struct outbox_list){ .first = OUTBOX_NONE, .last = OUTBOX_NONE };
    outbox->earliest_ps = UINT64_MAX;
    outbox->count = 0;
    outbox->used = 0;
}

struct outbox_chunk *outbox_take_chunk(struct outbox *outbox, uint32_t to_shard)
{
    struct outbox_list *list = &outbox->lists[to_shard];
    uint32_t taken = outbox->used;

    if (taken == outbox->chunk_count)
        return NULL;
    outbox->used++;
    outbox->chunks[taken].next = OUTBOX_NONE;
    outbox->chunks[taken].count = 0;
    if (list->first == OUTBOX_NONE)
        list->first = taken;
    else
        outbox->chunks[list->last].next = taken;
    list->last = taken;
    return &outbox->chunks[taken];
}
