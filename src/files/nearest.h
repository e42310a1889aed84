/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody may have meant. */
#pragma once

#include <stddef.h>

/* The word that takes the fewest changed, added or dropped letters; NULL when none comes close. */
const char *nearest_word(const char *typed, const char *const *words, size_t word_count);
