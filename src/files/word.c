/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for words, exactly and nearly. */
#include "files/word.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LETTERS_MAX 63

int word_find(const char *const *words, const char *text)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

/* Changes that turn one word into the other: `row[j]` holds those from the letters of `from` seen
 * so far to the first j of `to`. */
static uint32_t changes_between(const char *from, const char *to)
{
    uint32_t row[LETTERS_MAX + 1];
    size_t length = strlen(to);

    for (uint32_t j = 0; j <= length; j++)
        row[j] = j;
    for (; *from; from++) {
        uint32_t before = row[0]++;

        for (size_t j = 1; j <= length; j++) {
            uint32_t changed = before + (*from != to[j - 1]);
            uint32_t dropped = row[j] + 1;
            uint32_t added = row[j - 1] + 1;

            before = row[j];
            row[j] = changed < dropped ? changed : dropped;
            row[j] = row[j] < added ? row[j] : added;
        }
    }
    return row[length];
}

const char *word_nearest(const char *const *words, const char *typed)
{
    const char *nearest = NULL;
    uint32_t least = UINT32_MAX;

    for (; *words; words++) {
        size_t length = strlen(*words);
        uint32_t changes;

        if (length > LETTERS_MAX)
            continue;
        changes = changes_between(typed, *words);
        if (changes < least && changes <= length / 2) {
            least = changes;
            nearest = *words;
        }
    }
    return nearest;
}

void word_list(const char *const *words, char *out, size_t room)
{
    size_t used = 0;

    out[0] = '\0';
    for (int i = 0; words[i] && used < room; i++) {
        const char *between = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        int wrote = snprintf(out + used, room - used, "%s%s", between, words[i]);

        used += (size_t)wrote;
    }
}
