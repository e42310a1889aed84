/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that grow by doubling. */
#include "cmd/sim_list.h"

#include <stdio.h>
#include <stdlib.h>

static void *or_exit(void *memory)
{
    if (memory)
        return memory;
    fputs("mrc sim: out of memory\n", stderr);
    exit(1);
}

void *sim_list_grow(void *at, size_t count, size_t *room, size_t element_bytes)
{
    if (count < *room)
        return at;
    *room = *room ? 2 * *room : 64;
    return or_exit(reallocarray(at, *room, element_bytes));
}

void *sim_list_take(size_t count, size_t element_bytes)
{
    return or_exit(calloc(count ? count : 1, element_bytes));
}

void sim_numbers_push(struct sim_numbers *numbers, uint64_t number)
{
    numbers->at = sim_list_grow(numbers->at, numbers->count, &numbers->room, sizeof(number));
    numbers->at[numbers->count++] = number;
}

static int ascending(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

void sim_numbers_sort(struct sim_numbers *numbers)
{
    if (numbers->count)
        qsort(numbers->at, numbers->count, sizeof(*numbers->at), ascending);
}

uint64_t sim_numbers_sum(const struct sim_numbers *numbers)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < numbers->count; i++)
        sum += numbers->at[i];
    return sum;
}
