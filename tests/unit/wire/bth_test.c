/* SPDX-License-Identifier: Apache-2.0 */
/* Base transport header (docs/wire.md §4). */
#include "spec.h"

#include <string.h>

#include "wire/bth.h"

/* The header of W1: WRITE Only, pad 2, a and ts set, PSN 0x100, QP 0x222. */
static const uint8_t w1[BTH_BYTES] = { 0xca, 0x20, 0xff, 0xff, 0x00, 0x00, 0x02, 0x22, 0x90, 0x00,
    0x01, 0x00 };

static enum drop_reason parse(
    const struct wire_format *format, const uint8_t *bytes, size_t length, struct packet *packet)
{
    struct bytes_in in = bytes_in(bytes, length);
    uint8_t pad_bytes;

    *packet = (struct packet){ 0 };
    return bth_parse(format, &in, packet, &pad_bytes);
}

/* The header of W1 with one byte changed. */
static enum drop_reason parse_with(size_t offset, uint8_t value, struct packet *packet)
{
    uint8_t bytes[BTH_BYTES];

    memcpy(bytes, w1, sizeof(bytes));
    bytes[offset] = value;
    return parse(&format_default, bytes, sizeof(bytes), packet);
}

static uint8_t built_byte(
    const struct wire_format *format, const struct packet *packet, size_t offset)
{
    uint8_t bytes[BTH_BYTES];
    struct bytes_out out = bytes_out(bytes, sizeof(bytes));

    bth_build(format, &out, packet);
    return bytes[offset];
}

SPEC("the header of W1 is parsed, and is built again byte for byte")
{
    struct bytes_in in = bytes_in(w1, sizeof(w1));
    uint8_t built[BTH_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));
    struct packet packet = { 0 };
    uint8_t pad_bytes;

    EXPECT_EQ(bth_parse(&format_default, &in, &packet, &pad_bytes), DROP_NONE);
    EXPECT_EQ(packet.opcode, 0xca);
    EXPECT_EQ(packet.flags, PACKET_ACK_REQUEST | PACKET_STAMPED);
    EXPECT_EQ(packet.dest_qpn, 0x222);
    EXPECT_EQ(packet.psn.value, 0x100);
    EXPECT_EQ(pad_bytes, 2);
    EXPECT_EQ(bytes_left(&in), 0);
    packet.write.pad_bytes = pad_bytes;
    bth_build(&format_default, &out, &packet);
    EXPECT_MEM_EQ(built, w1, sizeof(w1));
}

SPEC("the four pad counts are bits 5:4 of byte 1")
{
    for (uint8_t pad = 0; pad < 4; pad++) {
        struct packet packet = { .opcode = OPCODE_WRITE_ONLY, .write.pad_bytes = pad };

        EXPECT_EQ(built_byte(&format_default, &packet, 1), pad << 4);
    }
}

SPEC("a packet without payload has no pad")
{
    struct packet packet = { .opcode = OPCODE_SACK };

    memset(&packet.write, 0xff, sizeof(packet.write));
    EXPECT_EQ(built_byte(&format_default, &packet, 1), 0);
}

SPEC("SE is bit 7 of byte 1 and M is ignored, unless the format swaps them")
{
    struct wire_format swapped = format_default;
    uint8_t bytes[BTH_BYTES];
    struct packet packet;

    swapped.m_before_se = true;
    memcpy(bytes, w1, sizeof(bytes));
    bytes[1] = 0x80;
    EXPECT_EQ(parse(&format_default, bytes, sizeof(bytes), &packet), DROP_NONE);
    EXPECT(packet.flags & PACKET_SOLICITED);
    EXPECT_EQ(built_byte(&format_default, &packet, 1), 0x80);
    EXPECT_EQ(built_byte(&swapped, &packet, 1), 0x40);
    EXPECT_EQ(parse(&swapped, bytes, sizeof(bytes), &packet), DROP_NONE);
    EXPECT(!(packet.flags & PACKET_SOLICITED));
}

