/* SPDX-License-Identifier: Apache-2.0 */
/* PETH (docs/wire.md §10). */
#include "spec.h"

#include "vectors.h"
#include "wire/probe.h"

#define OFFSET_IN_VECTOR 60

SPEC("the header of P1 is parsed, and is built again byte for byte")
{
    const uint8_t *bytes = vectors_find("P1")->bytes + OFFSET_IN_VECTOR;
    struct bytes_in in = bytes_in(bytes, PROBE_BYTES);
    struct packet packet = { .opcode = OPCODE_PROBE };
    uint8_t built[PROBE_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));

    probe_parse(&in, &packet);
    EXPECT(in.ok);
    EXPECT_EQ(packet.probe.probe_id, 0x42);
    EXPECT_EQ(packet.probe.spdcid, 0x111);
    EXPECT_EQ(packet.probe.dpdcid, 0x222);
    EXPECT_EQ(packet.probe.tx_timestamp, 0x2000);
    EXPECT_EQ(packet.flags, 0);
    probe_build(&out, &packet);
    EXPECT_MEM_EQ(built, bytes, PROBE_BYTES);
}

SPEC("the unit of the stamp is kept")
{
    static const uint8_t bytes[PROBE_BYTES] = { [14] = 0x80, [15] = 0x01 };
    struct bytes_in in = bytes_in(bytes, sizeof(bytes));
    struct packet packet = { .opcode = OPCODE_PROBE };
    uint8_t built[PROBE_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));

    probe_parse(&in, &packet);
    EXPECT_EQ(packet.flags, PACKET_OWN_UNIT);
    probe_build(&out, &packet);
    EXPECT_MEM_EQ(built, bytes, PROBE_BYTES);
}

SPEC("a truncated header clears ok")
{
    for (size_t length = 0; length < PROBE_BYTES; length++) {
        struct bytes_in in = bytes_in(vectors_find("P1")->bytes + OFFSET_IN_VECTOR, length);
        struct packet packet = { .opcode = OPCODE_PROBE };

        probe_parse(&in, &packet);
        EXPECT(!in.ok);
    }
}
