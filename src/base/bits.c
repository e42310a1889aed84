/* SPDX-License-Identifier: Apache-2.0 */
/* Searches over bitmaps. */
#include "base/bits.h"

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
