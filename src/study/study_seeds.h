/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of seeds as users write them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Reads "1-10,20" and appends to `seeds`, which has room for `most`. Returns false if the text is
 * wrong or there is no room. */
bool study_seeds_read(const char *text, uint64_t *seeds, uint32_t *count, uint32_t most);
