/* SPDX-License-Identifier: Apache-2.0 */
/* A complete frame from its first IP header on: [outer IPv6 [SRH]] IP UDP BTH extensions payload
 * pad iCRC.
 *
 * Parsing and building are exact inverses for everything that MRC defines. Reserved bits are sent
 * as 0 and ignored when received. Bytes after the outermost IP length (Ethernet padding) are
 * ignored. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/drop.h"
#include "wire/ev.h"
#include "wire/format.h"
#include "wire/ip.h"
#include "wire/packet.h"
#include "wire/srh.h"

#define FRAME_HEADER_BYTES_MAX (IP_V6_BYTES + SRH_BYTES + IP_V6_BYTES + 8 + 12 + 4 + 4 + 16 + 4)
#define FRAME_ICRC_BYTES       4

enum frame_encapsulation {
    FRAME_PLAIN,
    FRAME_SRV6,
    FRAME_SRV6_SRH,
};

struct frame {
    enum frame_encapsulation encapsulation;
    struct ip_header outer; /* not with FRAME_PLAIN */
    struct srh srh;         /* with FRAME_SRV6_SRH */
    struct ip_header inner;
    uint16_t source_port;
    uint16_t dest_port;
    struct packet packet;

    /* Offsets in bytes from the start of the frame, set by parsing and by building. */
    uint16_t inner_offset;
    uint16_t payload_offset; /* of a trimmed packet: where it was cut, or the end of the part that
                                must survive */
    uint32_t length;         /* including the iCRC, which a trimmed frame lacks */
};

static inline bool frame_is_trimmed(const struct frame *frame)
{
    return dscp_is_trimmed((enum dscp_class)frame->packet.class);
}

/* Parses everything except the iCRC, which frame_icrc_ok() checks. `out` is complete only with
 * DROP_NONE. With any other reason it contains what was read before the error; the rest is zero. */
enum drop_reason frame_parse(
    const struct wire_format *, const uint8_t *bytes, size_t length, struct frame *out);

/* Checks the iCRC of a frame just parsed. True for a trimmed frame, which has no iCRC. */
bool frame_icrc_ok(const struct frame *, const uint8_t *bytes);

/* These functions read the packet that the caller passes, not frame->packet.
 *
 * Fills in the headers for sending the packet: traffic classes, flow labels, ports, lengths, hop
 * limits. `path`: the outer destination, NULL for none; `segment`: the segment of the SRH, NULL for
 * no SRH. The path continues in the segment unless both are equal: it is then a copy. */
void frame_address_packet(const struct wire_format *, struct frame *, const struct packet *,
    const struct ipv6_addr *path, const struct ipv6_addr *segment);

/* Writes the headers. Returns the length of the complete frame, or 0 if it does not fit into
 * `room`. The caller copies the payload to payload_offset and then calls frame_seal_packet(). A
 * trimmed frame needs neither. */
uint32_t frame_build_packet(
    const struct wire_format *, struct frame *, const struct packet *, uint8_t *bytes, size_t room);

/* Writes pad and iCRC. */
void frame_seal_packet(const struct frame *, const struct packet *, uint8_t *bytes);

/* The same for frame->packet. */
static inline void frame_address(const struct wire_format *format, struct frame *frame,
    const struct ipv6_addr *path, const struct ipv6_addr *segment)
{
    frame_address_packet(format, frame, &frame->packet, path, segment);
}

static inline uint32_t frame_build(
    const struct wire_format *format, struct frame *frame, uint8_t *bytes, size_t room)
{
    return frame_build_packet(format, frame, &frame->packet, bytes, room);
}

static inline void frame_seal(const struct frame *frame, uint8_t *bytes)
{
    frame_seal_packet(frame, &frame->packet, bytes);
}