SPEC("a is bit 7 of byte 8, rtx bit 5, ts bit 4")
{
    struct packet packet;

    EXPECT_EQ(parse_with(8, 0x80, &packet), DROP_NONE);
    EXPECT_EQ(packet.flags, PACKET_ACK_REQUEST);
    EXPECT_EQ(parse_with(8, 0x20, &packet), DROP_NONE);
    EXPECT_EQ(packet.flags, PACKET_RETRANSMISSION);
    EXPECT_EQ(parse_with(8, 0x10, &packet), DROP_NONE);
    EXPECT_EQ(packet.flags, PACKET_STAMPED);
    EXPECT_EQ(built_byte(&format_default, &packet, 8), 0x10);
}

SPEC("reserved bits are ignored: bit 6 and 3:0 of byte 8, all of byte 4")
{
    struct packet packet;

    EXPECT_EQ(parse_with(8, 0x4f, &packet), DROP_NONE);
    EXPECT_EQ(packet.flags, 0);
    EXPECT_EQ(parse_with(4, 0xff, &packet), DROP_NONE);
    EXPECT_EQ(packet.dest_qpn, 0x222);
    EXPECT(!(packet.flags & PACKET_BECN));
}

SPEC("ts is ignored where no TSETH can follow")
{
    struct packet packet = { .opcode = OPCODE_SACK, .flags = PACKET_STAMPED };

    EXPECT_EQ(built_byte(&format_default, &packet, 8), 0);
    EXPECT_EQ(parse_with(0, OPCODE_SACK, &packet), DROP_NONE);
    EXPECT_EQ(packet.flags, PACKET_ACK_REQUEST);
}

SPEC("a RoCEv2 header has BECN in byte 4, and neither rtx nor ts")
{
    static const uint8_t cnp[BTH_BYTES] = { 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x02, 0x22, 0x70 };
    struct packet packet;

    EXPECT_EQ(parse(&format_default, cnp, sizeof(cnp), &packet), DROP_NONE);
    EXPECT_EQ(packet.flags, PACKET_BECN);
    EXPECT_EQ(packet.dest_qpn, 0x222);
    EXPECT_EQ(built_byte(&format_default, &packet, 4), 0x40);
    EXPECT_EQ(built_byte(&format_default, &packet, 8), 0);
}

SPEC("QP number and PSN have 24 bits, and wider values do not overflow into neighbouring fields")
{
    struct packet packet = { .opcode = OPCODE_PROBE, .dest_qpn = 0xabcdef12 };

    EXPECT_EQ(built_byte(&format_default, &packet, 4), 0);
    EXPECT_EQ(built_byte(&format_default, &packet, 5), 0xcd);
    EXPECT_EQ(parse_with(9, 0xff, &packet), DROP_NONE);
    EXPECT_EQ(packet.psn.value, 0xff0100);
}

SPEC("only version 0 is accepted")
{
    struct packet packet;

    for (uint8_t version = 1; version < 16; version++)
        EXPECT_EQ(parse_with(1, version, &packet), DROP_BTH_VERSION);
}

SPEC("the default partition is accepted for full and limited members, no other partition is")
{
    struct packet packet;

    EXPECT_EQ(parse_with(2, 0x7f, &packet), DROP_NONE);
    EXPECT_EQ(parse_with(2, 0xfe, &packet), DROP_PARTITION);
    EXPECT_EQ(parse_with(3, 0x00, &packet), DROP_PARTITION);
}

SPEC("every opcode that is not defined is refused")
{
    struct packet packet;

    for (uint32_t opcode = 0; opcode < 256; opcode++)
        EXPECT_EQ(parse_with(0, (uint8_t)opcode, &packet),
            opcode_name((uint8_t)opcode) ? DROP_NONE : DROP_OPCODE);
}

SPEC("a truncated header is reported as truncated")
{
    struct packet packet;

    for (size_t length = 0; length < BTH_BYTES; length++)
        EXPECT_EQ(parse(&format_default, w1, length, &packet), DROP_TRUNCATED);
}
