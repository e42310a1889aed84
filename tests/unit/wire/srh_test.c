/* SPDX-License-Identifier: Apache-2.0 */
/* Segment routing header (docs/wire.md §13). */
#include "spec.h"

#include <string.h>

#include "vectors.h"
#include "wire/srh.h"

#define OFFSET_IN_X2 40

static enum drop_reason parse(const uint8_t *bytes, size_t length, struct srh *srh)
{
    struct bytes_in in = bytes_in(bytes, length);

    return srh_parse(&in, srh);
}

/* The header of X2 with one byte changed. */
static enum drop_reason parse_with(size_t offset, uint8_t value)
{
    uint8_t bytes[SRH_BYTES];
    struct srh srh;

    memcpy(bytes, vectors_find("X2")->bytes + OFFSET_IN_X2, sizeof(bytes));
    bytes[offset] = value;
    return parse(bytes, sizeof(bytes), &srh);
}

SPEC("the header of X2 is a copy of the path, and is built again byte for byte")
{
    const uint8_t *bytes = vectors_find("X2")->bytes + OFFSET_IN_X2;
    uint8_t built[SRH_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));
    struct srh srh;

    EXPECT_EQ(parse(bytes, SRH_BYTES, &srh), DROP_NONE);
    EXPECT_EQ(srh.next_header, 41);
    EXPECT_EQ(srh.segments_left, 0);
    EXPECT_EQ(srh.flags, 0);
    EXPECT_EQ(srh.tag, 0);
    EXPECT_MEM_EQ(srh.segment.octets, "\xfc\0\0\x42\0\x20\0\x11\0\x22\0\x31\0\0\0\0", 16);
    srh_build(&out, &srh);
    EXPECT_MEM_EQ(built, bytes, SRH_BYTES);
}

SPEC("anything but type 4 with exactly one segment is refused")
{
    EXPECT_EQ(parse_with(1, 4), DROP_SRH); /* hdr ext len */
    EXPECT_EQ(parse_with(1, 0), DROP_SRH);
    EXPECT_EQ(parse_with(2, 0), DROP_SRH); /* routing type */
    EXPECT_EQ(parse_with(3, 2), DROP_SRH); /* segments left */
    EXPECT_EQ(parse_with(4, 1), DROP_SRH); /* last entry */
}

SPEC("segments left, flags and tag are read")
{
    static const uint8_t bytes[SRH_BYTES] = { 4, 2, 4, 1, 0, 0x80, 0x12, 0x34 };
    struct srh srh;

    EXPECT_EQ(parse(bytes, sizeof(bytes), &srh), DROP_NONE);
    EXPECT_EQ(srh.next_header, 4);
    EXPECT_EQ(srh.segments_left, 1);
    EXPECT_EQ(srh.flags, 0x80);
    EXPECT_EQ(srh.tag, 0x1234);
}

SPEC("a truncated header is reported as truncated")
{
    const uint8_t *bytes = vectors_find("X2")->bytes + OFFSET_IN_X2;
    struct srh srh;

    for (size_t length = 0; length < SRH_BYTES; length++)
        EXPECT_EQ(parse(bytes, length, &srh), DROP_TRUNCATED);
}

/* Segments 1 (the last of the path) and 2; `left` are left. */
static enum drop_reason next_of(uint8_t left, size_t length, struct ipv6_addr *segment)
{
    uint8_t bytes[40] = { 41, 4, 4, left, 1, [8] = 0xfc, [23] = 1, [24] = 0xfc, [39] = 2 };

    return srh_next(bytes, length, segment);
}

SPEC("the next segment is the one before in the list, and behind the first there is none")
{
    struct ipv6_addr segment;

    EXPECT_EQ(next_of(2, 40, &segment), DROP_NONE);
    EXPECT_MEM_EQ(segment.octets, "\xfc\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2", 16);
    EXPECT_EQ(next_of(1, 40, &segment), DROP_NONE);
    EXPECT_EQ(segment.octets[15], 1);
    EXPECT_EQ(next_of(0, 40, &segment), DROP_END_OF_CARRIER);
}

SPEC("a next segment outside the list or the bytes is refused")
{
    static const uint8_t bad[][24] = {
        { 41, 2, 0, 1, 0 }, /* routing type */
        { 41, 2, 4, 2, 0 }, /* more left than listed */
        { 41, 2, 4, 1, 1 }, /* last entry behind the header */
        { 41, 0, 4, 1, 0 }, /* no room for a segment */
    };
    struct ipv6_addr segment;

    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(srh_next(bad[i], 24, &segment), DROP_SRH);
    EXPECT_EQ(next_of(3, 40, &segment), DROP_SRH);
    EXPECT_EQ(next_of(2, 39, &segment), DROP_TRUNCATED);
    EXPECT_EQ(next_of(1, 24, &segment), DROP_NONE);
    EXPECT_EQ(next_of(1, 7, &segment), DROP_TRUNCATED);
    EXPECT_EQ(next_of(1, 0, &segment), DROP_TRUNCATED);
}

SPEC("a segment that was taken is no longer left")
{
    uint8_t bytes[SRH_BYTES] = { 41, 2, 4, 1 };

    srh_advance(bytes);
    EXPECT_EQ(bytes[3], 0);
    EXPECT_EQ(bytes[1], 2);
}
