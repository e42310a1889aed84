/* SPDX-License-Identifier: Apache-2.0 */
/* The time stamp of TSETH, PETH and ERTH (docs/wire.md §5.2). */
#include "spec.h"

#include "wire/stamp.h"

SPEC("stamp, tsr and ftype are parsed from their bits")
{
    struct packet packet = { .flags = PACKET_OWN_UNIT };
    uint8_t bytes[STAMP_BYTES];

    stamp_put(bytes, &packet, 0x1234);
    EXPECT_MEM_EQ(bytes, "\x12\x34\x80\x01", 4);
    packet.flags = 0;
    stamp_put(bytes, &packet, 0xffff);
    EXPECT_MEM_EQ(bytes, "\xff\xff\x00\x01", 4);
}

SPEC("reading a stamp sets the own-unit flag and no other, and ignores reserved bits and ftype")
{
    struct packet packet = { .flags = PACKET_STAMPED };

    EXPECT_EQ(stamp_get((const uint8_t *)"\x12\x34\x7f\xff", &packet), 0x1234);
    EXPECT_EQ(packet.flags, PACKET_STAMPED);
    EXPECT_EQ(stamp_get((const uint8_t *)"\x12\x34\x80\x00", &packet), 0x1234);
    EXPECT_EQ(packet.flags, PACKET_STAMPED | PACKET_OWN_UNIT);
}

SPEC("sixteen bits of 128 ns wrap after 8.388608 ms")
{
    EXPECT_EQ(65536 * STAMP_UNIT_NS, 8388608);
}
