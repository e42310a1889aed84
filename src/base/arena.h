/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is allocated once and never returned: a module takes what it needs during
 * initialisation, and nothing later. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena {
    uint8_t *memory; /* NULL: the arena only measures, and every take returns NULL */
    size_t size_bytes;
    size_t used_bytes;
    size_t spare_bytes; /* of used_bytes: pools that are touched only as far as they are used */
    bool is_zero;       /* what has not been taken is zero, as in a new mapping */
};

/* `memory` must be aligned to the largest alignment that will be taken. A NULL memory makes a
 * measuring arena: run the same initialisation with it, then allocate `used_bytes`. */
void arena_init(struct arena *, void *memory, size_t size_bytes);

/* The same for memory that is zero. What is taken is then not touched either. */
void arena_init_zero(struct arena *, void *memory, size_t size_bytes);

/* Like arena_take(), but the memory is neither zeroed nor touched. */
void *arena_take_raw(struct arena *, size_t count, size_t element_bytes, size_t alignment);

/* Returns zeroed memory, aligned to `alignment`, a power of two. Asserts that the arena is large
 * enough: its owner must size it. */
void *arena_take(struct arena *, size_t count, size_t element_bytes, size_t alignment);
