/* SPDX-License-Identifier: Apache-2.0 */
/* A packet as a line of text: [NAME LENGTH] HEXDIGITS, blanks between bytes, `#` begins a comment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEX_LINE_BYTES_MAX (40 + 65535) /* the longest IPv6 packet without a jumbo option */

struct hex_line {
    const char *name; /* NULL if the line has none */
    uint8_t *bytes;
    uint32_t length;       /* 0 if the line is empty or only a comment */
    uint32_t fault_column; /* counted from 1 */
    char fault[112];       /* message, without a full stop */
};

/* Parses `text`, which is NUL-terminated, and decodes the bytes in place: name and bytes point into
 * it. Returns false if the line is wrong; `fault` then contains the reason.
 *
 * A line such as `a1 68 6b80..` is ambiguous. Its first word is a name if the second is a decimal
 * number and one of these is true: the first word is not whole bytes, it does not begin like an IP
 * header, or exactly that many bytes follow. */
bool hex_line_parse(char *text, size_t text_length, struct hex_line *out);
