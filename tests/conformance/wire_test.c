/* SPDX-License-Identifier: Apache-2.0 */
/* docs/wire.md, section by section, on whole frames; wire_vectors_test.c has its §17. */
#include "spec.h"

#include <string.h>

#include "checksum_reference.h"
#include "icrc_reference.h"
#include "vectors.h"
#include "wire/ack.h"
#include "wire/bth.h"
#include "wire/frame.h"
#include "wire/ip_v4.h"
#include "wire/trim.h"
#include "wire/usid.h"

static const struct ipv6_addr v6_a = { { 0x20, 0x01, 0x0d, 0xb8, 0, 1, [15] = 0x0a } };
static const struct ipv6_addr v6_b = { { 0x20, 0x01, 0x0d, 0xb8, 0, 2, [15] = 0x0b } };
static const struct ipv6_addr v4_a = { { [10] = 0xff, 0xff, 192, 0, 2, 1 } };
static const struct ipv6_addr v4_b = { { [10] = 0xff, 0xff, 192, 0, 2, 2 } };
static const struct ipv6_addr path = { { 0xfc, 0, 0, 0x42, 0, 0x20, 0, 0x11, 0, 0x22, 0, 0x31 } };

/* A frame, sent. */
struct sent {
    struct frame frame;
    uint8_t bytes[4300];
    uint32_t length;
};

static struct packet packet_of(uint8_t opcode, uint8_t flags, uint32_t payload_bytes)
{
    struct packet packet = { .src = v6_a,
        .dst = v6_b,
        .opcode = opcode,
        .flags = flags,
        .class = opcode_is_write(opcode) ? DSCP_TRIMMABLE : DSCP_CONTROL,
        .ecn = opcode_is_write(opcode) ? ECN_ECT0 : ECN_NOT_ECT };

    if (opcode_is_write(opcode)) {
        packet.write.payload.length = payload_bytes;
        packet.write.pad_bytes = (uint8_t)((4 - payload_bytes % 4) % 4);
    }
    return packet;
}

static struct sent sent_by(
    struct packet packet, const struct ipv6_addr *to, const struct ipv6_addr *segment)
{
    struct sent sent = { .frame.packet = packet };

    frame_address(&format_default, &sent.frame, to, segment);
    sent.length = frame_build(&format_default, &sent.frame, sent.bytes, sizeof(sent.bytes));
    frame_seal(&sent.frame, sent.bytes);
    return sent;
}

static struct sent sent_plainly(struct packet packet)
{
    return sent_by(packet, NULL, NULL);
}

/* A vector with one byte changed, received. */
static enum drop_reason receive(const char *name, size_t offset, uint8_t value, struct frame *frame)
{
    const struct vector *vector = vectors_find(name);
    uint8_t bytes[VECTOR_BYTES_MAX];

    memcpy(bytes, vector->bytes, vector->length);
    bytes[offset] = value;
    return frame_parse(&format_default, bytes, vector->length, frame);
}

/* Lengths of IPv6 packet, with the SRv6 header, with the SRH. */
static void expect_lengths(struct packet packet, uint32_t plain)
{
    EXPECT_EQ(sent_by(packet, NULL, NULL).length, plain);
    EXPECT_EQ(sent_by(packet, &path, NULL).length, plain + 40);
    EXPECT_EQ(sent_by(packet, &path, &path).length, plain + 64);
}

SPEC("§1.1 packets have the lengths of the table in all three encapsulations")
{
    expect_lengths(packet_of(OPCODE_WRITE_MIDDLE, PACKET_STAMPED, 4096), 4184);
    expect_lengths(packet_of(OPCODE_WRITE_LAST_IMM, PACKET_STAMPED, 4096), 4188);
    expect_lengths(packet_of(OPCODE_WRITE_MIDDLE, 0, 4096), 4180);
    expect_lengths(packet_of(OPCODE_SACK, 0, 0), 100);
    expect_lengths(packet_of(OPCODE_NACK, 0, 0), 84);
    expect_lengths(packet_of(OPCODE_PROBE, 0, 0), 80);
    expect_lengths(packet_of(OPCODE_ENDPOINT_REQUEST, 0, 0), 80);
    expect_lengths(packet_of(OPCODE_ENDPOINT_RESPONSE, 0, 0), 100);
    expect_lengths(packet_of(OPCODE_ACK, 0, 0), 68);
}

