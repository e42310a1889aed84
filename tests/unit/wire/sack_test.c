/* SPDX-License-Identifier: Apache-2.0 */
/* SETH and CC_STATE (docs/wire.md §8). */
#include "spec.h"

#include <string.h>

#include "vectors.h"
#include "wire/sack.h"

#define OFFSET_IN_VECTOR 60

static struct packet_sack parsed(const uint8_t *bytes)
{
    struct bytes_in in = bytes_in(bytes, SACK_BYTES);
    struct packet packet = { .opcode = OPCODE_SACK };

    sack_parse(&in, &packet);
    EXPECT(in.ok);
    EXPECT_EQ(bytes_left(&in), 0);
    return packet.sack;
}

static void build(const struct packet_sack *sack, uint8_t *built)
{
    struct packet packet = { .opcode = OPCODE_SACK, .sack = *sack };
    struct bytes_out out = bytes_out(built, SACK_BYTES);

    sack_build(&out, &packet);
    EXPECT(out.ok);
    EXPECT(out.at == out.end);
}

/* One byte of an otherwise empty header set to ones. */
static struct packet_sack with_ones_at(size_t offset)
{
    uint8_t bytes[SACK_BYTES] = { 0 };

    bytes[offset] = 0xff;
    return parsed(bytes);
}

SPEC("the headers of S1 to S4 are built again byte for byte")
{
    static const char *const names[] = { "S1", "S2", "S3", "S4" };
    uint8_t built[SACK_BYTES];

    for (size_t i = 0; i < 4; i++) {
        const uint8_t *bytes = vectors_find(names[i])->bytes + OFFSET_IN_VECTOR;
        struct packet_sack sack = parsed(bytes);

        build(&sack, built);
        EXPECT_MEM_EQ(built, bytes, SACK_BYTES);
    }
}

SPEC("offsets have a sign: 0xfffd is -3")
{
    struct packet_sack sack = parsed(vectors_find("S4")->bytes + OFFSET_IN_VECTOR);

    EXPECT_EQ(sack.ack_psn_offset, -3);
    EXPECT_EQ(psn_add(sack.cack_psn, sack.ack_psn_offset).value, 0x101);
    EXPECT_EQ(with_ones_at(18).sack_offset, -256);
}

SPEC("the probe id and the offset use the same bytes")
{
    struct packet_sack sack = parsed(vectors_find("S2")->bytes + OFFSET_IN_VECTOR);

    EXPECT(sack.answers_probe);
    EXPECT_EQ(sack.probe_id, 0x42);
}

SPEC("bits of one byte are parsed separately")
{
    struct packet_sack second = with_ones_at(1);
    struct packet_sack count = with_ones_at(30);
    struct packet_sack penalty = with_ones_at(32);

    EXPECT_EQ(second.mark, SACK_MARK_RESERVED);
    EXPECT(second.answers_probe);
    EXPECT_EQ(count.ooo_count, 0x7f00);
    EXPECT(penalty.restore_window);
    EXPECT_EQ(penalty.window_penalty, 127);
    EXPECT_EQ(penalty.received_units, 0);
}

SPEC("reserved bytes and the cc_type are ignored, and sent as zero")
{
    static const size_t reserved[] = { 0, 12, 16 };
    static const uint8_t zeros[SACK_BYTES];
    uint8_t built[SACK_BYTES];

    for (size_t i = 0; i < 3; i++) {
        struct packet_sack sack = with_ones_at(reserved[i]);

        build(&sack, built);
        EXPECT_MEM_EQ(built, zeros, SACK_BYTES);
    }
}

SPEC("numbers too wide for their fields are truncated and do not overflow into others")
{
    struct packet_sack sack = {
        .mark = 0xfe, .ooo_count = 0xffff, .window_penalty = 0xff, .received_units = UINT32_MAX
    };
    uint8_t built[SACK_BYTES];

    build(&sack, built);
    EXPECT_EQ(built[1], 0x40);
    EXPECT_MEM_EQ(built + 30, "\x7f\xff\x7f\xff\xff\xff", 6);
}

SPEC("truncated headers clear ok")
{
    for (size_t length = 0; length < SACK_BYTES; length++) {
        struct bytes_in in = bytes_in(vectors_find("S1")->bytes + OFFSET_IN_VECTOR, length);
        struct packet packet;

        sack_parse(&in, &packet);
        EXPECT(!in.ok);
    }
}
