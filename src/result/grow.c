/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that grow by doubling. */
#include "result/grow.h"

#include <stdio.h>
#include <stdlib.h>

static void *or_exit(void *memory)
{
    if (memory)
        return memory;
    fputs("mrc sim: out of memory\n", stderr);
    exit(1);
}

void *grow_list(void *at, size_t count, size_t *room, size_t element_bytes)
{
    if (count < *room)
        return at;
    *room = *room ? 2 * *room : 64;
    return or_exit(reallocarray(at, *room, element_bytes));
}

void *grow_take(size_t count, size_t element_bytes)
{
    return or_exit(calloc(count ? count : 1, element_bytes));
}

static void *resize_memory(void *context, void *memory, size_t bytes)
{
    (void)context;
    if (bytes > 0)
        return or_exit(realloc(memory, bytes));
    free(memory);
    return NULL;
}

const struct allocator grow_memory = { .resize = resize_memory };
