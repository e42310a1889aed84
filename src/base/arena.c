/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates from an arena by advancing an offset. */
#include "base/arena.h"

#include <assert.h>
#include <string.h>

void arena_init(struct arena *arena, void *memory, size_t size_bytes)
{
    *arena = (struct arena){ .memory = memory, .size_bytes = memory ? size_bytes : SIZE_MAX };
}

void arena_init_zero(struct arena *arena, void *memory, size_t size_bytes)
{
    arena_init(arena, memory, size_bytes);
    arena->is_zero = true;
}

void *arena_take_raw(struct arena *arena, size_t count, size_t element_bytes, size_t alignment)
{
    size_t start = (arena->used_bytes + alignment - 1) & ~(alignment - 1);
    size_t bytes = count * element_bytes;

    assert(alignment != 0 && (alignment & (alignment - 1)) == 0);
    assert((uintptr_t)arena->memory % alignment == 0);
    assert(element_bytes == 0 || bytes / element_bytes == count);
    assert(start <= arena->size_bytes && bytes <= arena->size_bytes - start);
    arena->used_bytes = start + bytes;
    return arena->memory ? arena->memory + start : NULL;
}

void *arena_take(struct arena *arena, size_t count, size_t element_bytes, size_t alignment)
{
    void *taken = arena_take_raw(arena, count, element_bytes, alignment);

    return taken && !arena->is_zero ? memset(taken, 0, count * element_bytes) : taken;
}
