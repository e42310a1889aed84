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
    DECODE_CUT,     /* nothing wrong, but the capture did not keep all headers */
    DECODE_FOREIGN, /* not MRC, nor one of the RoCEv2 packets we know */
};

enum decode_icrc {
    DECODE_ICRC_UNCHECKED,
    DECODE_ICRC_ABSENT, /* trimmed away */
    DECODE_ICRC_OK,
    DECODE_ICRC_BAD,
};

#define DECODE_PACKET_BYTES_MAX (40 + 65535) /* an IPv6 packet without a jumbo option */

/* A packet as it comes from a capture, from its first IP header on. */
struct decode_input {
    const uint8_t *bytes;
    uint32_t captured_bytes;
    uint32_t length;  /* on the wire: more than captured_bytes if the capture kept only the start */
    uint8_t *scratch; /* DECODE_PACKET_BYTES_MAX bytes, in use as long as the packet */
};

struct decode_packet {
    const struct wire_format *format;
    const uint8_t *bytes; /* up to the end that its IP header announces: zero where not captured */
    uint32_t length;      /* on the wire */
    uint32_t captured_bytes; /* of `length` */
    uint32_t padded_bytes;   /* of `bytes` */
    enum decode_verdict verdict;
    enum drop_reason reason; /* if malformed */
    struct decode_layout layout;
    uint32_t read_count;   /* parts of the layout that were read */
    uint32_t fault;        /* the part that is at fault or cut; part_count: what follows them */
    uint32_t fault_offset; /* in bytes */
    struct frame frame;    /* good as far as the parts read */
    enum decode_icrc icrc;
    uint32_t icrc_stored;
    uint32_t icrc_computed;
    char foreign[40]; /* what it is, if foreign */
};

void decode_packet_parse(
    struct decode_packet *, const struct wire_format *, const struct decode_input *);

/* For a packet on its own, which is meant to be MRC: what is foreign is malformed then. */
void decode_packet_expect_mrc(struct decode_packet *);

/* Of a frame whose link layer says that it is no IP packet. */
void decode_packet_set_foreign(struct decode_packet *, uint16_t ether_type, uint32_t length);

void decode_packet_check_icrc(struct decode_packet *);

/* Whether this header was read. */
bool decode_packet_has(const struct decode_packet *, enum decode_header);

/* NULL: it was not read, or is not defined. */
const char *decode_packet_opcode_name(const struct decode_packet *);

/* Whether the EV was read. */
bool decode_packet_has_ev(const struct decode_packet *);

/* `count` (at most 8) bytes from `at` bytes into the header, as a big-endian number; 0 where there
 * are none. */
uint64_t decode_packet_bytes(
    const struct decode_packet *, enum decode_header, uint32_t at, uint32_t count);
