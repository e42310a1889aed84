/* SPDX-License-Identifier: Apache-2.0 */
/* A whole frame from its first IP header on: [outer IPv6 [SRH]] IP UDP BTH extensions payload pad
 * iCRC.
 *
 * Parsing and building are exact inverses for everything MRC defines. Reserved bits are sent as 0
 * and ignored when received; bytes behind the outermost IP length (Ethernet padding) are ignored.
 */
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
    struct ip_header outer; /* unless FRAME_PLAIN */
    struct srh srh;         /* if FRAME_SRV6_SRH */
    struct ip_header inner;
    uint16_t source_port;
    uint16_t dest_port;
    struct packet packet;

    /* Where parts lie, in bytes from the start. Set by parsing and by building. */
    uint16_t inner_offset;
    uint16_t
        payload_offset; /* of a trimmed packet: where it was cut, or the end of what must survive */
    uint32_t length;    /* up to and with the iCRC, which a trimmed frame lacks */
};

static inline bool frame_is_trimmed(const struct frame *frame)
{
    return dscp_is_trimmed((enum dscp_class)frame->packet.class);
}

/* Everything but the iCRC, which frame_icrc_ok() checks. `out` is complete only for DROP_NONE; for
 * any other reason what could be read before the fault is there, the rest is zero. */
enum drop_reason frame_parse(
    const struct wire_format *, const uint8_t *bytes, size_t length, struct frame *out);

/* Of a frame just parsed. A trimmed frame has no iCRC, so nothing to be wrong. */
bool frame_icrc_ok(const struct frame *, const uint8_t *bytes);

/* Fills all that follows from `frame->packet` for sending: traffic classes, flow labels, ports,
 * lengths, hop limits. `path`: the outer destination, NULL for none; `segment`: what an SRH shall
 * carry, NULL for no SRH. */
void frame_address(const struct wire_format *, struct frame *, const struct ipv6_addr *path,
    const struct ipv6_addr *segment);

/* Writes the headers and returns the length of the whole frame; 0 when it does not fit into `room`.
 * The caller puts the payload at payload_offset, then calls frame_seal(). A trimmed frame has
 * neither. */
uint32_t frame_build(const struct wire_format *, struct frame *, uint8_t *bytes, size_t room);

/* Writes pad and iCRC. */
void frame_seal(const struct frame *, uint8_t *bytes);
