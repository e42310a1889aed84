/* SPDX-License-Identifier: Apache-2.0 */
/* Levenshtein distance of short words; two exchanged letters count as one mistake. */
#include "files/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LETTERS_MAX 31

static uint32_t smallest(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t least = a < b ? a : b;

    return least < c ? least : c;
}

static bool are_swapped(const char *from, const char *to, uint32_t i, uint32_t j)
{
    return i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j];
}

/* Computes the usual table row by row and keeps three rows. `row[j]` is the distance between the
 * letters of `from` so far and the first j letters of `to`. */
static uint32_t distance(const char *from, const char *to)
{
    uint32_t rows[3][LETTERS_MAX + 1];
    size_t to_length = strlen(to);
    uint32_t i = 0;

    for (uint32_t j = 0; j <= to_length; j++)
        rows[0][j] = j;
    for (; from[i]; i++) {
        const uint32_t *before = rows[(i + 2) % 3];
        const uint32_t *above = rows[i % 3];
        uint32_t *row = rows[(i + 1) % 3];

        row[0] = i + 1;
        for (uint32_t j = 0; j < to_length; j++) {
            row[j + 1] = smallest(above[j] + (from[i] != to[j]), above[j + 1] + 1, row[j] + 1);
            if (are_swapped(from, to, i, j) && before[j - 1] + 1 < row[j + 1])
                row[j + 1] = before[j - 1] + 1;
        }
    }
    return rows[i % 3][to_length];
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
