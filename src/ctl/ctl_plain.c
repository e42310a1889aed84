/* SPDX-License-Identifier: Apache-2.0 */
/* Measures values. */
#include "ctl/ctl_plain.h"

#include <string.h>

enum { NUMBER_BYTES = 8 }; /* a number, a truth value, or what a value costs besides its text */

/* Takes the text from the room. C1 control characters are two bytes in UTF-8, c2 80 to c2 9f. */
static bool take_text(const char *text, size_t length, size_t *room)
{
    if (length + NUMBER_BYTES > *room)
        return false;
    *room -= length + NUMBER_BYTES;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        unsigned char next = i + 1 < length ? (unsigned char)text[i + 1] : 0;

        if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next < 0xa0))
            return false;
    }
    return true;
}

/* Each level costs room, so that the depth is bounded, too. */
static bool take_value(const json_t *value, size_t *room) /* NOLINT(misc-no-recursion) */
{
    const json_t *child;
    const char *key;
    size_t i;

    if (json_is_string(value))
        return take_text(json_string_value(value), json_string_length(value), room);
    if (!take_text("", 0, room))
        return false;
    if (json_is_array(value))
        json_array_foreach(value, i, child) if (!take_value(child, room)) return false;
    if (json_is_object(value))
        json_object_foreach((json_t *)(size_t)value, key,
            child) if (!take_text(key, strlen(key), room) || !take_value(child, room)) return false;
    return true;
}

bool ctl_plain_fits(const json_t *value, size_t bytes_max)
{
    size_t room = bytes_max;

    return take_value(value, &room);
}
