/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of packets. */
#include "sim/packets.h"

#define CACHE_LINE 64

void *packets_take_memory(struct arena *arena, size_t count, size_t element_bytes)
{
    arena->spare_bytes += count * element_bytes;
    return arena_take_raw(arena, count, element_bytes, CACHE_LINE);
}

void packets_begin_pool(struct arena *arena, size_t pool_bytes)
{
    enum { LARGE_PAGE_BYTES = 2 << 20, LARGE_POOL_PAGES = 8 };
    size_t beyond_bytes = arena->used_bytes % LARGE_PAGE_BYTES;

    if (beyond_bytes > 0 && pool_bytes >= (size_t)LARGE_POOL_PAGES * LARGE_PAGE_BYTES)
        packets_take_memory(arena, 1, LARGE_PAGE_BYTES - beyond_bytes);
}

void packets_init(struct packets *packets, uint32_t first, uint32_t count)
{
    *packets = (struct packets){ .first = first, .count = count, .free_head = PACKETS_NONE };
}

/* ---- packets of other shards ----------------------------------------------------------------- */

void packets_list_clear(struct packets_list *lists, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        lists[i] = (struct packets_list){ .head = PACKETS_NONE, .tail = PACKETS_NONE };
}

void packets_return(struct packets *packets, uint32_t index)
{
    struct packets_list *list = &packets->returned[index >> packets->shard_shift];

    packets->all[index].next_free = list->head;
    if (list->head == PACKETS_NONE)
        list->tail = index;
    list->head = index;
    list->count++;
}

void packets_take_back(struct packets *packets, struct packets_list *list)
{
    if (list->head == PACKETS_NONE)
        return;
    packets->all[list->tail].next_free = packets->free_head;
    packets->free_head = list->head;
    packets->used -= (int32_t)list->count;
    packets_list_clear(list, 1);
}
