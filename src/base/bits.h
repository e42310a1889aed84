/* SPDX-License-Identifier: Apache-2.0 */
/* Bitmaps of a fixed number of bits, kept in 64-bit words owned by the caller. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define BITS_WORDS(bit_count) (((bit_count) + 63u) / 64u)

static inline bool bits_test(const uint64_t *words, uint32_t bit)
{
    return words[bit / 64] >> (bit % 64) & 1;
}

static inline void bits_set(uint64_t *words, uint32_t bit)
{
    words[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static inline void bits_clear(uint64_t *words, uint32_t bit)
{
    words[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

/* Returns the index of the lowest set bit. Undefined for 0, as the instruction is. */
static inline uint32_t bits_lowest(uint64_t word)
{
    return (uint32_t)__builtin_ctzll(word);
}

static inline uint32_t bits_count(uint64_t word)
{
    return (uint32_t)__builtin_popcountll(word);
}

/* Returns the consecutive set bits from `first` on; 0 if that bit is not set. An addition at
 * `first` carries through all of them. */
static inline uint64_t bits_run(uint64_t word, uint32_t first)
{
    return word & ~(word + (UINT64_C(1) << first));
}

/* Returns the index of the highest set bit. Undefined for 0, as the instruction is. */
static inline uint32_t bits_highest(uint64_t word)
{
    return 63 - (uint32_t)__builtin_clzll(word);
}

/* Returns 64 bits starting at `first` in a circular bitmap of `bit_count` bits, a multiple of
 * 64. */
static inline uint64_t bits_window(const uint64_t *words, uint32_t bit_count, uint32_t first)
{
    uint32_t word = first / 64;
    uint32_t shift = first % 64;

    assert(first < bit_count);
    if (shift == 0)
        return words[word];
    return words[word] >> shift | words[word + 1 == bit_count / 64 ? 0 : word + 1] << (64 - shift);
}

/* Set, or clear, those of the 64 bits starting at `first` that are set in `bits`. */
static inline void bits_window_set(
    uint64_t *words, uint32_t bit_count, uint32_t first, uint64_t bits)
{
    uint32_t word = first / 64;
    uint32_t shift = first % 64;

    words[word] |= bits << shift;
    if (shift != 0)
        words[word + 1 == bit_count / 64 ? 0 : word + 1] |= bits >> (64 - shift);
}

static inline void bits_window_clear(
    uint64_t *words, uint32_t bit_count, uint32_t first, uint64_t bits)
{
    uint32_t word = first / 64;
    uint32_t shift = first % 64;

    words[word] &= ~(bits << shift);
    if (shift != 0)
        words[word + 1 == bit_count / 64 ? 0 : word + 1] &= ~(bits >> (64 - shift));
}

/* Returns the first set bit at or after `from` and below `bit_count`; bit_count if there is
 * none. */
uint32_t bits_next_set(const uint64_t *words, uint32_t bit_count, uint32_t from);
