/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that grow by doubling, and statistics of their numbers. */
#include "measure/measure_list.h"

#include "base/heap_sort.h"

void *measure_list_grow(
    const struct allocator *memory, void *at, size_t count, size_t *room, size_t element_bytes)
{
    if (count < *room)
        return at;
    *room = *room ? 2 * *room : 64;
    return memory->resize(memory->context, at, *room * element_bytes);
}

/* ---- numbers --------------------------------------------------------------------------------- */

void measure_push(const struct allocator *memory, struct measure_numbers *numbers, uint64_t number)
{
    numbers->at =
        measure_list_grow(memory, numbers->at, numbers->count, &numbers->room, sizeof(number));
    numbers->at[numbers->count++] = number;
}

void measure_free(const struct allocator *memory, struct measure_numbers *numbers)
{
    allocator_free(memory, numbers->at);
    *numbers = (struct measure_numbers){ 0 };
}

uint64_t measure_last(const struct measure_numbers *numbers)
{
    return numbers->count ? numbers->at[numbers->count - 1] : 0;
}

static int ascending(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Returns the smallest value that is not exceeded by `permille` of all values. */
static uint64_t percentile(const struct measure_numbers *sorted, uint64_t permille)
{
    uint64_t rank = (sorted->count * permille + 999) / 1000;

    return sorted->at[rank ? rank - 1 : 0];
}

struct measure_distribution measure_distribution(struct measure_numbers *numbers)
{
    if (numbers->count == 0)
        return (struct measure_distribution){ 0 };
    heap_sort(numbers->at, numbers->count, sizeof(*numbers->at), ascending);
    return (struct measure_distribution){ .count = numbers->count,
        .min = percentile(numbers, 0),
        .p50 = percentile(numbers, 500),
        .p99 = percentile(numbers, 990),
        .p999 = percentile(numbers, 999),
        .max = percentile(numbers, 1000) };
}

uint64_t measure_bps(uint64_t bytes, uint64_t duration_ps)
{
    return duration_ps ? (uint64_t)((measure_wide)bytes * 8 * SIM_PS_PER_S / duration_ps) : 0;
}
