/* SPDX-License-Identifier: Apache-2.0 */
/* METH, TSETH, RETH and ImmDt (docs/wire.md §5). */
#include "spec.h"

#include "wire/write.h"

/* METH rqmsn 3, msn 9; TSETH 0x1240, tsr; RETH; immediate. */
static const uint8_t headers[] = { 0x00, 0x03, 0x00, 0x09, 0x12, 0x40, 0x80, 0x01, 0x00, 0x00, 0x7f,
    0x00, 0x12, 0x34, 0x70, 0x10, 0xde, 0xad, 0xbe, 0xef, 0x00, 0x00, 0x00, 0x18, 0xca, 0xfe, 0x00,
    0x01 };
#define RETH  (headers + 8)
#define IMMDT (headers + 24)

static struct packet parsed(uint8_t opcode, uint8_t flags, const uint8_t *bytes, size_t length)
{
    struct bytes_in in = bytes_in(bytes, length);
    struct packet packet = { .opcode = opcode, .flags = flags };

    write_parse(&in, &packet);
    EXPECT(in.ok);
    EXPECT_EQ(bytes_left(&in), 0);
    return packet;
}

static void expect_built(const struct packet *packet, const uint8_t *wanted, size_t length)
{
    uint8_t built[sizeof(headers)];
    struct bytes_out out = bytes_out(built, sizeof(built));

    write_build(&out, packet);
    EXPECT(out.ok);
    EXPECT_EQ(out.at - built, length);
    EXPECT_MEM_EQ(built, wanted, length);
}

SPEC("a stamped WRITE Last with Immediate has all four headers, in this order")
{
    struct packet packet = parsed(OPCODE_WRITE_LAST_IMM, PACKET_STAMPED, headers, sizeof(headers));

    EXPECT_EQ(packet.write.rqmsn, 3);
    EXPECT_EQ(packet.write.msn, 9);
    EXPECT_EQ(packet.write.tx_timestamp, 0x1240);
    EXPECT_EQ(packet.flags, PACKET_STAMPED | PACKET_OWN_UNIT);
    EXPECT_EQ(packet.write.va, UINT64_C(0x7f0012347010));
    EXPECT_EQ(packet.write.rkey, 0xdeadbeef);
    EXPECT_EQ(packet.write.message_bytes, 24);
    EXPECT_EQ(packet.write.immediate, 0xcafe0001);
    expect_built(&packet, headers, sizeof(headers));
}

SPEC("without a stamp RETH follows METH, and other opcodes have no immediate")
{
    static const uint8_t bytes[] = { 0, 3, 0, 9, 0, 0, 0x7f, 0, 0x12, 0x34, 0x70, 0x10, 0xde, 0xad,
        0xbe, 0xef, 0, 0, 0, 0x18 };
    struct packet packet = parsed(OPCODE_WRITE_MIDDLE, 0, bytes, sizeof(bytes));

    EXPECT_EQ(packet.write.msn, 9);
    EXPECT_EQ(packet.write.tx_timestamp, 0);
    EXPECT_EQ(packet.write.rkey, 0xdeadbeef);
    expect_built(&packet, bytes, sizeof(bytes));
}

SPEC("RoCEv2 has RETH in the first packet of a message only, and neither METH nor TSETH")
{
    struct packet first = parsed(OPCODE_ROCE_WRITE_FIRST, 0, RETH, 16);
    struct packet middle = parsed(OPCODE_ROCE_WRITE_MIDDLE, 0, RETH, 0);
    struct packet last = parsed(OPCODE_ROCE_WRITE_LAST_IMM, 0, IMMDT, 4);
    struct packet only = parsed(OPCODE_ROCE_WRITE_ONLY_IMM, 0, RETH, 20);

    EXPECT_EQ(first.write.message_bytes, 24);
    EXPECT_EQ(middle.write.va, 0);
    EXPECT_EQ(last.write.immediate, 0xcafe0001);
    EXPECT_EQ(only.write.immediate, 0xcafe0001);
    expect_built(&first, RETH, 16);
    expect_built(&middle, RETH, 0);
    expect_built(&last, IMMDT, 4);
    expect_built(&only, RETH, 20);
}

SPEC("truncated headers clear ok")
{
    for (size_t length = 0; length < sizeof(headers); length++) {
        struct bytes_in in = bytes_in(headers, length);
        struct packet packet = { .opcode = OPCODE_WRITE_ONLY_IMM, .flags = PACKET_STAMPED };

        write_parse(&in, &packet);
        EXPECT(!in.ok);
    }
}

SPEC("only METH and TSETH of a trimmed packet are parsed")
{
    struct bytes_in in = bytes_in(headers, sizeof(headers));
    struct packet packet = { .opcode = OPCODE_WRITE_ONLY, .flags = PACKET_STAMPED };

    write_parse_trimmed(&in, &packet);
    EXPECT(in.at == RETH);
    EXPECT_EQ(packet.write.msn, 9);
    EXPECT_EQ(packet.write.tx_timestamp, 0x1240);
    EXPECT_EQ(packet.write.rkey, 0);
}

SPEC("a trimmed packet is built up to TSETH, or METH if it has no stamp")
{
    struct packet packet = { .opcode = OPCODE_WRITE_ONLY,
        .flags = PACKET_STAMPED | PACKET_OWN_UNIT,
        .write = { .rqmsn = 3, .msn = 9, .tx_timestamp = 0x1240 } };
    uint8_t built[8];
    struct bytes_out out = bytes_out(built, sizeof(built));

    write_build_trimmed(&out, &packet);
    EXPECT_EQ(out.at - built, 8);
    EXPECT_MEM_EQ(built, headers, 8);
    packet.flags = 0;
    out = bytes_out(built, sizeof(built));
    write_build_trimmed(&out, &packet);
    EXPECT_EQ(out.at - built, 4);
}
