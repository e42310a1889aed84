/* SPDX-License-Identifier: Apache-2.0 */
/* Payload patterns, eight bytes at a time. */
#include "pattern.h"

#include <string.h>

enum { WORD_BYTES = 8 };

static uint64_t word_at(uint64_t key, uint64_t index)
{
    uint64_t mixed = (key + index) * UINT64_C(0x9e3779b97f4a7c15);

    return mixed ^ mixed >> 29;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Fewer bytes than a word, or not from its beginning. */
static void fill_part(uint8_t *bytes, uint64_t key, uint64_t offset_bytes, uint64_t length_bytes)
{
    uint64_t word = word_at(key, offset_bytes / WORD_BYTES);

    memcpy(bytes, (const uint8_t *)&word + offset_bytes % WORD_BYTES, length_bytes);
}

void pattern_fill(uint8_t *bytes, uint64_t key, uint64_t offset_bytes, uint64_t length_bytes)
{
    uint64_t head_bytes = smaller(-offset_bytes % WORD_BYTES, length_bytes);
    uint64_t word_count = (length_bytes - head_bytes) / WORD_BYTES;
    uint64_t tail_bytes = (length_bytes - head_bytes) % WORD_BYTES;
    uint64_t first = (offset_bytes + head_bytes) / WORD_BYTES;

    fill_part(bytes, key, offset_bytes, head_bytes);
    bytes += head_bytes;
    for (uint64_t i = 0; i < word_count; i++, bytes += WORD_BYTES) {
        uint64_t word = word_at(key, first + i);

        memcpy(bytes, &word, WORD_BYTES);
    }
    fill_part(bytes, key, (first + word_count) * WORD_BYTES, tail_bytes);
}

bool pattern_matches(
    const uint8_t *bytes, uint64_t key, uint64_t offset_bytes, uint64_t length_bytes)
{
    uint8_t expected[1024];

    while (length_bytes > 0) {
        uint64_t count = smaller(length_bytes, sizeof(expected));

        pattern_fill(expected, key, offset_bytes, count);
        if (memcmp(bytes, expected, count) != 0)
            return false;
        bytes += count;
        offset_bytes += count;
        length_bytes -= count;
    }
    return true;
}
