/* SPDX-License-Identifier: Apache-2.0 */
/* A heap inside a block of memory. */
#include "study/image_heap.h"

#include <stdalign.h>
#include <string.h>

#include "base/prng.h"
#include "spec.h"

#define BLOCK_BYTES ((size_t)1 << 20)
#define PIECES      64

static alignas(16) uint8_t block[BLOCK_BYTES];
static uint8_t copy[BLOCK_BYTES];

static struct image_heap *empty_heap(void)
{
    memset(block, 0, sizeof(block));
    return image_heap_init(block, sizeof(block));
}

/* Pieces that are taken, resized and freed in any order; each is filled with its own number. */
struct pieces {
    uint8_t *at[PIECES];
    size_t bytes[PIECES];
};

static bool is_filled(const uint8_t *at, size_t bytes, uint8_t with)
{
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != with)
            return false;
    return true;
}

static void change_piece(
    const struct allocator *heap, struct pieces *pieces, uint32_t index, size_t bytes)
{
    size_t kept = bytes < pieces->bytes[index] ? bytes : pieces->bytes[index];

    pieces->at[index] = heap->resize(heap->context, pieces->at[index], bytes);
    pieces->bytes[index] = bytes;
    if (bytes == 0) {
        EXPECT(pieces->at[index] == NULL);
        return;
    }
    EXPECT_EQ((uintptr_t)pieces->at[index] % 16, 0);
    EXPECT(is_filled(pieces->at[index], kept, (uint8_t)index));
    memset(pieces->at[index], (int)index, bytes);
}

PROPERTY("pieces keep their contents, whatever happens to the others", 50)
{
    struct allocator heap = image_heap_allocator(empty_heap());
    struct prng prng = prng_stream(seed, 0);
    struct pieces pieces = { 0 };

    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t index = (uint32_t)(prng_next(&prng) % PIECES);

        change_piece(&heap, &pieces, index, prng_next(&prng) % 3 ? prng_next(&prng) % 2000 : 0);
    }
    for (uint32_t i = 0; i < PIECES; i++)
        EXPECT(is_filled(pieces.at[i], pieces.bytes[i], (uint8_t)i));
}

SPEC("freed memory is used again")
{
    struct image_heap *block_heap = empty_heap();
    struct allocator heap = image_heap_allocator(block_heap);
    size_t used_bytes;

    allocator_free(&heap, allocator_take(&heap, 10, 100));
    used_bytes = image_heap_used_bytes(block_heap);
    for (uint32_t i = 0; i < 100; i++)
        allocator_free(&heap, allocator_take(&heap, 1000, 1));
    EXPECT_EQ(image_heap_used_bytes(block_heap), used_bytes);
}

SPEC("memory that was freed and is taken again is zeroed")
{
    struct allocator heap = image_heap_allocator(empty_heap());
    void *dirty = allocator_take(&heap, 1, 256);

    memset(dirty, 1, 256);
    allocator_free(&heap, dirty);
    EXPECT(is_filled(allocator_take(&heap, 1, 256), 256, 0));
}

SPEC("a copy of the block, put back, is the same heap")
{
    struct image_heap *block_heap = empty_heap();
    struct allocator heap = image_heap_allocator(block_heap);
    uint8_t *first = memset(allocator_take(&heap, 1, 50), 7, 50);

    memcpy(copy, block, sizeof(copy));
    memset(allocator_take(&heap, 1, 5000), 9, 5000);
    allocator_free(&heap, first);
    memcpy(block, copy, sizeof(copy));
    EXPECT(is_filled(first, 50, 7));
    EXPECT(allocator_take(&heap, 1, 50) != (void *)first);
}
