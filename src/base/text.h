/* SPDX-License-Identifier: Apache-2.0 */
/* Builds short texts for users in a buffer of the caller. The text is always terminated and
 * truncated if it is too long. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct text {
    char *out;
    size_t room;
    size_t length;
};

static inline struct text text_in(char *out, size_t room)
{
    out[0] = '\0';
    return (struct text){ .out = out, .room = room };
}

static inline void text_char(struct text *text, char added)
{
    if (text->length + 1 < text->room) {
        text->out[text->length++] = added;
        text->out[text->length] = '\0';
    }
}

static inline void text_add(struct text *text, const char *added)
{
    while (*added)
        text_char(text, *added++);
}

static inline void text_number(struct text *text, uint64_t number)
{
    char digits[20];
    uint32_t count = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count > 0)
        text_char(text, digits[--count]);
}

/* Adds `words`, with each % replaced by the next of `numbers`: "radix % is too small". */
static inline void text_fill(struct text *text, const char *words, const uint64_t *numbers)
{
    for (; *words; words++)
        if (*words == '%')
            text_number(text, *numbers++);
        else
            text_char(text, *words);
}
