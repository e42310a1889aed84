/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that grow. Running out of memory ends the program. */
#pragma once

#include <stddef.h>

#include "measure/measure.h"

/* Room for one more element: returns the array, moved if it must be. */
void *grow_list(void *at, size_t count, size_t *room, size_t element_bytes);
void *grow_take(size_t count, size_t element_bytes); /* zeroed */

/* For recording. */
extern const struct measure_memory grow_memory;
