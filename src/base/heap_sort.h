/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts in place, without extra memory, in O(n log n) for any input. Not stable. */
#pragma once

#include <stddef.h>

#define HEAP_SORT_ELEMENT_BYTES_MAX 128

/* `compare` is as for qsort(). */
void heap_sort(void *elements, size_t count, size_t element_bytes,
    int (*compare)(const void *left, const void *right));
