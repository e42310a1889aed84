/* SPDX-License-Identifier: Apache-2.0 */
/* A packet of RoCEv2, as far as its receiver acts on it, and its length on the wire. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/psn.h"

enum roce_opcode {
    ROCE_WRITE,
    ROCE_ACK, /* psn: the last packet that arrived in order */
    ROCE_NAK, /* psn: the packet that is missing; with selective repeat `sack` arrived instead */
    ROCE_CNP,
    ROCE_OPCODE_COUNT,
};

enum roce_flag {
    ROCE_FIRST = 1, /* of its part of a message: with an address */
    ROCE_LAST = 2,
    ROCE_ASKS_ACK = 4,
    ROCE_TELLS = 8, /* the receiver is told when the message has arrived: with an immediate */
    ROCE_SACKS = 16,
};

struct roce_packet {
    uint8_t opcode;
    uint8_t flags;
    uint32_t dest_qp; /* a receiver, or a sender, of the NIC it is sent to */
    struct psn psn;
    struct psn sack;
    /* ROCE_WRITE */
    uint64_t va;
    uint32_t length;
    uint32_t message;         /* number in its connection */
    uint32_t message_packets; /* of the whole message */
    uint32_t tag;
};

enum {
    ROCE_HEADER_BYTES = 20 + 8 + 12 + 4, /* IPv4, UDP, BTH, iCRC */
    ROCE_RETH_BYTES = 16,
    ROCE_IMMEDIATE_BYTES = 4,
    ROCE_AETH_BYTES = 4,
    ROCE_SACK_BYTES = 4,
    ROCE_CNP_BYTES = 16,
};

/* Returns the length of a packet, of which `header_bytes` are in every packet: for RoCEv2 from the
 * IP header to the iCRC. */
static inline uint32_t roce_packet_bytes(const struct roce_packet *packet, uint32_t header_bytes)
{
    uint32_t bytes = header_bytes;

    if (packet->opcode == ROCE_CNP)
        return bytes + ROCE_CNP_BYTES;
    if (packet->opcode != ROCE_WRITE)
        return bytes + ROCE_AETH_BYTES + (packet->flags & ROCE_SACKS ? ROCE_SACK_BYTES : 0);
    bytes += (packet->length + 3) / 4 * 4;
    bytes += packet->flags & ROCE_FIRST ? ROCE_RETH_BYTES : 0;
    return bytes +
           ((packet->flags & ROCE_TELLS) && (packet->flags & ROCE_LAST) ? ROCE_IMMEDIATE_BYTES : 0);
}
