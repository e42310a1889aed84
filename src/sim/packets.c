/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of packets. */
#include "sim/packets.h"

#include <assert.h>

#define CACHE_LINE 64

void *packets_take_memory(struct arena *arena, size_t count, size_t element_bytes)
{
    size_t start = (arena->used_bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    size_t bytes = count * element_bytes;

    assert(bytes / element_bytes == count);
    assert(start <= arena->size_bytes && bytes <= arena->size_bytes - start);
    arena->used_bytes = start + bytes;
    return arena->memory ? arena->memory + start : NULL;
}

void packets_init(struct packets *packets, struct arena *arena, uint32_t count)
{
    *packets =
        (struct packets){ .outer = packets_take_memory(arena, count, sizeof(*packets->outer)),
            .all = packets_take_memory(arena, count, sizeof(*packets->all)),
            .count = count,
            .free_head = PACKETS_NONE };
}
