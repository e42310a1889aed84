/* SPDX-License-Identifier: Apache-2.0 */
/* A captured packet, parsed and judged. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode/decode_layout.h"
#include "wire/frame.h"

enum decode_verdict {
    DECODE_GOOD,
    DECODE_MALFORMED,
    DECODE_CUT,     /* not wrong, but the capture lacks some headers */
    DECODE_FOREIGN, /* neither MRC nor a RoCEv2 packet that we know */
};

enum decode_icrc {
    DECODE_ICRC_UNCHECKED,
    DECODE_ICRC_ABSENT, /* removed by trimming */
    DECODE_ICRC_OK,
    DECODE_ICRC_BAD,
};

#define DECODE_PACKET_BYTES_MAX (40 + 65535) /* an IPv6 packet without jumbo payload option */

/* A packet from a capture, beginning with its first IP header. */
struct decode_input {
    const uint8_t *bytes;
    uint32_t captured_bytes;
    uint32_t length;  /* on the wire; more than captured_bytes if the capture is cut */
    uint8_t *scratch; /* DECODE_PACKET_BYTES_MAX bytes, used as long as the packet */
};

struct decode_packet {
    const struct wire_format *format;
    const uint8_t *bytes;    /* up to the end in its IP header; zeros where not captured */
    uint32_t length;         /* on the wire */
    uint32_t captured_bytes; /* of `length` */
    uint32_t padded_bytes;   /* of `bytes` */
    enum decode_verdict verdict;
    enum drop_reason reason; /* if malformed */
    struct decode_layout layout;
    uint32_t read_count; /* parts of the layout that were read */
    uint32_t fault;      /* the part that is at fault or cut; part_count: what follows all parts */
    uint32_t fault_offset; /* in bytes */
    struct frame frame;    /* valid as far as parts were read */
    enum decode_icrc icrc;
    uint32_t icrc_stored;
    uint32_t icrc_computed;
    char foreign[40]; /* what it is, if foreign */
};

void decode_packet_parse(
    struct decode_packet *, const struct wire_format *, const struct decode_input *);

/* For a single packet that is meant to be MRC: a foreign packet becomes malformed. */
void decode_packet_expect_mrc(struct decode_packet *);

/* For a frame that is not IP according to its link layer. */
void decode_packet_set_foreign(struct decode_packet *, uint16_t ether_type, uint32_t length);

void decode_packet_check_icrc(struct decode_packet *);

/* Returns true if this header was read. */
bool decode_packet_has(const struct decode_packet *, enum decode_header);

/* Returns NULL if the opcode was not read or is not defined. */
const char *decode_packet_opcode_name(const struct decode_packet *);

/* Returns true if the EV was read. */
bool decode_packet_has_ev(const struct decode_packet *);

/* Returns `count` (at most 8) bytes at offset `at` of the header as a big-endian number; 0 if there
 * are none. */
uint64_t decode_packet_bytes(
    const struct decode_packet *, enum decode_header, uint32_t at, uint32_t count);
