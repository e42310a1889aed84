/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that grow. Running out of memory ends the program. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Room for one more element: yields the array, moved if it must be. */
void *sim_list_grow(void *at, size_t count, size_t *room, size_t element_bytes);
void *sim_list_take(size_t count, size_t element_bytes); /* zeroed */

struct sim_numbers {
    uint64_t *at;
    size_t count;
    size_t room;
};

void sim_numbers_push(struct sim_numbers *, uint64_t);
void sim_numbers_sort(struct sim_numbers *);
uint64_t sim_numbers_sum(const struct sim_numbers *);
