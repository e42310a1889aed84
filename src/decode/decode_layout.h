/* SPDX-License-Identifier: Apache-2.0 */
/* The positions of the headers of a frame, found without checking them, so that a malformed frame
 * can be shown up to its fault. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/packet.h"

enum decode_header {
    DECODE_OUTER_IP,
    DECODE_SRH,
    DECODE_IP,
    DECODE_UDP,
    DECODE_BTH,
    DECODE_ROCE_BTH,
    DECODE_METH,
    DECODE_TSETH,
    DECODE_RETH,
    DECODE_IMMDT,
    DECODE_AETH,
    DECODE_SETH,
    DECODE_CC_STATE,
    DECODE_NETH,
    DECODE_PETH,
    DECODE_ERTH,
    DECODE_EETH,
    DECODE_CNP,
    DECODE_HEADER_COUNT,
};

#define DECODE_LAYOUT_HEADERS_MAX 9 /* two IP, SRH, UDP, BTH, METH, TSETH, RETH, ImmDt */

struct decode_layout_part {
    enum decode_header header;
    uint32_t offset;
    uint32_t length;
};

struct decode_layout {
    struct decode_layout_part parts[DECODE_LAYOUT_HEADERS_MAX];
    uint32_t part_count; /* only the last may reach beyond `end` */
    uint32_t end;        /* of the frame or of the outermost IP packet, whichever is first */
};

/* Finds IP headers, SRH, UDP and BTH, as far as there are bytes and each names the next. */
void decode_layout_begin(struct decode_layout *, const uint8_t *bytes, uint32_t length);

/* Adds the extension headers that follow a complete BTH. */
void decode_layout_extend(struct decode_layout *, const struct packet *);

/* Returns the length of the packet in its outermost IP header; 0 if there is none. */
uint32_t decode_layout_announced(const uint8_t *bytes, uint32_t length);

/* Returns the end of the last part. */
uint32_t decode_layout_end(const struct decode_layout *);

/* Returns the index of the header among the parts; part_count if it is absent. */
uint32_t decode_layout_find(const struct decode_layout *, enum decode_header);

/* Returns the index of the first part that ends after `limit`; part_count if none does. */
uint32_t decode_layout_beyond(const struct decode_layout *, uint32_t limit);

/* Returns a name for users, for example "outer IPv6" or "BTH". */
const char *decode_layout_name(enum decode_header);
