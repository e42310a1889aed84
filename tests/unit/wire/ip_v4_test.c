/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 headers (docs/wire.md §2.1). */
#include "spec.h"

#include <string.h>

#include "checksum_reference.h"
#include "vectors.h"
#include "wire/ip_v4.h"

static enum drop_reason parse(const uint8_t *bytes, struct ip_header *ip)
{
    struct bytes_in in = bytes_in(bytes, IP_V4_BYTES);

    return ip_parse(&in, ip);
}

/* The header of W7 with one byte changed and the checksum made right again. */
static enum drop_reason parse_with(size_t offset, uint8_t value, struct ip_header *ip)
{
    uint8_t bytes[IP_V4_BYTES];

    memcpy(bytes, vectors_find("W7")->bytes, sizeof(bytes));
    bytes[offset] = value;
    ip_v4_seal(bytes);
    return parse(bytes, ip);
}

SPEC("the header of W7 is parsed, and is built again byte for byte")
{
    const uint8_t *bytes = vectors_find("W7")->bytes;
    uint8_t built[IP_V4_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));
    struct ip_header ip;

    EXPECT_EQ(parse(bytes, &ip), DROP_NONE);
    EXPECT(ip.is_v4);
    EXPECT_EQ(ip.traffic_class, 0x12);
    EXPECT_EQ(ip.flow_label, 0);
    EXPECT_EQ(ip.payload_bytes, 60);
    EXPECT_EQ(ip.next_header, 17);
    EXPECT_EQ(ip.hop_limit, 64);
    EXPECT_MEM_EQ(ip.src.octets, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\1", 16);
    EXPECT_MEM_EQ(ip.dst.octets, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\2", 16);
    ip_build(&out, &ip);
    EXPECT_MEM_EQ(built, bytes, IP_V4_BYTES);
}

SPEC("don't fragment, an identification and the reserved bit do not matter")
{
    struct ip_header ip;

    EXPECT_EQ(parse_with(4, 0x77, &ip), DROP_NONE);
    EXPECT_EQ(parse_with(6, 0x00, &ip), DROP_NONE);
    EXPECT_EQ(parse_with(6, 0xc0, &ip), DROP_NONE);
}

SPEC("options and fragments are refused")
{
    struct ip_header ip;

    EXPECT_EQ(parse_with(0, 0x46, &ip), DROP_IPV4_HEADER);
    EXPECT_EQ(parse_with(0, 0x44, &ip), DROP_IPV4_HEADER);
    EXPECT_EQ(parse_with(6, 0x20, &ip), DROP_IPV4_HEADER); /* more fragments */
    EXPECT_EQ(parse_with(6, 0x10, &ip), DROP_IPV4_HEADER); /* offset */
    EXPECT_EQ(parse_with(7, 0x01, &ip), DROP_IPV4_HEADER);
}

SPEC("a total length shorter than the header is refused")
{
    struct ip_header ip;

    EXPECT_EQ(parse_with(3, 19, &ip), DROP_IP_LENGTH);
    EXPECT_EQ(parse_with(3, 20, &ip), DROP_NONE);
    EXPECT_EQ(ip.payload_bytes, 0);
}

/* Bits of the fragment, and of version and length: such a header is refused before its checksum is
 * computed. */
static bool is_format_bit(uint32_t bit)
{
    return bit / 8 == 0 || (bit / 8 == 6 && bit % 8 < 6) || bit / 8 == 7;
}

SPEC("a header with a flipped bit anywhere is refused")
{
    uint8_t bytes[IP_V4_BYTES];
    struct ip_header ip;

    for (uint32_t bit = 0; bit < IP_V4_BYTES * 8; bit++) {
        memcpy(bytes, vectors_find("W7")->bytes, sizeof(bytes));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        EXPECT_NE(parse(bytes, &ip), DROP_NONE);
        if (!is_format_bit(bit))
            EXPECT_EQ(parse(bytes, &ip), DROP_IPV4_CHECKSUM);
    }
}

SPEC("the checksum of the header in the standard textbook example is 0xb861")
{
    uint8_t header[IP_V4_BYTES] = { 0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
        0x00, 0x00, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7 };

    ip_v4_seal(header);
    EXPECT_EQ(header[10], 0xb8);
    EXPECT_EQ(header[11], 0x61);
    EXPECT(checksum_reference_holds(header));
}

SPEC("the checksum folds carries twice if the first fold carries again")
{
    uint8_t header[IP_V4_BYTES];

    memset(header, 0xff, sizeof(header));
    header[0] = 0x00;
    header[1] = 0x07;
    ip_v4_seal(header);
    EXPECT_EQ(bytes_get_be16(header + 10), (uint16_t)~7u);
    EXPECT(checksum_reference_holds(header));
}
