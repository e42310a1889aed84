/* SPDX-License-Identifier: Apache-2.0 */
/* Generates patterns from seeds. */
#include "perf/perf_pattern.h"

#include <string.h>

#include "base/prng.h"

/* ---- bytes ----------------------------------------------------------------------------------- */

static struct prng stream_of(const struct perf_message *message)
{
    struct prng prng = prng_stream(message->seed, message->iteration);

    return prng_stream(prng.state, (uint64_t)message->rank << 32 | message->qp);
}

void perf_pattern_fill(uint8_t *to, uint64_t length, const struct perf_message *message)
{
    struct prng prng = stream_of(message);

    for (uint64_t i = 0; i < length; i += 8) {
        uint64_t word = prng_next(&prng);

        memcpy(to + i, &word, length - i < 8 ? length - i : 8);
    }
}

static uint64_t count_differences(const uint8_t *left, const uint8_t *right, uint64_t length)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < length; i++)
        count += left[i] != right[i];
    return count;
}

uint64_t perf_pattern_wrong(
    const uint8_t *bytes, uint64_t length, const struct perf_message *message)
{
    struct prng prng = stream_of(message);
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < length; i += 8) {
        uint64_t word = prng_next(&prng);
        uint64_t left = length - i < 8 ? length - i : 8;

        if (memcmp(bytes + i, &word, left) != 0)
            wrong += count_differences(bytes + i, (const uint8_t *)&word, left);
    }
    return wrong;
}

#define GUARD 0xa5

void perf_pattern_guard(uint8_t *to, uint64_t length)
{
    memset(to, GUARD, length);
}

uint64_t perf_pattern_guard_wrong(const uint8_t *bytes, uint64_t length)
{
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < length; i++)
        wrong += bytes[i] != GUARD;
    return wrong;
}

/* ---- numbers --------------------------------------------------------------------------------- */

union number {
    float real;
    uint32_t whole;
};

static uint64_t base_of(const struct perf_numbers *numbers, uint32_t rank)
{
    return prng_stream(numbers->seed ^ numbers->iteration << 20, rank).state;
}

/* Sums of integers below 256 over up to 65536 ranks are exact in a float. */
static uint32_t value_at(uint64_t base, uint64_t index, enum perf_type type)
{
    struct prng prng = { .state = base + index * UINT64_C(0xd1342543de82ef95) };
    uint32_t value = (uint32_t)prng_next(&prng);

    return type == PERF_FLOAT ? value & 0xff : value;
}

static union number number_of(uint32_t value, enum perf_type type)
{
    return type == PERF_FLOAT ? (union number){ .real = (float)value }
                              : (union number){ .whole = value };
}

void perf_pattern_put(
    void *to, const struct perf_numbers *numbers, uint32_t rank, uint64_t first, uint64_t count)
{
    union number *out = to;
    uint64_t base = base_of(numbers, rank);

    for (uint64_t i = 0; i < count; i++)
        out[i] = number_of(value_at(base, first + i, numbers->type), numbers->type);
}

uint64_t perf_pattern_not(const void *from, const struct perf_numbers *numbers, uint32_t rank,
    uint64_t first, uint64_t count)
{
    const union number *in = from;
    uint64_t base = base_of(numbers, rank);
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < count; i++)
        wrong +=
            in[i].whole != number_of(value_at(base, first + i, numbers->type), numbers->type).whole;
    return wrong;
}

uint64_t perf_pattern_not_sum(const void *from, const struct perf_numbers *numbers,
    uint32_t rank_count, uint64_t first, uint64_t count)
{
    const union number *in = from;
    uint64_t bases[PERF_RANKS_MAX];
    uint64_t wrong = 0;

    for (uint32_t rank = 0; rank < rank_count; rank++)
        bases[rank] = base_of(numbers, rank);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t sum = 0;

        for (uint32_t rank = 0; rank < rank_count; rank++)
            sum += value_at(bases[rank], first + i, numbers->type);
        wrong += in[i].whole != number_of(sum, numbers->type).whole;
    }
    return wrong;
}

void perf_pattern_add(
    void *to, const void *left, const void *right, uint64_t count, enum perf_type type)
{
    if (type == PERF_FLOAT) {
        float *sum = to;
        const float *one = left;
        const float *other = right;

        for (uint64_t i = 0; i < count; i++)
            sum[i] = one[i] + other[i];
    } else {
        uint32_t *sum = to;
        const uint32_t *one = left;
        const uint32_t *other = right;

        for (uint64_t i = 0; i < count; i++)
            sum[i] = one[i] + other[i];
    }
}
