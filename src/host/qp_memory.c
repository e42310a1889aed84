/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of a huge page. Each has blocks of one size, of which the free ones form a list. */
#include "host/qp_memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
    HUGE_BYTES = 2 << 20,
    LINE_BYTES = 64,
};

/* A free block. */
struct block {
    struct block *next;
};

/* At the beginning of the chunk, which begins at a multiple of HUGE_BYTES. */
struct qp_chunk {
    struct qp_chunk *next;
    struct qp_chunk *previous;
    size_t bytes; /* of the chunk, a multiple of HUGE_BYTES */
    size_t block_bytes;
    uint32_t block_count;
    uint32_t given; /* blocks that were given at least once; those behind them are zero */
    uint32_t used;
    struct block *free;
};

_Static_assert(sizeof(struct qp_chunk) <= LINE_BYTES, "blocks begin with the second line");

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Maps a multiple of HUGE_BYTES, which begins at one. */
static void *map_aligned(size_t bytes)
{
    uint8_t *mapped =
        mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t before = (size_t)(-(uintptr_t)mapped % HUGE_BYTES);

    if (mapped == MAP_FAILED)
        return NULL;
    if (before > 0)
        munmap(mapped, before);
    munmap(mapped + before + bytes, HUGE_BYTES - before);
    return mapped + before;
}

void *qp_memory_map(size_t bytes)
{
    void *mapped = map_aligned(round_up(bytes, HUGE_BYTES));

    if (mapped && bytes >= HUGE_BYTES)
        madvise(mapped, round_up(bytes, HUGE_BYTES), MADV_HUGEPAGE); /* it may be refused */
    return mapped;
}

void qp_memory_unmap(void *mapped, size_t bytes)
{
    if (mapped)
        munmap(mapped, round_up(bytes, HUGE_BYTES));
}

static bool has_blocks(const struct qp_memory *memory, size_t block_bytes)
{
    const struct qp_chunk *chunk = memory->chunks;

    while (chunk && chunk->block_bytes != block_bytes)
        chunk = chunk->next;
    return chunk;
}

/* The first chunk has ordinary pages: a TLB holds as many, and a NIC with few QPs takes no more
 * memory than these need. */
static struct qp_chunk *add_chunk(struct qp_memory *memory, size_t block_bytes)
{
    size_t bytes = round_up(LINE_BYTES + block_bytes, HUGE_BYTES);
    struct qp_chunk *chunk = map_aligned(bytes);

    if (!chunk)
        return NULL;
    if (has_blocks(memory, block_bytes))
        madvise(chunk, bytes, MADV_HUGEPAGE); /* it may be refused */
    *chunk = (struct qp_chunk){ .next = memory->chunks,
        .bytes = bytes,
        .block_bytes = block_bytes,
        .block_count = (uint32_t)((bytes - LINE_BYTES) / block_bytes) };
    if (chunk->next)
        chunk->next->previous = chunk;
    memory->chunks = chunk;
    return chunk;
}

static void remove_chunk(struct qp_memory *memory, struct qp_chunk *chunk)
{
    if (chunk->next)
        chunk->next->previous = chunk->previous;
    if (chunk->previous)
        chunk->previous->next = chunk->next;
    else
        memory->chunks = chunk->next;
    munmap(chunk, chunk->bytes);
}

/* Returns a chunk with a free block of this size. */
static struct qp_chunk *find_chunk(struct qp_memory *memory, size_t block_bytes)
{
    struct qp_chunk *chunk = memory->chunks;

    while (chunk && (chunk->block_bytes != block_bytes || chunk->used == chunk->block_count))
        chunk = chunk->next;
    return chunk ? chunk : add_chunk(memory, block_bytes);
}

void *qp_memory_take(struct qp_memory *memory, size_t bytes)
{
    size_t block_bytes = round_up(bytes, LINE_BYTES);
    struct qp_chunk *chunk = find_chunk(memory, block_bytes);
    struct block *block;

    if (!chunk)
        return NULL;
    chunk->used++;
    if (!chunk->free)
        return (uint8_t *)chunk + LINE_BYTES + chunk->given++ * block_bytes;
    block = chunk->free;
    chunk->free = block->next;
    return memset(block, 0, block_bytes);
}

void qp_memory_return(struct qp_memory *memory, void *taken)
{
    struct qp_chunk *chunk = (struct qp_chunk *)((uintptr_t)taken & ~(uintptr_t)(HUGE_BYTES - 1));
    struct block *block = taken;

    if (!taken)
        return;
    block->next = chunk->free;
    chunk->free = block;
    if (--chunk->used == 0)
        remove_chunk(memory, chunk);
}

void qp_memory_fini(struct qp_memory *memory)
{
    while (memory->chunks)
        remove_chunk(memory, memory->chunks);
}
