/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a run that can be continued later: one mapping that holds the simulation and its
 * measurements. A copy of its contents at the same address in another process is the same run,
 * except for pointers to what is outside (study_checkpoint.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/allocator.h"
#include "base/arena.h"

struct study_image {
    uint8_t *at;
    size_t arena_bytes;
    size_t heap_bytes; /* behind the arena */
    struct arena arena;
    struct allocator allocator;
};

#define STUDY_IMAGE_PAGE_BYTES 4096

/* Maps an image with an empty arena of at least `arena_bytes` and an empty heap. `at` NULL: where
 * other processes are likely to have room, too. `heap_bytes` 0: as large as the system grants.
 * Returns 0 or a negative errno; -EEXIST: something else is at this address. */
int study_image_open(struct study_image *, void *at, size_t arena_bytes, size_t heap_bytes);
void study_image_close(struct study_image *);

static inline size_t study_image_bytes(const struct study_image *image)
{
    return image->arena_bytes + image->heap_bytes;
}

/* Returns the bytes that may be in use; behind them all is zero. */
size_t study_image_used_bytes(const struct study_image *);
