/* SPDX-License-Identifier: Apache-2.0 */
/* NETH (docs/wire.md §9). */
#include "spec.h"

#include "vectors.h"
#include "wire/nack.h"

#define OFFSET_IN_VECTOR 60

static struct packet parsed(const uint8_t *bytes)
{
    struct bytes_in in = bytes_in(bytes, NACK_BYTES);
    struct packet packet = { .opcode = OPCODE_NACK };

    nack_parse(&in, &packet);
    EXPECT(in.ok);
    EXPECT_EQ(bytes_left(&in), 0);
    return packet;
}

SPEC("the header of N1 is parsed, and is built again byte for byte")
{
    const uint8_t *bytes = vectors_find("N1")->bytes + OFFSET_IN_VECTOR;
    struct packet packet = parsed(bytes);
    uint8_t built[NACK_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));

    EXPECT_EQ(packet.nack.reason, NACK_TRIMMED);
    EXPECT_EQ(packet.nack.entropy, 0x0304);
    EXPECT_EQ(packet.nack.spdcid, 0x222);
    EXPECT_EQ(packet.nack.dpdcid, 0x111);
    EXPECT_EQ(packet.nack.nack_psn.value, 0x105);
    EXPECT_EQ(packet.nack.tx_timestamp, 0x1240);
    nack_build(&out, &packet);
    EXPECT_MEM_EQ(built, bytes, NACK_BYTES);
}

SPEC("reserved bytes, vendor_info and cc_type are ignored")
{
    uint8_t bytes[NACK_BYTES] = {
        [0] = 0xff, [1] = 0xff, [3] = 0xff, [12] = 0xff, [16] = 0xff, [17] = 0xff
    };
    struct packet packet = parsed(bytes);

    EXPECT_EQ(packet.nack.reason, 0);
    EXPECT_EQ(packet.nack.entropy, 0);
    EXPECT_EQ(packet.nack.nack_psn.value, 0);
    EXPECT_EQ(packet.nack.tx_timestamp, 0);
}

SPEC("an unknown reason is kept")
{
    uint8_t bytes[NACK_BYTES] = { [2] = 0xee };

    EXPECT_EQ(parsed(bytes).nack.reason, 0xee);
    EXPECT(packet_nack_reason_name(0xee) == NULL);
}

SPEC("the seven known reasons have their numbers and names")
{
    EXPECT_STR_EQ(packet_nack_reason_name(0x01), "TRIMMED");
    EXPECT_STR_EQ(packet_nack_reason_name(0x02), "TRIMMED_LASTHOP");
    EXPECT_STR_EQ(packet_nack_reason_name(0x06), "NO_BITMAP");
    EXPECT_STR_EQ(packet_nack_reason_name(0x07), "NO_PKT_BUFFER");
    EXPECT_STR_EQ(packet_nack_reason_name(0x0a), "NO_RESOURCE");
    EXPECT_STR_EQ(packet_nack_reason_name(0x0b), "PSN_OOR_WINDOW");
    EXPECT_STR_EQ(packet_nack_reason_name(0x19), "UNEXP_EVENT");
}

SPEC("a truncated header clears ok")
{
    for (size_t length = 0; length < NACK_BYTES; length++) {
        struct bytes_in in = bytes_in(vectors_find("N1")->bytes + OFFSET_IN_VECTOR, length);
        struct packet packet;

        nack_parse(&in, &packet);
        EXPECT(!in.ok);
    }
}
