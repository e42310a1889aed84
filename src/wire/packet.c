/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of packets on the wire (docs/wire.md §1.1). */
#include "wire/packet.h"

#include <stddef.h>

enum {
    UDP_BYTES = 8,
    TSETH_BYTES = 4,
    ICRC_BYTES = 4,
    IPV6_BYTES = 40,
};

uint32_t packet_udp_bytes(const struct packet *packet)
{
    uint32_t bytes = UDP_BYTES + opcode_header_bytes[packet->opcode] + ICRC_BYTES;

    if (packet->flags & PACKET_STAMPED)
        bytes += TSETH_BYTES;
    if (opcode_has_payload(packet->opcode))
        bytes += packet->write.payload.length + packet->write.pad_bytes;
    return bytes;
}

uint32_t packet_nominal_bytes(const struct packet *packet)
{
    return packet_udp_bytes(packet) + IPV6_BYTES;
}

const char *packet_nack_reason_name(uint8_t reason)
{
    switch (reason) {
    case NACK_TRIMMED:
        return "TRIMMED";
    case NACK_TRIMMED_LASTHOP:
        return "TRIMMED_LASTHOP";
    case NACK_NO_BITMAP:
        return "NO_BITMAP";
    case NACK_NO_PKT_BUFFER:
        return "NO_PKT_BUFFER";
    case NACK_NO_RESOURCE:
        return "NO_RESOURCE";
    case NACK_PSN_OOR_WINDOW:
        return "PSN_OOR_WINDOW";
    case NACK_UNEXP_EVENT:
        return "UNEXP_EVENT";
    default:
        return NULL;
    }
}
