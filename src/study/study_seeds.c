/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ranges and numbers. */
#include "study/study_seeds.h"

#include <stdlib.h>

/* Reads a number. Returns what follows it; NULL: there is none. */
static const char *read_seed(const char *text, uint64_t *seed)
{
    char *end;

    *seed = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *seed <= UINT64_MAX / 2 ? end : NULL;
}

bool study_seeds_read(const char *text, uint64_t *seeds, uint32_t *count, uint32_t most)
{
    for (;;) {
        uint64_t first;
        uint64_t last;

        text = read_seed(text, &first);
        last = first;
        if (text && *text == '-')
            text = read_seed(text + 1, &last);
        if (!text || last < first || last - first >= most - *count)
            return false;
        for (uint64_t seed = first; seed <= last; seed++)
            seeds[(*count)++] = seed;
        if (!*text)
            return true;
        if (*text++ != ',')
            return false;
    }
}
