/* SPDX-License-Identifier: Apache-2.0 */
/* Heap sort: repeatedly swaps the largest element, which is on top of the heap, with the last one,
 * and shortens the heap. */
#include "base/heap_sort.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

struct heap_sort {
    uint8_t *elements;
    size_t element_bytes;
    int (*compare)(const void *left, const void *right);
};

static uint8_t *element_at(const struct heap_sort *heap, size_t index)
{
    return heap->elements + index * heap->element_bytes;
}

static void swap_elements(const struct heap_sort *heap, size_t a, size_t b)
{
    uint8_t kept[HEAP_SORT_ELEMENT_BYTES_MAX];

    memcpy(kept, element_at(heap, a), heap->element_bytes);
    memcpy(element_at(heap, a), element_at(heap, b), heap->element_bytes);
    memcpy(element_at(heap, b), kept, heap->element_bytes);
}

static void sift_down(const struct heap_sort *heap, size_t parent, size_t count)
{
    for (size_t child = 2 * parent + 1; child < count; child = 2 * parent + 1) {
        if (child + 1 < count &&
            heap->compare(element_at(heap, child), element_at(heap, child + 1)) < 0)
            child++;
        if (heap->compare(element_at(heap, child), element_at(heap, parent)) <= 0)
            return;
        swap_elements(heap, parent, child);
        parent = child;
    }
}

void heap_sort(void *elements, size_t count, size_t element_bytes,
    int (*compare)(const void *left, const void *right))
{
    struct heap_sort heap = {
        .elements = elements, .element_bytes = element_bytes, .compare = compare
    };

    assert(element_bytes <= HEAP_SORT_ELEMENT_BYTES_MAX);
    for (size_t i = count / 2; i-- > 0;)
        sift_down(&heap, i, count);
    for (size_t end = count; end > 1; end--) {
        swap_elements(&heap, 0, end - 1);
        sift_down(&heap, 0, end - 1);
    }
}
