/* SPDX-License-Identifier: Apache-2.0 */
/* Formats the values of fields as text. */
#pragma once

#include <stddef.h>

#include "decode/decode_fields.h"

#define DECODE_TEXT_BYTES         1024 /* enough for any value */
#define DECODE_TEXT_ADDRESS_BYTES 46

/* Formats in full: 0x000104. */
void decode_text_value(const struct field *, char text[DECODE_TEXT_BYTES]);

/* Formats for one line: 0x104, or the name or alias instead of the number. */
void decode_text_brief(const struct field *, char text[DECODE_TEXT_BYTES]);

void decode_text_address(const struct ipv6_addr *, char text[DECODE_TEXT_ADDRESS_BYTES]);
