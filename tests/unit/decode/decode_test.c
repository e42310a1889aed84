/* SPDX-License-Identifier: Apache-2.0 */
/* Packets as text: the line, the tree and the JSON of known packets, and of broken ones. */
#include "decode/decode.h"

#include <stdlib.h>
#include <string.h>

#include "pktio/pktio.h"
#include "spec.h"
#include "vectors.h"

static uint8_t scratch[DECODE_PACKET_BYTES_MAX];
static char *shown; /* what the last packet was shown as */

static struct decode_packet parsed(const uint8_t *bytes, size_t captured_bytes, size_t length)
{
    struct decode_input input = {
        .bytes = bytes,
        .captured_bytes = (uint32_t)captured_bytes,
        .length = (uint32_t)length,
        .scratch = scratch,
    };
    struct decode_packet packet;

    decode_packet_parse(&packet, &format_default, &input);
    decode_packet_check_icrc(&packet);
    return packet;
}

static struct decode_packet parsed_vector(const char *name)
{
    const struct vector *vector = vectors_find(name);

    return parsed(vector->bytes, vector->length, vector->length);
}

static void show(void (*print)(FILE *, const struct decode_item *), const char *name)
{
    struct decode_packet packet = parsed_vector(name);
    struct decode_item item = { .packet = &packet, .file = "-", .number = 1, .name = name };
    size_t length;
    FILE *to;

    free(shown);
    to = open_memstream(&shown, &length);
    print(to, &item);
    fclose(to);
}

static void print_one_line(FILE *to, const struct decode_item *item)
{
    struct decode_columns columns = { 0 };

    decode_print_line(to, item, &columns);
}

SPEC("the line of a write has addresses, path, opcode and the main fields")
{
    show(print_one_line, "W1");
    EXPECT_STR_EQ(shown,
        "W1    2001:db8:1::a > 2001:db8:2::b  p3/u5       WRITE Only         "
        "qp 0x222 psn 0x100 ackreq msn 7 va 0x7f0012345000 dmalen 10 payload 10\n");
}

SPEC("the line of a SACK shows which packets arrived and which are missing")
{
    show(print_one_line, "S1");
    EXPECT(strstr(shown, " got 0x106-0x107,0x109-0x10b missing 0x105,0x108 ooo 5\n"));
}

SPEC("the line of a packet trimmed on its last hop says so")
{
    show(print_one_line, "T2");
    EXPECT(strstr(shown, " payload was 10 via ac07 trimmed_lasthop\n"));
}

SPEC("the tree has a heading for every header and a line for every field")
{
    show(decode_print_tree, "T2");
    EXPECT(strstr(shown, "packet 1 T2: WRITE Only, 108 bytes\n"));
    EXPECT(strstr(shown, "  outer IPv6\n"));
    EXPECT(strstr(shown, "    dscp               16            trimmed_lasthop\n"));
    EXPECT(strstr(shown, "    tx_timestamp       0x1234        (596.480 us)\n"));
}

SPEC("the JSON of a NACK has a member for every header and the reason as a word")
{
    show(decode_print_json, "N1");
    EXPECT(strstr(shown, "\"neth\":{\"reason\":1,\"reason_name\":\"TRIMMED\",\"psn\":261,"));
    EXPECT(strstr(shown, "\"icrc\":{\"status\":\"ok\","));
}

SPEC("columns grow with their contents and keep their width")
{
    struct decode_packet packet = parsed_vector("W1");
    struct decode_item item = {
        .packet = &packet, .file = "-", .number = 1, .name = "a long name"
    };
    struct decode_columns columns = { 0 };
    size_t length;
    FILE *to;

    free(shown);
    to = open_memstream(&shown, &length);
    decode_print_line(to, &item, &columns);
    item.name = NULL;
    decode_print_line(to, &item, &columns);
    fclose(to);
    EXPECT_EQ(columns.label, strlen("a long name"));
    EXPECT(strstr(shown, "\n   1         2001:db8:1::a"));
}

SPEC("a flipped payload bit shows as a bad iCRC")
{
    const struct vector *vector = vectors_find("W1");
    uint8_t bytes[VECTOR_BYTES_MAX];
    struct decode_packet packet;

    memcpy(bytes, vector->bytes, vector->length);
    bytes[vector->length - 8] ^= 1;
    packet = parsed(bytes, vector->length, vector->length);
    EXPECT_EQ(packet.icrc, DECODE_ICRC_BAD);
    EXPECT_EQ(packet.verdict, DECODE_MALFORMED);
    EXPECT_EQ(parsed_vector("W1").icrc, DECODE_ICRC_OK);
}

SPEC("a packet whose headers the capture truncated is shown as cut, not as malformed")
{
    const struct vector *vector = vectors_find("W1");
    struct decode_packet packet = parsed(vector->bytes, 60, vector->length);

    EXPECT_EQ(packet.verdict, DECODE_CUT);
    EXPECT(decode_packet_has(&packet, DECODE_BTH));
    EXPECT(!decode_packet_has(&packet, DECODE_RETH));
}

SPEC("a packet whose lengths contradict each other is malformed")
{
    const struct vector *vector = vectors_find("W1");
    struct decode_packet packet = parsed(vector->bytes, 60, 60);

    EXPECT_EQ(packet.verdict, DECODE_MALFORMED);
    EXPECT_EQ(packet.reason, DROP_TRUNCATED);
}

SPEC("traffic to another UDP port is foreign")
{
    const struct vector *vector = vectors_find("W1");
    uint8_t bytes[VECTOR_BYTES_MAX];

    memcpy(bytes, vector->bytes, vector->length);
    bytes[42] = 0;
    EXPECT_EQ(parsed(bytes, vector->length, vector->length).verdict, DECODE_FOREIGN);
}

SPEC("a link layer header ends where the IP header begins")
{
    uint8_t frame[64] = { [12] = 0x86, [13] = 0xdd, [14] = 0x60 };
    struct bytes_in in = bytes_in(frame, sizeof(frame));
    uint16_t type;

    EXPECT(link_layer_skip(LINK_TYPE_ETHERNET, &in, &type));
    EXPECT(in.at == frame + 14);
    frame[12] = 0x08;
    frame[13] = 0x06;
    in = bytes_in(frame, sizeof(frame));
    EXPECT(!link_layer_skip(LINK_TYPE_ETHERNET, &in, &type));
    EXPECT_EQ(type, 0x0806);
}
