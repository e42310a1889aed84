/* SPDX-License-Identifier: Apache-2.0 */
/* Reads words and numbers from the front of a text. Each function moves *at past what it accepts
 * and returns true; otherwise it returns false and leaves *at and its output alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool scan_word(const char **at, const char *word)
{
    const char *next = *at;

    while (*word)
        if (*next++ != *word++)
            return false;
    *at = next;
    return true;
}

/* Moves *at past blanks and tabs, if any. */
static inline void scan_blanks(const char **at)
{
    while (**at == ' ' || **at == '\t')
        ++*at;
}

/* Reads decimal digits without a sign. Refuses a number that does not fit. */
static inline bool scan_u64(const char **at, uint64_t *out)
{
    const char *next = *at;
    uint64_t value = 0;

    for (; *next >= '0' && *next <= '9'; next++) {
        uint64_t digit = (uint64_t)(*next - '0');

        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (next == *at)
        return false;
    *at = next;
    *out = value;
    return true;
}

static inline bool scan_u32(const char **at, uint32_t *out)
{
    const char *next = *at;
    uint64_t value;

    if (!scan_u64(&next, &value) || value > UINT32_MAX)
        return false;
    *at = next;
    *out = (uint32_t)value;
    return true;
}

/* Reads one or two hexadecimal digits. */
static inline bool scan_hex_octet(const char **at, uint8_t *out)
{
    const char *next = *at;
    uint32_t value = 0;

    for (; next < *at + 2; next++)
        if (*next >= '0' && *next <= '9')
            value = value * 16 + (uint32_t)(*next - '0');
        else if ((*next | 0x20) >= 'a' && (*next | 0x20) <= 'f')
            value = value * 16 + (uint32_t)((*next | 0x20) - 'a') + 10;
        else
            break;
    if (next == *at)
        return false;
    *at = next;
    *out = (uint8_t)value;
    return true;
}

/* Reads at least one character up to `end`, and consumes `end`. Refuses text that does not fit into
 * `out` with its terminator, and text without `end`. */
static inline bool scan_until(const char **at, char end, char *out, size_t out_bytes)
{
    size_t length = 0;

    while ((*at)[length] && (*at)[length] != end)
        length++;
    if (length == 0 || length >= out_bytes || (*at)[length] != end)
        return false;
    for (size_t i = 0; i < length; i++)
        out[i] = (*at)[i];
    out[length] = '\0';
    *at += length + 1;
    return true;
}
