/* SPDX-License-Identifier: Apache-2.0 */
/* A packet of UET, as far as its receiver acts on it, and its length on the wire. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum uet_opcode {
    UET_DATA,
    UET_PROBE,   /* asks for an ACK that shows the oldest gaps; travels as data */
    UET_REQUEST, /* asks for credits */
    UET_ACK,
    UET_NACK,   /* a packet was trimmed */
    UET_CREDIT, /* more credits */
    UET_OPCODE_COUNT,
};

enum uet_flag {
    UET_REPEATED = 1, /* DATA: sent again; ACK: its packet was */
    UET_ASKS_ACK = 2,
    UET_TELLS = 4,     /* DATA: the receiver is told when the message has arrived */
    UET_MARKED = 8,    /* ACK: its packet had an ECN mark */
    UET_LAST_HOP = 16, /* NACK: trimmed at the port to the receiver */
    UET_OF_PROBE = 32, /* ACK: answers a probe */
};

/* The part that differs between opcodes. Sequence numbers have 32 bits that wrap. */
struct uet_body {
    uint32_t psn;    /* DATA, NACK: of the packet; ACK: all before it have arrived */
    uint32_t credit; /* DATA, PROBE, REQUEST: wanted; ACK, CREDIT: granted; units since the start */
    union {
        struct {
            uint64_t va;
            uint32_t length;
            uint32_t message;         /* number in its connection */
            uint32_t message_packets; /* of the whole message */
            uint32_t tag;
        } data;
        struct {
            uint64_t bitmap;         /* bit i: `base` + i has arrived; 0: no information */
            uint64_t received_bytes; /* of all packets, without repeats */
            uint32_t base;
            uint32_t trigger; /* the packet that is answered */
            uint32_t early;   /* packets that have arrived after a gap */
        } ack;
    };
};

struct uet_packet {
    uint32_t dest; /* a receiver, or a sender, of the NIC it is sent to */
    uint16_t ev;   /* entropy value; of ACK and NACK: that of the packet they answer */
    uint8_t opcode;
    uint8_t flags;
    struct uet_body body;
};

enum {
    UET_HEADER_BYTES = 64, /* from the IP header on, of all kinds of packets */
    UET_CREDIT_BYTES = 256,
};

/* Returns the length from the IP header on. */
static inline uint32_t uet_packet_bytes(const struct uet_packet *packet)
{
    return UET_HEADER_BYTES + (packet->opcode == UET_DATA ? packet->body.data.length : 0);
}

/* Returns the sequence number with these lowest bits that is nearest to `near`. */
static inline uint64_t uet_packet_sequence(uint32_t psn, uint64_t near)
{
    return near + (uint64_t)(int64_t)(int32_t)(psn - (uint32_t)near);
}
