/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory, its red zones and its count of placements. */
#include "region.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"

enum {
    RED_ZONE_BYTES = 4096,
    RED_ZONE_VALUE = 0xa5,
    SIZE_BYTES_MIN = 65536,
};

void region_init(struct region *region, uint32_t rkey, uint64_t va, bool keeps_bytes)
{
    *region = (struct region){ .va = va, .rkey = rkey, .keeps_bytes = keeps_bytes };
}

void region_fini(struct region *region)
{
    free(region->block);
    free(region->placed);
}

static uint64_t counts_of(const struct region *region, uint64_t bytes)
{
    return region->keeps_bytes ? bytes : (bytes + REGION_GRAIN_BYTES - 1) / REGION_GRAIN_BYTES;
}

static void grow_memory(struct region *region, uint64_t size_bytes)
{
    region->block = realloc(region->block, size_bytes + 2 * RED_ZONE_BYTES);
    assert(region->block);
    region->memory = region->block + RED_ZONE_BYTES;
    memset(region->block, RED_ZONE_VALUE, RED_ZONE_BYTES);
    memset(region->memory + size_bytes, RED_ZONE_VALUE, RED_ZONE_BYTES);
}

void region_grow(struct region *region, uint64_t size_bytes)
{
    uint64_t old_counts = counts_of(region, region->size_bytes);
    uint64_t new_bytes = region->size_bytes ? region->size_bytes : SIZE_BYTES_MIN;

    if (size_bytes <= region->size_bytes)
        return;
    while (new_bytes < size_bytes)
        new_bytes *= 2;
    if (region->keeps_bytes)
        grow_memory(region, new_bytes);
    region->placed = realloc(region->placed, counts_of(region, new_bytes));
    assert(region->placed);
    memset(region->placed + old_counts, 0, counts_of(region, new_bytes) - old_counts);
    region->size_bytes = new_bytes;
}

/* Counts one more placement of each; true if one had been placed before. */
static bool count_again(uint8_t *counts, uint64_t count)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t before = 0;

    for (; count >= 8; count -= 8, counts += 8) {
        uint64_t word;

        memcpy(&word, counts, sizeof(word));
        before |= word;
        word += ones; /* no count gets near 256: the second placement is reported */
        memcpy(counts, &word, sizeof(word));
    }
    for (; count > 0; count--, counts++)
        before |= (*counts)++;
    return before != 0;
}

enum region_verdict region_place(
    struct region *region, uint32_t rkey, uint64_t va, const struct payload *payload)
{
    uint64_t offset = va - region->va;
    uint64_t first = region->keeps_bytes ? offset : offset / REGION_GRAIN_BYTES;

    if (rkey != region->rkey || offset > region->size_bytes ||
        payload->length > region->size_bytes - offset)
        return REGION_REFUSED;
    if (region->keeps_bytes && payload->bytes && payload->length > 0)
        memcpy(region->memory + offset, payload->bytes, payload->length);
    return count_again(region->placed + first, counts_of(region, payload->length))
               ? REGION_PLACED_TWICE
               : REGION_PLACED;
}

void region_expect(struct region *region, uint64_t offset_bytes, uint64_t length_bytes)
{
    uint64_t first = region->keeps_bytes ? offset_bytes : offset_bytes / REGION_GRAIN_BYTES;

    assert(region->keeps_bytes || offset_bytes % REGION_GRAIN_BYTES == 0);
    assert(offset_bytes + length_bytes <= region->size_bytes);
    if (length_bytes > 0)
        memset(region->placed + first, 0, counts_of(region, length_bytes));
}

bool region_is_complete(const struct region *region, uint64_t offset_bytes, uint64_t length_bytes)
{
    uint64_t first = region->keeps_bytes ? offset_bytes : offset_bytes / REGION_GRAIN_BYTES;
    uint64_t count = counts_of(region, length_bytes);

    /* All are 1 if the first is and each equals its successor. */
    if (count == 0)
        return true;
    return region->placed[first] == 1 &&
           memcmp(region->placed + first, region->placed + first + 1, count - 1) == 0;
}

bool region_matches(
    const struct region *region, uint64_t offset_bytes, uint64_t length_bytes, uint64_t key)
{
    return !region->keeps_bytes ||
           pattern_matches(region->memory + offset_bytes, key, 0, length_bytes);
}

bool region_is_intact(const struct region *region)
{
    uint8_t zone[RED_ZONE_BYTES];

    if (!region->block)
        return true;
    memset(zone, RED_ZONE_VALUE, sizeof(zone));
    return memcmp(region->block, zone, sizeof(zone)) == 0 &&
           memcmp(region->memory + region->size_bytes, zone, sizeof(zone)) == 0;
}
