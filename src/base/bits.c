/* SPDX-License-Identifier: Apache-2.0 */
/* Searches over bitmaps. */
#include "base/bits.h"

#include <assert.h>

uint64_t bits_window(const uint64_t *words, uint32_t bit_count, uint32_t first)
{
    uint32_t word_count = bit_count / 64;
    uint32_t word = first / 64;
    uint32_t shift = first % 64;

    assert(bit_count % 64 == 0);
    assert(first < bit_count);
    if (shift == 0)
        return words[word];
    return words[word] >> shift | words[word + 1 == word_count ? 0 : word + 1] << (64 - shift);
}

uint32_t bits_next_set(const uint64_t *words, uint32_t bit_count, uint32_t from)
{
    uint32_t word = from / 64;
    uint64_t rest;

    if (from >= bit_count)
        return bit_count;
    rest = words[word] & ~UINT64_C(0) << (from % 64);
    while (rest == 0) {
        if (++word >= BITS_WORDS(bit_count))
            return bit_count;
        rest = words[word];
    }
    from = word * 64 + bits_lowest(rest);
    return from < bit_count ? from : bit_count;
}