SPEC("§2.1 packets go to UDP port 4791 with checksum 0 and hop limit 64; 4971 is accepted too")
{
    struct sent sent = sent_plainly(packet_of(OPCODE_SACK, 0, 0));
    struct frame frame;

    EXPECT_EQ(bytes_get_be16(sent.bytes + 42), 4791);
    EXPECT_EQ(bytes_get_be16(sent.bytes + 46), 0);
    EXPECT_EQ(sent.bytes[7], 64);
    bytes_put_be16(sent.bytes + 42, 4971);
    EXPECT_EQ(frame_parse(&format_default, sent.bytes, sent.length, &frame), DROP_NONE);
}

SPEC("§2.1 over IPv4 don't-fragment is set and the header checksum is right")
{
    struct packet packet = packet_of(OPCODE_SACK, 0, 0);
    struct sent sent;

    packet.src = v4_a;
    packet.dst = v4_b;
    sent = sent_plainly(packet);
    EXPECT_EQ(sent.length, 80);
    EXPECT_EQ(sent.bytes[6], 0x40);
    EXPECT_EQ(sent.bytes[8], 64);
    EXPECT(checksum_reference_holds(sent.bytes));
}

SPEC("§2.2 DSCP and ECN of a packet kind stand in the traffic class, outside and inside")
{
    struct sent data = sent_by(packet_of(OPCODE_WRITE_ONLY, 0, 4), &path, NULL);
    struct sent answer = sent_by(packet_of(OPCODE_SACK, 0, 0), &path, NULL);

    EXPECT_EQ(bytes_get_be32(data.bytes) >> 20 & 0xff, 4 << 2 | 2);
    EXPECT_EQ(bytes_get_be32(data.bytes + 40) >> 20 & 0xff, 4 << 2 | 2);
    EXPECT_EQ(bytes_get_be32(answer.bytes) >> 20 & 0xff, 46 << 2);
    EXPECT_EQ(bytes_get_be32(answer.bytes + 40) >> 20 & 0xff, 46 << 2);
}

SPEC("§2.2 all six code points can be set at run time")
{
    struct wire_format format = format_default;
    struct sent sent = { .frame.packet = packet_of(OPCODE_SACK, 0, 0) };

    format.dscp[DSCP_CONTROL] = 63;
    frame_address(&format, &sent.frame, NULL, NULL);
    EXPECT_EQ(sent.frame.inner.traffic_class, 63 << 2);
    sent.length = frame_build(&format, &sent.frame, sent.bytes, sizeof(sent.bytes));
    EXPECT_EQ(frame_parse(&format, sent.bytes, sent.length, &sent.frame), DROP_NONE);
    EXPECT_EQ(sent.frame.packet.class, DSCP_CONTROL);
}

SPEC("§3 an EV is rebuilt from the inner headers, for any outer flow label")
{
    struct frame frame;

    EXPECT_EQ(receive("X3", 3, 0x77, &frame), DROP_NONE);
    EXPECT_EQ(frame.outer.flow_label, 0x00577);
    EXPECT_EQ(frame.packet.ev, 0x059c);
}

SPEC("§3 IPv4 carries the low half of an EV, and the receiver takes the high half as 0")
{
    struct packet packet = packet_of(OPCODE_PROBE, 0, 0);
    struct sent sent;
    struct frame frame;

    packet.src = v4_a;
    packet.dst = v4_b;
    packet.ev = 0x554f2400;
    sent = sent_plainly(packet);
    EXPECT_EQ(frame_parse(&format_default, sent.bytes, sent.length, &frame), DROP_NONE);
    EXPECT_EQ(frame.packet.ev, 0x2400);
}

SPEC("§4 reserved fields are sent as 0 and M is never set")
{
    struct sent sent = sent_plainly(packet_of(OPCODE_WRITE_ONLY, 0xff & ~PACKET_BECN, 4));
    const uint8_t *bth = sent.bytes + 48;

    EXPECT_EQ(bth[1], 0x80); /* SE, no pad, version 0 */
    EXPECT_EQ(bytes_get_be16(bth + 2), 0xffff);
    EXPECT_EQ(bth[4], 0);
    EXPECT_EQ(bth[8], 0xb0); /* a, rtx, ts */
}

