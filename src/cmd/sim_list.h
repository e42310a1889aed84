/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that grow. Running out of memory ends the program. */
#pragma once

#include <stddef.h>

#include "measure/measure.h"

/* Room for one more element: returns the array, moved if it must be. */
void *sim_list_grow(void *at, size_t count, size_t *room, size_t element_bytes);
void *sim_list_take(size_t count, size_t element_bytes); /* zeroed */

/* For recording. */
extern const struct measure_memory sim_list_memory;
