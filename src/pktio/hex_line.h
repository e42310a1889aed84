/* SPDX-License-Identifier: Apache-2.0 */
/* A packet as a line of text: [NAME LENGTH] HEXDIGITS, blanks between bytes, `#` begins a comment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEX_LINE_BYTES_MAX (40 + 65535) /* the longest IPv6 packet without a jumbo option */

struct hex_line {
    const char *name; /* NULL: the line gives none */
    uint8_t *bytes;
    uint32_t length;       /* 0: an empty line, or nothing but a comment */
    uint32_t fault_column; /* counted from 1 */
    char fault[112];       /* for people, no full stop */
};

/* Reads `text`, which is NUL-terminated, and turns it into bytes in place: name and bytes point
 * into it. False: the line is wrong, `fault` says how.
 *
 * `a1 68 6b80..` could be named or not. The line has a name if its second word is a decimal number
 * and the first is not whole bytes, or begins like no IP header, or exactly that many bytes follow.
 */
bool hex_line_parse(char *text, size_t text_length, struct hex_line *out);
