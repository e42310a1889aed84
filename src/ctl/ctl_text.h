/* SPDX-License-Identifier: Apache-2.0 */
/* A text that libcurl writes, up to a limit. */
#pragma once

#include <stdlib.h>
#include <string.h>

struct ctl_text {
    char *bytes; /* from malloc() */
    size_t length;
    size_t bytes_max;
};

/* A CURLOPT_WRITEFUNCTION. Returning less than it was given ends the transfer. */
static inline size_t ctl_text_append(char *from, size_t size, size_t count, void *context)
{
    struct ctl_text *text = context;
    size_t added = size * count;
    char *bytes;

    if (text->length + added > text->bytes_max)
        return 0;
    bytes = realloc(text->bytes, text->length + added + 1);
    if (!bytes)
        return 0;
    memcpy(bytes + text->length, from, added);
    text->bytes = bytes;
    text->length += added;
    bytes[text->length] = '\0';
    return added;
}
