/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the numbers of the wire format. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/ev.h"
#include "wire/format.h"
#include "wire/frame.h"

/* All return static strings, or NULL for a number without a name, unless stated otherwise. */

/* Returns e.g. "trimmable", a name that --dscp accepts. Never NULL. */
const char *decode_words_class(enum dscp_class);
const char *decode_words_ecn(uint8_t ecn); /* never NULL */
const char *decode_words_encapsulation(enum frame_encapsulation);

/* "NAK remote access error". */
const char *decode_words_syndrome(const struct wire_format *, uint8_t syndrome);

/* Returns what the requester does about it. Never NULL. */
const char *decode_words_nack(uint8_t reason);
const char *decode_words_mark(uint8_t sack_mark); /* never NULL */
const char *decode_words_endpoint_op(uint8_t op);

/* Returns true if a fabric can have this EV: no fabric has more than eight planes. */
bool decode_words_ev_is_path(const struct wire_format *, uint32_t ev);

/* "p5/u156", or the EV as a number. */
void decode_words_ev(const struct wire_format *, uint32_t ev, char *text, size_t size);

/* "ports 1, 2, 4". */
void decode_words_ports(uint32_t mask, char *text, size_t size);

/* "596.480 us". */
void decode_words_stamp(uint16_t stamp, char *text, size_t size);
