/* SPDX-License-Identifier: Apache-2.0 */
/* Memory handed out once and never taken back: a module takes what it needs when it is set up,
 * nothing later. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct arena {
    uint8_t *memory; /* NULL: measures only, every take returns NULL */
    size_t size_bytes;
    size_t used_bytes;
};

/* `memory` must be aligned to the largest alignment that will be taken. A NULL memory makes a
 * measuring arena: run the same set-up code over it, then allocate `used_bytes`. */
void arena_init(struct arena *, void *memory, size_t size_bytes);

/* Zeroed and aligned to `alignment`, a power of two. Running out is a bug of whoever sized the
 * arena. */
void *arena_take(struct arena *, size_t count, size_t element_bytes, size_t alignment);