SPEC("§4.1 every opcode that the table does not have is dropped")
{
    static const uint8_t defined[] = { 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xd1, 0xd8, 0xd9, 0xdc,
        0xdd, 0xde };
    struct frame frame;

    for (uint32_t opcode = 0xc0; opcode <= 0xdf; opcode++)
        if (!memchr(defined, (int)opcode, sizeof(defined)))
            EXPECT_EQ(receive("W1", 48, (uint8_t)opcode, &frame), DROP_OPCODE);
}

SPEC("§4.2 Endpoint operations go to QP 2, which no application gets")
{
    EXPECT_EQ(BTH_ENDPOINT_QPN, 2);
}

SPEC("§5.2 TSETH lies between METH and RETH, and is there iff ts is set")
{
    struct packet packet = packet_of(OPCODE_WRITE_ONLY, PACKET_STAMPED, 0);
    struct sent sent;

    packet.write.msn = 0x1111;
    packet.write.tx_timestamp = 0x2222;
    packet.write.va = UINT64_C(0x3333333333333333);
    sent = sent_plainly(packet);
    EXPECT_MEM_EQ(sent.bytes + 60, "\0\0\x11\x11\x22\x22\0\1\x33\x33", 10);
    packet.flags = 0;
    sent = sent_plainly(packet);
    EXPECT_MEM_EQ(sent.bytes + 60, "\0\0\x11\x11\x33\x33", 6);
}

SPEC("§5.3 the payload length is what the UDP length leaves, not what RETH says")
{
    struct frame frame;

    EXPECT_EQ(receive("W1", 0x53, 0xff, &frame), DROP_NONE); /* dmalen */
    EXPECT_EQ(frame.packet.write.message_bytes, 0xff);
    EXPECT_EQ(frame.packet.write.payload.length, 10);
}

SPEC("§5.4 the immediate is delivered unchanged")
{
    struct frame frame;

    EXPECT_EQ(receive("W5", 0x54, 0x01, &frame), DROP_NONE);
    EXPECT_EQ(frame.packet.write.immediate, 0x01fe0001);
}

SPEC("§5.5 pad is zeros, and fills the payload up to a multiple of four")
{
    for (uint32_t length = 0; length < 9; length++) {
        struct sent sent = sent_plainly(packet_of(OPCODE_WRITE_ONLY, 0, length));
        uint32_t pad = sent.frame.packet.write.pad_bytes;

        EXPECT_EQ((length + pad) % 4, 0);
        EXPECT_EQ(sent.bytes[49], pad << 4);
        EXPECT_MEM_EQ(sent.bytes + sent.length - 4 - pad, "\0\0\0", pad);
    }
}

SPEC("§6 an RNR NAK is dropped, an unknown NAK is not")
{
    struct frame frame;

    EXPECT_EQ(receive("A1", 60, 0x20, &frame), DROP_SYNDROME);
    EXPECT_EQ(receive("A1", 60, 0x7f, &frame), DROP_NONE);
    EXPECT(ack_is_nak(frame.packet.ack.syndrome));
}

SPEC("§7 type, nxt, vendor_info and the PDC ids are no reason to reject a packet")
{
    static const char *const names[] = { "S1", "N1", "P1", "E1", "E3" };
    static const size_t offsets[] = { 60, 63, 68, 70 };
    struct frame frame;

    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 4; k++)
            EXPECT_EQ(receive(names[i], offsets[k], 0xff, &frame), DROP_NONE);
}

SPEC("§8 bitmap bit i stands for the PSN cack_psn + sack_offset + i")
{
    struct frame frame;
    uint32_t received = 0;

    EXPECT_EQ(receive("S1", 7, 64, &frame), DROP_NONE);
    for (int32_t i = 0; i < 64; i++)
        if (frame.packet.sack.bitmap >> i & 1)
            received |=
                1u
                << (psn_add(frame.packet.sack.cack_psn, frame.packet.sack.sack_offset + i).value -
                       0x100);
    EXPECT_EQ(received, 1u << 0x6 | 1u << 0x7 | 1u << 0x9 | 1u << 0xa | 1u << 0xb);
}

