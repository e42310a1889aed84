/* SPDX-License-Identifier: Apache-2.0 */
/* Levenshtein distance over short words. */
#include "files/nearest.h"

#include <stdint.h>
#include <string.h>

#define LETTERS_MAX 31

static uint32_t smallest(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* Row by row of the usual table; `row[j]` is the distance to the first j letters of `to`. */
static uint32_t distance(const char *from, const char *to)
{
    uint32_t row[LETTERS_MAX + 1];
    size_t to_length = strlen(to);

    for (uint32_t j = 0; j <= to_length; j++)
        row[j] = j;
    for (uint32_t i = 0; from[i]; i++) {
        uint32_t diagonal = row[0];

        row[0] = i + 1;
        for (uint32_t j = 0; j < to_length; j++) {
            uint32_t above = row[j + 1];

            row[j + 1] = smallest(diagonal + (from[i] != to[j]), above + 1, row[j] + 1);
            diagonal = above;
        }
    }
    return row[to_length];
}

const char *nearest_word(const char *typed, const char *const *words, size_t word_count)
{
    const char *nearest = NULL;
    uint32_t least = UINT32_MAX;

    for (size_t i = 0; i < word_count; i++) {
        uint32_t changes;

        if (strlen(words[i]) > LETTERS_MAX)
            continue;
        changes = distance(typed, words[i]);
        if (changes < least && changes <= strlen(words[i]) / 2) {
            least = changes;
            nearest = words[i];
        }
    }
    return nearest;
}
