/* SPDX-License-Identifier: Apache-2.0 */
/* Counts calls of each allocation function. */
#include "allocations.h"

#include <stddef.h>

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void *__wrap_aligned_alloc(size_t, size_t);

static uint64_t count;

uint64_t allocations_count(void)
{
    return count;
}

void *__wrap_malloc(size_t bytes)
{
    count++;
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t element_count, size_t element_bytes)
{
    count++;
    return __real_calloc(element_count, element_bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    count++;
    return __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    count++;
    return __real_aligned_alloc(alignment, bytes);
}
