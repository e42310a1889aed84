/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of 16, 32, 64, ... bytes behind a header each; free pieces of a size form a list. Most
 * users double their arrays, which fits these sizes. */
#include "study/image_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZES = 48,
    LEAST_BYTES = 16,
};

struct piece {
    _Alignas(16) uint64_t size; /* its contents have LEAST_BYTES << size */
    struct piece *next_free;
};

struct image_heap {
    _Alignas(16) size_t used_bytes; /* with this struct */
    size_t room_bytes;
    struct piece *free[SIZES];
};

static size_t piece_bytes(uint64_t size)
{
    return (size_t)LEAST_BYTES << size;
}

static uint64_t size_for(size_t bytes)
{
    uint64_t size = 0;

    while (piece_bytes(size) < bytes)
        size++;
    return size;
}

static struct piece *new_piece(struct image_heap *heap, uint64_t size)
{
    size_t bytes = sizeof(struct piece) + piece_bytes(size);
    struct piece *piece;

    if (bytes > heap->room_bytes - heap->used_bytes) {
        fputs("mrc sim: out of memory for measurements\n", stderr);
        exit(1);
    }
    piece = (struct piece *)((uint8_t *)heap + heap->used_bytes);
    piece->size = size;
    heap->used_bytes += bytes;
    return piece;
}

static void *take_piece(struct image_heap *heap, size_t bytes)
{
    uint64_t size = size_for(bytes);
    struct piece *piece = heap->free[size];

    if (piece)
        heap->free[size] = piece->next_free;
    else
        piece = new_piece(heap, size);
    return piece + 1;
}

static void free_piece(struct image_heap *heap, struct piece *piece)
{
    piece->next_free = heap->free[piece->size];
    heap->free[piece->size] = piece;
}

static void *resize_piece(void *context, void *memory, size_t bytes)
{
    struct image_heap *heap = context;
    struct piece *piece = memory ? (struct piece *)memory - 1 : NULL;
    void *taken = NULL;

    if (piece && bytes > 0 && bytes <= piece_bytes(piece->size))
        return memory;
    if (bytes > 0)
        taken = take_piece(heap, bytes);
    if (piece && taken)
        memcpy(taken, memory, piece_bytes(piece->size));
    if (piece)
        free_piece(heap, piece);
    return taken;
}

struct image_heap *image_heap_init(void *memory, size_t bytes)
{
    struct image_heap *heap = memory;

    heap->used_bytes = sizeof(*heap);
    heap->room_bytes = bytes;
    return heap;
}

struct allocator image_heap_allocator(struct image_heap *heap)
{
    return (struct allocator){ .resize = resize_piece, .context = heap };
}

size_t image_heap_used_bytes(const struct image_heap *heap)
{
    return heap->used_bytes;
}
