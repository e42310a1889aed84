/* SPDX-License-Identifier: Apache-2.0 */
/* Words that stand for numbers, and what somebody may have meant. */
#pragma once

#include <stddef.h>

/* The index of a word in a list that ends with NULL; -1 when it is not there. */
int word_find(const char *const *words, const char *text);

/* The word of such a list that takes the fewest changed, added or dropped letters; NULL when none
 * comes close. */
const char *word_nearest(const char *const *words, const char *typed);

/* "first, second or third", cut to fit. */
void word_list(const char *const *words, char *out, size_t room);
