/* SPDX-License-Identifier: Apache-2.0 */
/* Opcodes and what follows from them (docs/wire.md §1, §4.1). */
#include "spec.h"

#include <stdbool.h>
#include <string.h>

#include "wire/opcode.h"

/* The table of the specification, not ours: number, header bytes up to the payload, and traits. */
static const struct {
    uint8_t opcode;
    uint8_t header_bytes;
    const char *traits; /* m MRC, d data, i immediate, s starts, e ends a message, r RETH */
} table[] = {
    { 0xc6, 32, "mdsr" },
    { 0xc7, 32, "mdr" },
    { 0xc8, 32, "mder" },
    { 0xc9, 36, "mdier" },
    { 0xca, 32, "mdser" },
    { 0xcb, 36, "mdiser" },
    { 0xd1, 16, "m" },
    { 0xd8, 28, "m" },
    { 0xd9, 48, "m" },
    { 0xdc, 48, "m" },
    { 0xdd, 32, "m" },
    { 0xde, 28, "m" },
    { 0x06, 28, "dsr" },
    { 0x07, 12, "d" },
    { 0x08, 12, "de" },
    { 0x09, 16, "die" },
    { 0x0a, 28, "dser" },
    { 0x0b, 32, "diser" },
    { 0x11, 16, "" },
    { 0x81, 28, "" },
};

#define TABLE_COUNT (sizeof(table) / sizeof(table[0]))

static bool has(size_t row, char trait)
{
    return strchr(table[row].traits, trait) != NULL;
}

SPEC("the twelve MRC opcodes and eight of RoCEv2 are defined, with a name, and no other")
{
    uint32_t defined = 0;

    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        defined += opcode_is_defined((uint8_t)opcode);
        EXPECT_EQ(opcode_is_defined((uint8_t)opcode), opcode_name((uint8_t)opcode) != NULL);
    }
    EXPECT_EQ(defined, TABLE_COUNT);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        EXPECT(opcode_is_defined(table[i].opcode));
}

SPEC("BTH and extension headers have the lengths of the specification")
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        EXPECT_EQ(opcode_header_bytes[table[i].opcode], table[i].header_bytes);
}

SPEC("the class is in the top three bits")
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        EXPECT_EQ(opcode_is_mrc(table[i].opcode), has(i, 'm'));
    EXPECT(opcode_is_mrc(0xc0));
    EXPECT(opcode_is_mrc(0xdf));
    EXPECT(!opcode_is_mrc(0xe0));
    EXPECT(!opcode_is_mrc(0xbf));
}

SPEC("only WRITEs have a payload")
{
    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        bool mrc = opcode >= 0xc6 && opcode <= 0xcb;
        bool roce = opcode >= 0x06 && opcode <= 0x0b;

        EXPECT_EQ(opcode_is_write((uint8_t)opcode), mrc);
        EXPECT_EQ(opcode_is_roce_write((uint8_t)opcode), roce);
        EXPECT_EQ(opcode_has_payload((uint8_t)opcode), mrc || roce);
    }
}

SPEC("the opcode of a WRITE gives its place in the message and its headers")
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (!has(i, 'd'))
            continue;
        EXPECT_EQ(opcode_starts_message(table[i].opcode), has(i, 's'));
        EXPECT_EQ(opcode_ends_message(table[i].opcode), has(i, 'e'));
        EXPECT_EQ(opcode_has_immediate(table[i].opcode), has(i, 'i'));
        EXPECT_EQ(opcode_has_reth(table[i].opcode), has(i, 'r'));
    }
}

SPEC("opcodes of RoCEv2 are those of MRC without the class bits")
{
    EXPECT_EQ(OPCODE_WRITE_FIRST & 0x1f, OPCODE_ROCE_WRITE_FIRST);
    EXPECT_EQ(OPCODE_WRITE_ONLY_IMM & 0x1f, OPCODE_ROCE_WRITE_ONLY_IMM);
    EXPECT_EQ(OPCODE_ACK & 0x1f, OPCODE_ROCE_ACK);
    EXPECT_STR_EQ(opcode_name(0xc9), "WRITE Last Imm");
    EXPECT_STR_EQ(opcode_name(0x81), "RoCEv2 CNP");
}
