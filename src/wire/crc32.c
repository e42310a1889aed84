/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 by folding: 128 bits at a distance of D bits before other 128 bits have the same remainder
 * as their two halves, multiplied by x^(D+32) and x^(D-32) modulo the polynomial and added to
 * those. libdeflate computes the rest after folding: 128 bits and the end of the bytes.
 *
 * The version of libdeflate in Debian 12 multiplies only 128 bits at a time, which takes three
 * times as long for a packet (docs/decisions/0028). */
#include "wire/crc32.h"

#include <libdeflate.h>

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define WIDE __attribute__((target("avx512f,pclmul,vpclmulqdq")))

enum {
    BLOCK_BYTES = 64,
    SECOND = BLOCK_BYTES,
    THIRD = 2 * BLOCK_BYTES,
    FOURTH = 3 * BLOCK_BYTES,
    ROUND_BYTES = 4 * BLOCK_BYTES, /* several at a time, because each takes several cycles */
    LANE_BYTES = 16,
    WIDE_BYTES_MIN = 2 * ROUND_BYTES, /* shorter input is faster without folding */
};

/* x^(D+32) and x^(D-32) for bits in reflected order; D is the distance. */
#define FOLD_2048 INT64_C(0x11542778a), INT64_C(0x1322d1430)
#define FOLD_512  INT64_C(0x154442bd4), INT64_C(0x1c6e41596)
#define FOLD_384  INT64_C(0x03db1ecdc), INT64_C(0x174359406)
#define FOLD_256  INT64_C(0x0f1da05aa), INT64_C(0x15a546366)
#define FOLD_128  INT64_C(0x1751997d0), INT64_C(0x0ccaa009e)
#define FOLD_NONE INT64_C(0), INT64_C(0)

static bool processor_is_wide(void)
{
    return __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512f");
}

WIDE static inline __m512i multiply(__m512i block, __m512i factors)
{
    return _mm512_xor_si512(_mm512_clmulepi64_epi128(block, factors, 0x00),
        _mm512_clmulepi64_epi128(block, factors, 0x11));
}

/* Folds the lanes of a block into the last one. */
WIDE static inline __m128i join_lanes(__m512i block)
{
    static const int64_t factors[8] = { FOLD_384, FOLD_256, FOLD_128, FOLD_NONE };
    __m512i sum = multiply(block, _mm512_loadu_si512(factors));
    __m128i low =
        _mm_xor_si128(_mm512_extracti32x4_epi32(sum, 0), _mm512_extracti32x4_epi32(sum, 1));

    return _mm_xor_si128(
        _mm_xor_si128(low, _mm512_extracti32x4_epi32(sum, 2)), _mm512_extracti32x4_epi32(block, 3));
}

WIDE static inline __m512i fold(__m512i sum, __m512i factors, const uint8_t *bytes)
{
    return _mm512_xor_si512(multiply(sum, factors), _mm512_loadu_si512(bytes));
}

/* Folds rounds into one block. `*bytes` and `*length` become the rest, less than a block. The four
 * sums are separate variables, because gcc keeps an array of them in memory. */
WIDE static inline __m512i fold_blocks(uint32_t crc, const uint8_t **bytes, size_t *length)
{
    static const int64_t round[2] = { FOLD_2048 };
    static const int64_t block[2] = { FOLD_512 };
    __m512i by_round = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)round));
    __m512i by_block = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)block));
    __m512i begin = _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)~crc));
    const uint8_t *at = *bytes;
    const uint8_t *end = at + *length;
    __m512i a = _mm512_xor_si512(begin, _mm512_loadu_si512(at));
    __m512i b = _mm512_loadu_si512(at + SECOND);
    __m512i c = _mm512_loadu_si512(at + THIRD);
    __m512i d = _mm512_loadu_si512(at + FOURTH);

    for (at += ROUND_BYTES; end - at >= ROUND_BYTES; at += ROUND_BYTES) {
        a = fold(a, by_round, at);
        b = fold(b, by_round, at + SECOND);
        c = fold(c, by_round, at + THIRD);
        d = fold(d, by_round, at + FOURTH);
    }
    b = _mm512_xor_si512(multiply(a, by_block), b);
    c = _mm512_xor_si512(multiply(b, by_block), c);
    d = _mm512_xor_si512(multiply(c, by_block), d);
    for (; end - at >= BLOCK_BYTES; at += BLOCK_BYTES)
        d = fold(d, by_block, at);
    *bytes = at;
    *length = (size_t)(end - at);
    return d;
}

/* `length` is at least one round. */
WIDE static uint32_t add_wide(uint32_t crc, const uint8_t *bytes, size_t length)
{
    uint8_t rest[LANE_BYTES + BLOCK_BYTES];
    __m128i sum = join_lanes(fold_blocks(crc, &bytes, &length));

    _mm_storeu_si128((__m128i *)rest, sum);
    memcpy(rest + LANE_BYTES, bytes, length);
    /* The CRC register, which is the complement, starts with zeros. */
    return libdeflate_crc32(UINT32_MAX, rest, LANE_BYTES + length);
}

uint32_t crc32_add(uint32_t crc, const uint8_t *bytes, size_t length)
{
    if (length >= WIDE_BYTES_MIN && processor_is_wide())
        return add_wide(crc, bytes, length);
    return libdeflate_crc32(crc, bytes, length);
}
#else
uint32_t crc32_add(uint32_t crc, const uint8_t *bytes, size_t length)
{
    return libdeflate_crc32(crc, bytes, length);
}
#endif
