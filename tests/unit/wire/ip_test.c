/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6 headers, and the choice between the versions (docs/wire.md §2, §13). */
#include "spec.h"

#include <string.h>

#include "vectors.h"
#include "wire/ip.h"

static enum drop_reason parse(const uint8_t *bytes, size_t length, struct ip_header *ip)
{
    struct bytes_in in = bytes_in(bytes, length);

    return ip_parse(&in, ip);
}

SPEC("the outer header of X3 is parsed, and is built again byte for byte")
{
    const uint8_t *bytes = vectors_find("X3")->bytes;
    uint8_t built[IP_V6_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));
    struct ip_header ip;

    EXPECT_EQ(parse(bytes, IP_V6_BYTES, &ip), DROP_NONE);
    EXPECT(!ip.is_v4);
    EXPECT_EQ(ip.traffic_class, 0x13);
    EXPECT_EQ(ip_dscp(&ip), 4);
    EXPECT_EQ(ip_ecn(&ip), 3);
    EXPECT_EQ(ip.flow_label, 0x0059c);
    EXPECT_EQ(ip.payload_bytes, 100);
    EXPECT_EQ(ip.next_header, 41);
    EXPECT_EQ(ip.hop_limit, 64);
    EXPECT_MEM_EQ(ip.src.octets, "\x20\1\x0d\xb8\0\1\0\0\0\0\0\0\0\0\0\x0a", 16);
    EXPECT_MEM_EQ(ip.dst.octets, "\xfc\0\0\x42\xa4\5\xa8\x9c\xa4\x12\xac\7\0\0\0\0", 16);
    ip_build(&out, &ip);
    EXPECT_MEM_EQ(built, bytes, IP_V6_BYTES);
}

SPEC("all ones in the first word are a full traffic class and a full flow label")
{
    uint8_t bytes[IP_V6_BYTES] = { 0x6f, 0xff, 0xff, 0xff };
    uint8_t built[IP_V6_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));
    struct ip_header ip;

    EXPECT_EQ(parse(bytes, sizeof(bytes), &ip), DROP_NONE);
    EXPECT_EQ(ip.traffic_class, 0xff);
    EXPECT_EQ(ip.flow_label, 0xfffff);
    ip_build(&out, &ip);
    EXPECT_MEM_EQ(built, bytes, sizeof(bytes));
}

SPEC("the first nibble decides the version, and only 4 and 6 are known")
{
    uint8_t bytes[IP_V6_BYTES] = { 0 };
    struct ip_header ip;

    for (uint32_t version = 0; version < 16; version++) {
        bytes[0] = (uint8_t)(version << 4);
        EXPECT_EQ(parse(bytes, sizeof(bytes), &ip), version == 6   ? DROP_NONE
                                                    : version == 4 ? DROP_IPV4_HEADER
                                                                   : DROP_IP_VERSION);
    }
}

SPEC("a truncated header is reported as truncated")
{
    struct ip_header ip;

    for (size_t length = 0; length < IP_V6_BYTES; length++)
        EXPECT_EQ(parse(vectors_find("W1")->bytes, length, &ip), DROP_TRUNCATED);
    for (size_t length = 0; length < IP_V4_BYTES; length++)
        EXPECT_EQ(parse(vectors_find("W7")->bytes, length, &ip), DROP_TRUNCATED);
}

SPEC("a header is not built into less room than it needs")
{
    struct ip_header ip = { .hop_limit = 64 };
    uint8_t room[IP_V6_BYTES] = { 0 };
    struct bytes_out out = bytes_out(room, IP_V6_BYTES - 1);

    ip_build(&out, &ip);
    EXPECT(!out.ok);
    EXPECT_EQ(room[0], 0);
}

SPEC("an IPv4 address is recognised by its mapped prefix")
{
    struct ipv6_addr mapped = { { [10] = 0xff, [11] = 0xff, 192, 0, 2, 1 } };
    struct ipv6_addr other = mapped;

    EXPECT(ip_address_is_v4(&mapped));
    EXPECT(ip_address_equal(&mapped, &other));
    other.octets[0] = 0x20;
    EXPECT(!ip_address_is_v4(&other));
    EXPECT(!ip_address_equal(&mapped, &other));
}
