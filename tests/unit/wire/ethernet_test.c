/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet headers and VLAN tags. */
#include "spec.h"

#include "wire/ethernet.h"

#define ADDRESSES 2, 0, 0, 0, 0, 0xb, 2, 0, 0, 0, 0, 0xa

static enum drop_reason parse(
    const uint8_t *bytes, size_t length, struct ethernet_header *header, size_t *left)
{
    struct bytes_in in = bytes_in(bytes, length);
    enum drop_reason reason = ethernet_parse(&in, header);

    *left = bytes_left(&in);
    return reason;
}

SPEC("addresses and type are read, destination first")
{
    static const uint8_t bytes[] = { ADDRESSES, 0x86, 0xdd, 0x60 };
    struct ethernet_header header;
    size_t left;

    EXPECT_EQ(parse(bytes, sizeof(bytes), &header, &left), DROP_NONE);
    EXPECT_MEM_EQ(header.dst, bytes, 6);
    EXPECT_MEM_EQ(header.src, bytes + 6, 6);
    EXPECT_EQ(header.type, ETHERNET_TYPE_IPV6);
    EXPECT_EQ(left, 1);
}

SPEC("any number of VLAN tags is skipped")
{
    static const uint8_t one[] = { ADDRESSES, 0x81, 0, 0, 5, 0x08, 0 };
    static const uint8_t two[] = { ADDRESSES, 0x88, 0xa8, 0, 7, 0x81, 0, 0, 5, 0x86, 0xdd };
    struct ethernet_header header;
    size_t left;

    EXPECT_EQ(parse(one, sizeof(one), &header, &left), DROP_NONE);
    EXPECT_EQ(header.type, ETHERNET_TYPE_IPV4);
    EXPECT_EQ(left, 0);
    EXPECT_EQ(parse(two, sizeof(two), &header, &left), DROP_NONE);
    EXPECT_EQ(header.type, ETHERNET_TYPE_IPV6);
    EXPECT_EQ(left, 0);
}

SPEC("a truncated header or tag is reported as truncated")
{
    static const uint8_t bytes[] = { ADDRESSES, 0x81, 0, 0, 5, 0x08, 0 };
    struct ethernet_header header;
    size_t left;

    for (size_t length = 0; length < sizeof(bytes); length++)
        EXPECT_EQ(parse(bytes, length, &header, &left), DROP_TRUNCATED);
}