SPEC("§8 the PSN of the trigger is cack_psn + ack_psn_offset, above or below it")
{
    struct frame above;
    struct frame below;

    EXPECT_EQ(receive("S1", 7, 64, &above), DROP_NONE);
    EXPECT_EQ(receive("S4", 7, 64, &below), DROP_NONE);
    EXPECT_EQ(psn_add(above.packet.psn, above.packet.sack.ack_psn_offset).value, 0x10b);
    EXPECT_EQ(psn_add(below.packet.psn, below.packet.sack.ack_psn_offset).value, 0x101);
}

SPEC("§9 a NACK is sent with cc_type 2, and one with an unknown reason is not dropped")
{
    struct sent sent = sent_plainly(packet_of(OPCODE_NACK, 0, 0));
    struct frame frame;

    EXPECT_EQ(sent.bytes[60 + 16], 0x20);
    EXPECT_EQ(receive("N1", 62, 0xee, &frame), DROP_NONE);
    EXPECT_EQ(frame.packet.nack.reason, 0xee);
}

SPEC("§10 the timestamp of a probe is inside PETH, and ts stays 0")
{
    struct packet packet = packet_of(OPCODE_PROBE, 0, 0);
    struct sent sent;

    packet.probe.tx_timestamp = 0x2000;
    sent = sent_plainly(packet);
    EXPECT_EQ(sent.bytes[56], 0);
    EXPECT_MEM_EQ(sent.bytes + 72, "\x20\0\0\1", 4);
}

SPEC("§11.2 op of an Endpoint Response is not checked")
{
    struct frame frame;

    for (uint8_t op = 0; op < 4; op++) {
        EXPECT_EQ(receive("E3", 61, (uint8_t)(op << 2), &frame), DROP_NONE);
        EXPECT_EQ(frame.packet.endpoint.op, op);
    }
}

SPEC("§12 the iCRC is CRC-32 over ones and the masked packet, stored least significant byte first")
{
    const struct vector *w1 = vectors_find("W1");
    uint32_t icrc = icrc_reference(w1->bytes, w1->length - 4);

    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(w1->bytes[w1->length - 4 + i], icrc >> 8 * i & 0xff);
}

SPEC("§12 a trimmed packet has no iCRC to check")
{
    const struct vector *t1 = vectors_find("T1");
    struct frame frame;

    EXPECT_EQ(receive("T1", 7, 64, &frame), DROP_NONE);
    EXPECT(frame_icrc_ok(&frame, t1->bytes));
}

SPEC("§13 the outer header copies DSCP and ECN, has the low 20 bits of the EV and hop limit 64")
{
    struct packet packet = packet_of(OPCODE_WRITE_ONLY, 0, 4);
    struct sent sent;

    packet.ev = 0x554f2400;
    sent = sent_by(packet, &path, NULL);
    EXPECT_EQ(bytes_get_be32(sent.bytes), 0x612f2400);
    EXPECT_EQ(bytes_get_be16(sent.bytes + 4), sent.length - 40);
    EXPECT_EQ(sent.bytes[6], 41);
    EXPECT_EQ(sent.bytes[7], 64);
    EXPECT_MEM_EQ(sent.bytes + 8, v6_a.octets, 16);
    EXPECT_MEM_EQ(sent.bytes + 24, path.octets, 16);
}

SPEC("§13 an SRH is 24 bytes: next header 41, length 2, type 4, one segment")
{
    struct sent sent = sent_by(packet_of(OPCODE_SACK, 0, 0), &path, &path);

    EXPECT_EQ(sent.bytes[6], 43);
    EXPECT_MEM_EQ(sent.bytes + 40, "\x29\2\4\0\0\0\0\0", 8);
    EXPECT_MEM_EQ(sent.bytes + 48, path.octets, 16);
    EXPECT_EQ(sent.bytes[64], 0x6b);
}

