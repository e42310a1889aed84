/* SPDX-License-Identifier: Apache-2.0 */
/* Lists in memory that the owner provides. */
#pragma once

#include "measure/measure.h"

/* Makes room for one more element. Returns the array, which may have moved. */
void *measure_list_grow(
    const struct allocator *, void *at, size_t count, size_t *room, size_t element_bytes);
