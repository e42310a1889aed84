/* SPDX-License-Identifier: Apache-2.0 */
/* A packet as the protocol uses it: decoded fields in host order, and a reference to the
 * payload. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/dscp.h"
#include "wire/ip_address.h"
#include "wire/opcode.h"
#include "wire/psn.h"

enum packet_flag {
    PACKET_SOLICITED = 0x01, /* SE: raise a solicited event */
    PACKET_OWN_UNIT = 0x02,  /* tsr: the timestamp is not in units of 128 ns */
    PACKET_BECN = 0x04,      /* RoCEv2 only */
    PACKET_ANSWERED = 0x08,  /* not on the wire: another engine of the NIC answers it */

    /* Flags with the same bits as in BTH byte 8 */
    PACKET_STAMPED = 0x10,        /* ts: a WRITE with a TSETH */
    PACKET_RETRANSMISSION = 0x20, /* rtx; in a SACK: that of the trigger */
    PACKET_ACK_REQUEST = 0x80,    /* AckReq */
};

/* The payload. In a received packet it points into the frame. In a packet to be sent it refers to
 * the bytes of a work request, which are gathered when the frame is built. The simulator uses only
 * the length. */
struct payload {
    union {
        const uint8_t *bytes;
        struct {
            uint32_t request;
            uint32_t offset_bytes;
        };
    };
    uint32_t length;
};

struct packet_write {       /* METH, TSETH, RETH, ImmDt */
    uint64_t va;            /* address of the payload of this packet */
    struct payload payload; /* of a trimmed packet: the original length, no bytes */
    uint32_t rkey;
    uint32_t message_bytes; /* RETH.dmalen: length of the complete message */
    uint32_t immediate;
    uint16_t rqmsn; /* valid only in the packet with the immediate */
    uint16_t msn;
    uint16_t tx_timestamp;
    uint8_t pad_bytes;
};

enum ack_syndrome {
    ACK_SYNDROME_ACK = 0x1f,
    ACK_SYNDROME_INVALID_REQUEST = 0x61,
    ACK_SYNDROME_REMOTE_ACCESS = 0x62,
    ACK_SYNDROME_REMOTE_OPERATION = 0x63,
};

struct packet_ack { /* AETH; psn: the highest PSN executed, or the offending one */
    uint8_t syndrome;
    uint32_t messages_done; /* mod 2^24 */
};

enum sack_mark {
    SACK_MARK_NONE,
    SACK_MARK_SKIP_ONCE,
    SACK_MARK_ALWAYS_SKIP,
    SACK_MARK_RESERVED,
};

struct packet_sack { /* SETH and CC_STATE; psn = cack_psn */
    uint64_t bitmap; /* bit i: the PSN cack_psn + sack_offset + i was received */
    uint32_t entropy;
    struct psn cack_psn;
    uint32_t received_units; /* rcvd_bytes: units of 256 bytes, mod 2^24 */
    union {
        int16_t ack_psn_offset; /* PSN of the trigger, relative to cack_psn */
        uint16_t probe_id;      /* if answers_probe */
    };
    int16_t sack_offset;
    uint16_t tx_timestamp;
    uint16_t ooo_count; /* < 2^15 */
    uint16_t spdcid;
    uint16_t dpdcid;
    uint8_t mark;           /* enum sack_mark */
    uint8_t mpr;            /* units of 128 PSNs, 0: not dynamic */
    uint8_t window_penalty; /* < 128 */
    bool restore_window;
    bool answers_probe;
};

enum nack_reason {
#define NACK_REASON(identifier, code, help) NACK_##identifier = (code),
#include "wire/nack.def"
#undef NACK_REASON
};

struct packet_nack { /* NETH; psn = nack_psn */
    uint32_t entropy;
    struct psn nack_psn;
    uint16_t spdcid;
    uint16_t dpdcid;
    uint16_t tx_timestamp;
    uint8_t reason; /* enum nack_reason, or an unknown number */
};

struct packet_probe { /* PETH */
    uint16_t probe_id;
    uint16_t spdcid;
    uint16_t dpdcid;
    uint16_t tx_timestamp;
};

enum endpoint_op {
    ENDPOINT_PORT_STATUS_UPDATE = 0,
    ENDPOINT_EV_PROBE = 1,
    ENDPOINT_MAP_PROBE = 2, /* not of MRC 1.0, which leaves it undefined: map/map_packet.h */
};

struct packet_endpoint {       /* ERTH or EETH; psn bits 15:0 = request id */
    uint32_t port_status_mask; /* bit N: port N, counted from 1, is reachable */
    uint16_t tx_timestamp;
    uint8_t op;          /* 2 bits: enum endpoint_op */
    uint8_t incarnation; /* ERTH vendor_info: incarnation of the sender; 0: unknown */
};

#define PACKET_NO_SENDER UINT32_MAX /* an Endpoint Request or Response: no QP sends it */

struct packet {
    struct ipv6_addr src;
    struct ipv6_addr dst;
    uint32_t ev;
    uint32_t dest_qpn;
    struct psn psn;
    uint8_t opcode;
    uint8_t flags;   /* enum packet_flag */
    uint8_t class;   /* enum dscp_class, of the outer header if there is one */
    uint8_t ecn;     /* enum ecn, outer and inner combined */
    uint8_t port;    /* local port of departure or arrival, from 0; not on the wire */
    uint32_t sender; /* packet to be sent: its QP, or PACKET_NO_SENDER; not on the wire */
    union {
        struct packet_write write;
        struct packet_ack ack;
        struct packet_sack sack;
        struct packet_nack nack;
        struct packet_probe probe;
        struct packet_endpoint endpoint;
    };
};

_Static_assert(sizeof(struct packet) <= 104, "packets are copied by value: keep them small");

/* Returns the bytes of UDP header, transport headers, payload, pad and iCRC (docs/wire.md §1.1).
 * `opcode`: that of the packet, which may be a constant of the caller. */
static inline uint32_t packet_udp_bytes_of(const struct packet *packet, uint8_t opcode)
{
    enum { UDP = 8, TSETH = 4, ICRC = 4 };
    uint32_t bytes = UDP + opcode_header_bytes[opcode] + ICRC;

    if (packet->flags & PACKET_STAMPED)
        bytes += TSETH;
    if (opcode_has_payload(opcode))
        bytes += packet->write.payload.length + packet->write.pad_bytes;
    return bytes;
}

static inline uint32_t packet_udp_bytes(const struct packet *packet)
{
    return packet_udp_bytes_of(packet, packet->opcode);
}

/* Returns the nominal size, which congestion control uses for any encapsulation: the UDP length and
 * an IPv6 header (MRC 1.0 §8.3.1). */
static inline uint32_t packet_nominal_bytes_of(const struct packet *packet, uint8_t opcode)
{
    enum { IPV6 = 40 };

    return packet_udp_bytes_of(packet, opcode) + IPV6;
}

static inline uint32_t packet_nominal_bytes(const struct packet *packet)
{
    return packet_nominal_bytes_of(packet, packet->opcode);
}

/* Returns a name for users and JSON, for example "TRIMMED"; NULL if the number is not known. */
const char *packet_nack_reason_name(uint8_t reason);
