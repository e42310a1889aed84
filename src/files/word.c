/* SPDX-License-Identifier: Apache-2.0 */
/* Finds words, exactly or approximately. */
#include "files/word.h"

#include <stdio.h>
#include <string.h>

#include "files/nearest.h"

int word_find(const char *const *words, const char *text)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

const char *word_nearest(const char *const *words, const char *typed)
{
    size_t count = 0;

    while (words[count])
        count++;
    return nearest_word(typed, words, count);
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
