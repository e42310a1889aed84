/* SPDX-License-Identifier: Apache-2.0 */
/* A heap inside a block of memory. All of its state is in the block, so that a copy of the block at
 * the same address is the same heap. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/allocator.h"

struct image_heap;

/* Makes an empty heap in zeroed memory, which is aligned to 16 bytes. */
struct image_heap *image_heap_init(void *memory, size_t bytes);

/* Its memory is aligned to 16 bytes. If the block is full, the program ends with a message. */
struct allocator image_heap_allocator(struct image_heap *);

/* Returns the bytes of the block that it may have used. */
size_t image_heap_used_bytes(const struct image_heap *);
