/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of packets on the wire (docs/wire.md §1.1). */
#include "spec.h"

#include "wire/packet.h"

static uint32_t udp_bytes_of(uint8_t opcode, uint8_t flags, uint32_t payload_bytes)
{
    struct packet packet = { .opcode = opcode, .flags = flags };

    if (opcode_has_payload(opcode)) {
        packet.write.payload.length = payload_bytes;
        packet.write.pad_bytes = (uint8_t)((4 - payload_bytes % 4) % 4);
    }
    return packet_udp_bytes(&packet);
}

SPEC("UDP lengths are those of the specification's table")
{
    EXPECT_EQ(udp_bytes_of(OPCODE_WRITE_MIDDLE, PACKET_STAMPED, 4096), 4144);
    EXPECT_EQ(udp_bytes_of(OPCODE_WRITE_LAST_IMM, PACKET_STAMPED, 4096), 4148);
    EXPECT_EQ(udp_bytes_of(OPCODE_WRITE_FIRST, 0, 4096), 4140);
    EXPECT_EQ(udp_bytes_of(OPCODE_SACK, 0, 0), 60);
    EXPECT_EQ(udp_bytes_of(OPCODE_NACK, 0, 0), 44);
    EXPECT_EQ(udp_bytes_of(OPCODE_PROBE, 0, 0), 40);
    EXPECT_EQ(udp_bytes_of(OPCODE_ENDPOINT_REQUEST, 0, 0), 40);
    EXPECT_EQ(udp_bytes_of(OPCODE_ENDPOINT_RESPONSE, 0, 0), 60);
    EXPECT_EQ(udp_bytes_of(OPCODE_ACK, 0, 0), 28);
}

SPEC("RoCEv2 packets have no METH, and RETH only in the first packet")
{
    EXPECT_EQ(udp_bytes_of(OPCODE_ROCE_WRITE_FIRST, 0, 4096), 4136);
    EXPECT_EQ(udp_bytes_of(OPCODE_ROCE_WRITE_MIDDLE, 0, 4096), 4120);
    EXPECT_EQ(udp_bytes_of(OPCODE_ROCE_WRITE_LAST_IMM, 0, 1), 32);
    EXPECT_EQ(udp_bytes_of(OPCODE_ROCE_ACK, 0, 0), 28);
    EXPECT_EQ(udp_bytes_of(OPCODE_ROCE_CNP, 0, 0), 40);
}

SPEC("pad fills the payload up to a multiple of four")
{
    EXPECT_EQ(udp_bytes_of(OPCODE_WRITE_ONLY, 0, 0), 44);
    EXPECT_EQ(udp_bytes_of(OPCODE_WRITE_ONLY, 0, 1), 48);
    EXPECT_EQ(udp_bytes_of(OPCODE_WRITE_ONLY, 0, 4), 48);
    EXPECT_EQ(udp_bytes_of(OPCODE_WRITE_ONLY, 0, 10), 56);
}

SPEC("a full packet counts 4184 bytes for congestion control, with any encapsulation")
{
    struct packet packet = {
        .opcode = OPCODE_WRITE_MIDDLE, .flags = PACKET_STAMPED, .write.payload.length = 4096
    };

    EXPECT_EQ(packet_nominal_bytes(&packet), 4184);
}
