/* SPDX-License-Identifier: Apache-2.0 */
/* Suggests the word that a user may have meant. */
#pragma once

#include <stddef.h>

/* Returns the word with the fewest changed, added or dropped letters; NULL if none is close. */
const char *nearest_word(const char *typed, const char *const *words, size_t word_count);
