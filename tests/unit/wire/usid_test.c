/* SPDX-License-Identifier: Apache-2.0 */
/* uSIDs in an IPv6 destination (docs/fabric.md §4, §5). */
#include "spec.h"

#include "wire/usid.h"

static struct ipv6_addr carrier(uint16_t first, uint16_t second, uint16_t third, uint16_t fourth)
{
    struct ipv6_addr address = { { 0xfc, 0x00, 0x00, 0x42 } };

    bytes_put_be16(address.octets + 4, first);
    bytes_put_be16(address.octets + 6, second);
    bytes_put_be16(address.octets + 8, third);
    bytes_put_be16(address.octets + 10, fourth);
    return address;
}

SPEC("the uSIDs of an address are read in order, and zero follows the last one")
{
    struct ipv6_addr address = carrier(0xa405, 0xa89c, 0xa412, 0xac07);

    EXPECT_EQ(usid_get(&address, 0), 0xa405);
    EXPECT_EQ(usid_get(&address, 1), 0xa89c);
    EXPECT_EQ(usid_get(&address, 2), 0xa412);
    EXPECT_EQ(usid_get(&address, 3), 0xac07);
    EXPECT_EQ(usid_get(&address, 4), 0);
}

SPEC("shifting leads a packet from source T0 to T1 to destination T0 to the host")
{
    struct ipv6_addr address = carrier(0x20, 0x11, 0x22, 0x31);
    struct ipv6_addr to_t1 = carrier(0x11, 0x22, 0x31, 0);
    struct ipv6_addr to_destination = carrier(0x22, 0x31, 0, 0);
    struct ipv6_addr to_host = carrier(0x31, 0, 0, 0);

    usid_shift(address.octets);
    EXPECT_MEM_EQ(address.octets, to_t1.octets, 16);
    usid_shift(address.octets);
    EXPECT_MEM_EQ(address.octets, to_destination.octets, 16);
    EXPECT(!usid_is_last(&address));
    usid_shift(address.octets);
    EXPECT_MEM_EQ(address.octets, to_host.octets, 16);
    EXPECT(usid_is_last(&address));
}

SPEC("an address holds six uSIDs, and the block stays when all of them are shifted out")
{
    struct ipv6_addr address = carrier(1, 2, 3, 4);

    EXPECT_EQ(USID_COUNT_MAX, 6);
    bytes_put_be16(address.octets + 14, 6);
    EXPECT_EQ(usid_get(&address, 5), 6);
    for (uint32_t i = 0; i < 6; i++)
        usid_shift(address.octets);
    EXPECT_MEM_EQ(address.octets, "\xfc\0\0\x42\0\0\0\0\0\0\0\0\0\0\0\0", 16);
}

SPEC("a uSID is not the last one if another follows a zero")
{
    struct ipv6_addr address = carrier(0x20, 0, 0x22, 0);

    EXPECT(!usid_is_last(&address));
}
