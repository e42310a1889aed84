/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that grow. If there is no memory, the program ends. */
#pragma once

#include <stddef.h>

#include "measure/measure.h"

/* Makes room for one more element. Returns the array, which may have moved. */
void *grow_list(void *at, size_t count, size_t *room, size_t element_bytes);
void *grow_take(size_t count, size_t element_bytes); /* zeroed */

/* For measurements. */
extern const struct allocator grow_memory;
