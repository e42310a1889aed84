/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that its owner provides, for state whose size is not known in advance. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* `resize` keeps the contents that fit. NULL memory: takes new memory; 0 bytes: frees it. It
 * returns NULL if there is no memory, unless the owner ends the program then. */
struct allocator {
    void *(*resize)(void *context, void *memory, size_t bytes);
    void *context;
};

/* Returns zeroed memory for at least one byte; NULL: there is none. */
static inline void *allocator_take(
    const struct allocator *allocator, size_t count, size_t element_bytes)
{
    size_t bytes = count ? count * element_bytes : 1;
    void *taken = allocator->resize(allocator->context, NULL, bytes);

    return taken ? memset(taken, 0, bytes) : NULL;
}

/* The same from an allocator that never fails. */
static inline void *allocator_take_surely(
    const struct allocator *allocator, size_t count, size_t element_bytes)
{
    void *taken = allocator_take(allocator, count, element_bytes);

    assert(taken);
    return taken;
}

/* NULL memory is allowed. */
static inline void allocator_free(const struct allocator *allocator, void *memory)
{
    if (memory)
        allocator->resize(allocator->context, memory, 0);
}