SPEC("§13 an SRH in which the path continues has one segment left, a copy of the path none")
{
    static const struct ipv6_addr other = { { 0xfc, 0, 0, 0x42, 0x04, 0x06, 0x0c } };

    EXPECT_EQ(sent_by(packet_of(OPCODE_SACK, 0, 0), &path, &other).bytes[43], 1);
    EXPECT_EQ(sent_by(packet_of(OPCODE_SACK, 0, 0), &path, &path).bytes[43], 0);
}

SPEC("§13 an IPv4 packet in the tunnel is announced as 4")
{
    struct packet packet = packet_of(OPCODE_SACK, 0, 0);
    struct sent sent;
    struct frame frame;

    packet.src = v4_a;
    packet.dst = v4_b;
    sent = sent_by(packet, &path, NULL);
    EXPECT_EQ(sent.bytes[6], 4);
    EXPECT_EQ(frame_parse(&format_default, sent.bytes, sent.length, &frame), DROP_NONE);
    EXPECT(frame.inner.is_v4);
}

SPEC("§13 outer CE counts if the inner packet is ECN-capable")
{
    struct frame frame;

    EXPECT_EQ(receive("X3", 7, 61, &frame), DROP_NONE);
    EXPECT_EQ(frame.packet.ecn, ECN_CE);
    EXPECT_EQ(receive("X3", 41, 0x00, &frame), DROP_NONE);
    EXPECT_EQ(frame.packet.ecn, ECN_NOT_ECT);
}

SPEC("§13 an outer DSCP of TRIMMED makes the packet trimmed, for any inner DSCP")
{
    struct frame frame;

    EXPECT_EQ(receive("X1", 0, 0x63, &frame), DROP_NONE);
    EXPECT_EQ(frame.packet.class, DSCP_TRIMMED);
    EXPECT_EQ(ip_dscp(&frame.inner), 4);
    EXPECT_EQ(receive("X1", 40, 0x63, &frame), DROP_NONE); /* the inner one alone: not trimmed */
    EXPECT_EQ(frame.packet.class, DSCP_TRIMMABLE);
}

SPEC("§14 at least 68, 108 or 132 bytes survive trimming, and the UDP length stays")
{
    struct packet packet = packet_of(OPCODE_WRITE_MIDDLE, PACKET_STAMPED, 4096);
    struct sent plain = sent_by(packet, NULL, NULL);
    struct sent srv6 = sent_by(packet, &path, NULL);
    struct sent srh = sent_by(packet, &path, &path);

    EXPECT_EQ(trim_frame(plain.bytes, plain.length, 68, 12), 68);
    EXPECT_EQ(trim_frame(srv6.bytes, srv6.length, 108, 12), 108);
    EXPECT_EQ(trim_frame(srh.bytes, srh.length, 132, 12), 132);
    EXPECT_EQ(bytes_get_be16(plain.bytes + 44), 4144);
    EXPECT_EQ(bytes_get_be16(srv6.bytes + 84), 4144);
    EXPECT_EQ(bytes_get_be16(srh.bytes + 108), 4144);
}

SPEC("§14 a packet cut at 256 bytes, as switches do, has its original payload length")
{
    struct packet packet = packet_of(OPCODE_WRITE_LAST_IMM, PACKET_STAMPED, 4093);
    struct sent sent = sent_by(packet, &path, NULL);
    struct frame frame;

    sent.length = (uint32_t)trim_frame(sent.bytes, sent.length, 256, 12);
    EXPECT_EQ(sent.length, 256);
    EXPECT_EQ(frame_parse(&format_default, sent.bytes, sent.length, &frame), DROP_NONE);
    EXPECT_EQ(frame.packet.write.payload.length, 4093);
    EXPECT(frame.packet.write.payload.bytes == NULL);
}

SPEC("§15 PSNs compare by their 24-bit distance")
{
    EXPECT_EQ(psn_distance(psn(2), psn(1)), -1);
    EXPECT_EQ(psn_distance(psn(0xffffff), psn(0)), 1);
    EXPECT(psn_before(psn(0xffff00), psn(0x000100)));
}

SPEC("§16 the widest window, 255 units of 128 PSNs, is less than the offsets can say")
{
    EXPECT_LT(255 * 128, INT16_MAX);
}

SPEC("§16 six uSIDs fit into an address with a block of 32 bits")
{
    EXPECT_EQ(USID_COUNT_MAX, 6);
}
