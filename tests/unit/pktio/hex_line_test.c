/* SPDX-License-Identifier: Apache-2.0 */
/* Hex lines: what is accepted, and where a fault is said to be. */
#include "pktio/hex_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"

/* The line under test lives here: parsing works in place. */
static char text[256];

static bool parse(const char *line, struct hex_line *out)
{
    snprintf(text, sizeof(text), "%s", line);
    return hex_line_parse(text, strlen(text), out);
}

static void expect_fault(const char *line, uint32_t column, const char *fault)
{
    struct hex_line out;

    EXPECT(!parse(line, &out));
    EXPECT_STR_EQ(out.fault, fault);
    EXPECT_EQ(out.fault_column, column);
}

static void expect_packet(const char *line, const char *name, const uint8_t *bytes, uint32_t length)
{
    struct hex_line out;

    EXPECT(parse(line, &out));
    EXPECT_EQ(out.length, length);
    EXPECT_MEM_EQ(out.bytes, bytes, length);
    if (name)
        EXPECT_STR_EQ(out.name, name);
    else
        EXPECT(out.name == NULL);
}

SPEC("digits of either case are bytes, with or without blanks between them")
{
    static const uint8_t bytes[] = { 0x61, 0x2f, 0xab, 0xcd };

    expect_packet("612fabcd", NULL, bytes, 4);
    expect_packet("612FABCD\n", NULL, bytes, 4);
    expect_packet("  61 2f\tAB cD \r\n", NULL, bytes, 4);
    expect_packet("612f abcd # a comment", NULL, bytes, 4);
}

SPEC("a name and a length may come first")
{
    static const uint8_t bytes[] = { 0x61, 0x2f };

    expect_packet("W1 2 612f", "W1", bytes, 2);
    expect_packet("probe-answer\t2\t61 2f", "probe-answer", bytes, 2);
}

SPEC("a word of hex digits is a name if it does not begin like an IP header")
{
    static const uint8_t bytes[] = { 0x61, 0x2f };

    expect_packet("A1 2 612f", "A1", bytes, 2);
    expect_packet("E3 2 61 2f", "E3", bytes, 2);
}

SPEC("a word that begins like an IP header is bytes, unless its second word is the right length")
{
    static const uint8_t three[] = { 0x45, 0x12, 0x00 };
    static const uint8_t named[] = { 0x61, 0x2f };

    expect_packet("45 12 00", NULL, three, 3);
    expect_packet("45 2 612f", "45", named, 2);
}

SPEC("empty lines and comments have no packet")
{
    expect_packet("", NULL, NULL, 0);
    expect_packet(" \t\r\n", NULL, NULL, 0);
    expect_packet("# W1 2 612f", NULL, NULL, 0);
}

SPEC("a character that is not a digit is reported with its column")
{
    expect_fault("612x", 4, "'x' is not a hex digit; a line is [NAME LENGTH] HEXDIGITS");
    expect_fault("W1 2 612x", 9, "'x' is not a hex digit");
    expect_fault("hello", 1, "'h' is not a hex digit; a line is [NAME LENGTH] HEXDIGITS");
    expect_fault("W1 2 61\x80", 8, "the byte 0x80 is not a hex digit");
}

SPEC("a single digit is reported with its column")
{
    expect_fault("612", 3, "half a byte: the digit '2' stands alone");
    expect_fault("W1 2 6 12f", 6, "half a byte: the digit '6' stands alone");
}

SPEC("a wrong length is an error")
{
    expect_fault("W1 3 612f", 4, "the line says 3 bytes, but 2 follow");
    expect_fault("W1 100", 4, "the line says 100 bytes, but 0 follow");
    expect_fault(
        "W1 99999999999999999999 61", 4, "the line says 99999999999999999999 bytes, but 1 follow");
    expect_fault("W1 0", 4, "a packet has at least one byte");
}

SPEC("bytes that are not text are refused")
{
    struct hex_line out;

    expect_fault("W\x07 1 61", 2, "the byte 0x07 is not allowed in a name: use ASCII");
    memcpy(text, "61\0 2f", 7);
    EXPECT(!hex_line_parse(text, 6, &out));
    EXPECT_STR_EQ(out.fault, "a NUL byte: this is not text");
    EXPECT_EQ(out.fault_column, 3);
}

SPEC("a packet longer than an IP packet is refused")
{
    size_t digits = 2 * (size_t)HEX_LINE_BYTES_MAX;
    char *line = malloc(digits + 3);
    struct hex_line out;

    memset(line, '6', digits + 2);
    line[digits] = '\0';
    EXPECT(hex_line_parse(line, digits, &out));
    EXPECT_EQ(out.length, HEX_LINE_BYTES_MAX);
    memset(line, '6', digits + 2);
    line[digits + 2] = '\0';
    EXPECT(!hex_line_parse(line, digits + 2, &out));
    EXPECT_EQ(out.fault_column, digits + 1);
    free(line);
}
