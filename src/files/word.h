/* SPDX-License-Identifier: Apache-2.0 */
/* Words that represent numbers, and suggestions for mistyped words. */
#pragma once

#include <stddef.h>

/* Returns the index of a word in a list that ends with NULL, or -1. */
int word_find(const char *const *words, const char *text);

/* Returns the word of such a list with the fewest changed, added or dropped letters; NULL if none
 * is close. */
const char *word_nearest(const char *const *words, const char *typed);

/* Writes "first, second or third", truncated to fit. */
void word_list(const char *const *words, char *out, size_t room);
