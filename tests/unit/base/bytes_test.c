/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded reading and writing of big-endian bytes. */
#include "spec.h"

#include <string.h>

#include "base/bytes.h"

static const uint8_t counting[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

SPEC("a number is read with its most significant byte first, whatever its width")
{
    static const uint64_t wanted[] = { 0, 0x01, 0x0102, 0x010203, 0x01020304, 0x0102030405,
        0x010203040506, 0x01020304050607, 0x0102030405060708 };

    for (size_t width = 0; width <= 8; width++) {
        struct bytes_in in = bytes_in(counting, sizeof(counting));

        EXPECT_EQ(bytes_read_be(&in, width), wanted[width]);
        EXPECT_EQ(bytes_left(&in), sizeof(counting) - width);
        EXPECT(in.ok);
    }
}

SPEC("the most significant bit of a number is read as a value bit")
{
    static const uint8_t ones[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

    EXPECT_EQ(bytes_get_be16(ones), UINT16_MAX);
    EXPECT_EQ(bytes_get_be32(ones), UINT32_MAX);
    EXPECT_EQ(bytes_get_be64(ones), UINT64_MAX);
}

SPEC("consecutive reads return consecutive bytes")
{
    struct bytes_in in = bytes_in(counting, sizeof(counting));

    EXPECT_EQ(bytes_read_be(&in, 1), 0x01);
    EXPECT_EQ(bytes_read_be(&in, 4), 0x02030405);
    EXPECT_EQ(*bytes_take(&in, 2), 0x06);
    EXPECT_EQ(bytes_read_be(&in, 2), 0x0809);
    EXPECT_EQ(bytes_left(&in), 0);
    EXPECT(in.ok);
}

SPEC("a short read returns zero and clears ok, and nothing can be read after it")
{
    struct bytes_in in = bytes_in(counting, 3);
    uint8_t copy[4] = { 9, 9, 9, 9 };

    EXPECT_EQ(bytes_read_be(&in, 4), 0);
    EXPECT(!in.ok);
    EXPECT_EQ(bytes_read_be(&in, 1), 0);
    EXPECT(bytes_take(&in, 1) == NULL);
    bytes_read(&in, copy, sizeof(copy));
    EXPECT_MEM_EQ(copy, "\0\0\0\0", 4);
    EXPECT(!in.ok);
}

SPEC("reading 0 bytes from an empty buffer succeeds")
{
    struct bytes_in in = bytes_in(counting, 0);

    EXPECT_EQ(bytes_read_be(&in, 0), 0);
    EXPECT(in.ok);
    EXPECT(bytes_take(&in, 1) == NULL);
    EXPECT(!in.ok);
}

SPEC("a length near the end of the address space is short, not wrapped")
{
    struct bytes_in in = bytes_in(counting, sizeof(counting));
    uint8_t room[4];
    struct bytes_out out = bytes_out(room, sizeof(room));

    EXPECT(bytes_take(&in, SIZE_MAX) == NULL);
    EXPECT(!in.ok);
    EXPECT(bytes_room(&out, SIZE_MAX) == NULL);
    EXPECT(!out.ok);
}

SPEC("a number is written with its most significant byte first, and its excess high bits are "
     "discarded")
{
    static const uint8_t wanted[] = { 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8 };
    uint8_t room[8];

    for (size_t width = 1; width <= 8; width++) {
        struct bytes_out out = bytes_out(room, sizeof(room));

        bytes_write_be(&out, width, UINT64_C(0xa1a2a3a4a5a6a7a8));
        EXPECT_MEM_EQ(room, wanted + 8 - width, width);
        EXPECT_EQ(out.end - out.at, 8 - width);
    }
}

SPEC("consecutive writes fill the buffer to the last byte")
{
    uint8_t room[7];
    struct bytes_out out = bytes_out(room, sizeof(room));

    bytes_write_be(&out, 2, 0x0102);
    bytes_write(&out, "ab", 2);
    bytes_write_zeros(&out, 3);
    EXPECT(out.ok);
    EXPECT_MEM_EQ(room, "\1\2ab\0\0\0", 7);
}

SPEC("a write past the end changes no byte and clears ok, and nothing is written after it")
{
    uint8_t room[4] = { 9, 9, 9, 9 };
    struct bytes_out out = bytes_out(room, 3);

    bytes_write_be(&out, 4, 0x01020304);
    EXPECT(!out.ok);
    bytes_write_be(&out, 1, 1);
    bytes_write(&out, "x", 1);
    bytes_write_zeros(&out, 1);
    EXPECT_MEM_EQ(room, "\x9\x9\x9\x9", 4);
    EXPECT(!out.ok);
}

PROPERTY("a number that was written is read back unchanged", 1000)
{
    uint8_t room[64];
    struct bytes_out out = bytes_out(room, sizeof(room));
    struct bytes_in in = bytes_in(room, sizeof(room));
    uint64_t value = seed * UINT64_C(0x9e3779b97f4a7c15);

    for (size_t width = 1; width <= 8; width++)
        bytes_write_be(&out, width, value);
    for (size_t width = 1; width <= 8; width++)
        EXPECT_EQ(bytes_read_be(&in, width), value << (64 - 8 * width) >> (64 - 8 * width));
}
