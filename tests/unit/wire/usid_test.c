/* SPDX-License-Identifier: Apache-2.0 */
/* uSIDs in an IPv6 destination (docs/fabric.md §4, §5). */
#include "spec.h"

#include "wire/usid.h"

static struct ipv6_addr carrier(uint32_t first, uint32_t second, uint32_t third, uint32_t fourth)
{
    struct ipv6_addr address = { { 0xfc, 0x00, 0x00, 0x42 } };

    usid_set(&address, USID_FORMAT_F3216, 0, first);
    usid_set(&address, USID_FORMAT_F3216, 1, second);
    usid_set(&address, USID_FORMAT_F3216, 2, third);
    usid_set(&address, USID_FORMAT_F3216, 3, fourth);
    return address;
}

SPEC("a path of four uSIDs in our plan makes the address of vector X3")
{
    static const uint8_t wanted[16] = { 0xfc, 0x00, 0x00, 0x42, 0xa4, 0x05, 0xa8, 0x9c, 0xa4, 0x12,
        0xac, 0x07 };
    struct ipv6_addr address = carrier(0xa405, 0xa89c, 0xa412, 0xac07);

    EXPECT_MEM_EQ(address.octets, wanted, 16);
    EXPECT_EQ(usid_get(&address, USID_FORMAT_F3216, 1), 0xa89c);
    EXPECT_EQ(usid_get(&address, USID_FORMAT_F3216, 4), 0);
}

SPEC("a packet walks from source T0 to T1 to destination T0 to the host by shifting")
{
    struct ipv6_addr at_source = carrier(0x20, 0x11, 0x22, 0x31);
    struct ipv6_addr to_t1 = carrier(0x11, 0x22, 0x31, 0);
    struct ipv6_addr to_destination = carrier(0x22, 0x31, 0, 0);
    struct ipv6_addr to_host = carrier(0x31, 0, 0, 0);

    usid_shift(&at_source, USID_FORMAT_F3216);
    EXPECT_MEM_EQ(at_source.octets, to_t1.octets, 16);
    usid_shift(&at_source, USID_FORMAT_F3216);
    EXPECT_MEM_EQ(at_source.octets, to_destination.octets, 16);
    EXPECT(!usid_is_last(&at_source, USID_FORMAT_F3216));
    usid_shift(&at_source, USID_FORMAT_F3216);
    EXPECT_MEM_EQ(at_source.octets, to_host.octets, 16);
    EXPECT(usid_is_last(&at_source, USID_FORMAT_F3216));
}

SPEC("six uSIDs fit into F3216, and the block survives all their shifts")
{
    struct ipv6_addr address = carrier(1, 2, 3, 4);

    EXPECT_EQ(usid_count_max(USID_FORMAT_F3216), 6);
    usid_set(&address, USID_FORMAT_F3216, 5, 6);
    for (uint32_t i = 0; i < 6; i++)
        usid_shift(&address, USID_FORMAT_F3216);
    EXPECT_MEM_EQ(address.octets, "\xfc\0\0\x42\0\0\0\0\0\0\0\0\0\0\0\0", 16);
}

SPEC("a zero among the uSIDs does not make the one before it the last")
{
    struct ipv6_addr address = carrier(0x20, 0, 0x22, 0);

    EXPECT(!usid_is_last(&address, USID_FORMAT_F3216));
}

SPEC("other formats shift by their own widths")
{
    static const struct usid_format f4832 = { .block_bytes = 6, .usid_bytes = 4 };
    struct ipv6_addr address = { { 1, 2, 3, 4, 5, 6 } };

    EXPECT_EQ(usid_count_max(f4832), 2);
    usid_set(&address, f4832, 0, 0x0a0b0c0d);
    usid_set(&address, f4832, 1, 0x01020304);
    usid_shift(&address, f4832);
    EXPECT_EQ(usid_get(&address, f4832, 0), 0x01020304);
    EXPECT_EQ(usid_get(&address, f4832, 1), 0);
    EXPECT(usid_is_last(&address, f4832));
}
