/* SPDX-License-Identifier: Apache-2.0 */
/* Frames as bytes: opened, forwarded, marked, trimmed. */
#include "spec.h"

#include <string.h>

#include "switch/switch.h"
#include "vectors.h"
#include "wire/frame.h"

enum {
    HOP_LIMIT_AT = 7,
    HANDLE = 77,
};

struct sample {
    uint8_t bytes[VECTOR_BYTES_MAX + 64];
    size_t length;
};

static struct sample copy_of(const char *name)
{
    const struct vector *vector = vectors_find(name);
    struct sample sample = { .length = vector->length };

    memcpy(sample.bytes, vector->bytes, vector->length);
    return sample;
}

static struct sample in_ethernet(const char *name, const uint8_t *type, size_t type_bytes)
{
    const struct vector *vector = vectors_find(name);
    struct sample sample = { .length = 12 + type_bytes + vector->length };

    memcpy(sample.bytes + 12, type, type_bytes);
    memcpy(sample.bytes + 12 + type_bytes, vector->bytes, vector->length);
    return sample;
}

static struct switch_table table_of(uint16_t own, uint16_t next, uint16_t port)
{
    struct switch_range range = { .first_usid = next, .last_usid = next, .first_port = port };
    struct switch_table table;

    switch_table_init(&table, 0xfc000042, own, &range, 1);
    return table;
}

static struct switch_frame opened(struct sample *sample)
{
    struct switch_frame frame;

    EXPECT_EQ(switch_frame_open(&frame, SWITCH_BARE_IP, sample->bytes, sample->length), DROP_NONE);
    return frame;
}

static const struct port_entry lasthop_cut = {
    .handle = HANDLE, .length_bytes = 108, .class = DSCP_TRIMMED_LASTHOP, .ecn = ECN_ECT0
};

SPEC("X3 unmarked, forwarded by three switches and trimmed by the last, is T2")
{
    struct sample sample = copy_of("X3");
    const struct vector *t2 = vectors_find("T2");
    struct switch_frame frame = opened(&sample);
    struct switch_table tables[] = { table_of(0xa405, 0xa89c, 412), table_of(0xa89c, 0xa412, 18),
        table_of(0xa412, 0xac07, 7) };
    static const uint32_t ports[] = { 412, 18, 7 };

    sample.bytes[1] ^= 0x10; /* CE becomes ECT(0) */
    for (uint32_t i = 0; i < 3; i++) {
        struct switch_way way = switch_frame_forward(&frame, &tables[i]);

        EXPECT_EQ(way.reason, DROP_NONE);
        EXPECT_EQ(way.port, ports[i]);
    }
    switch_frame_trim(&frame, &format_default, lasthop_cut);
    EXPECT_EQ(frame.length, t2->length);
    EXPECT_MEM_EQ(sample.bytes, t2->bytes, t2->length);
}

SPEC("the mark is CE in the outer header, and nothing else changes")
{
    struct sample sample = copy_of("X3");
    struct switch_frame frame = opened(&sample);

    sample.bytes[1] ^= 0x10;
    switch_frame_mark(&frame);
    EXPECT_MEM_EQ(sample.bytes, vectors_find("X3")->bytes, sample.length);
}

SPEC("an entry has the length, class and mark of the outer header")
{
    struct sample sample = copy_of("X3");
    struct switch_frame frame = opened(&sample);
    struct port_entry entry = switch_frame_entry(&frame, &format_default, HANDLE);

    EXPECT_EQ(entry.handle, HANDLE);
    EXPECT_EQ(entry.length_bytes, 140);
    EXPECT_EQ(entry.class, DSCP_TRIMMABLE);
    EXPECT_EQ(entry.ecn, ECN_CE);
    sample = copy_of("T2");
    frame = opened(&sample);
    entry = switch_frame_entry(&frame, &format_default, HANDLE);
    EXPECT_EQ(entry.class, DSCP_TRIMMED_LASTHOP);
    EXPECT_EQ(entry.ecn, ECN_ECT0);
}

SPEC("the header is found behind Ethernet, and behind VLAN tags")
{
    static const uint8_t plain[] = { 0x86, 0xdd };
    static const uint8_t tagged[] = { 0x81, 0, 0, 7, 0x86, 0xdd };
    struct sample samples[] = { in_ethernet("X3", plain, sizeof(plain)),
        in_ethernet("X3", tagged, sizeof(tagged)) };
    struct switch_table table = table_of(0xa405, 0xa89c, 412);

    for (uint32_t i = 0; i < 2; i++) {
        struct switch_frame frame;

        EXPECT_EQ(switch_frame_open(&frame, SWITCH_ETHERNET, samples[i].bytes, samples[i].length),
            DROP_NONE);
        EXPECT_EQ(switch_frame_forward(&frame, &table).port, 412);
        EXPECT_EQ(switch_frame_entry(&frame, &format_default, 0).length_bytes, 140);
        switch_frame_trim(&frame, &format_default, lasthop_cut);
        EXPECT_EQ(frame.length, samples[i].length - 140 + 108);
    }
}

SPEC("Ethernet padding is not part of a frame")
{
    static const uint8_t plain[] = { 0x86, 0xdd };
    struct sample sample = in_ethernet("X3", plain, sizeof(plain));
    struct switch_frame frame;

    EXPECT_EQ(
        switch_frame_open(&frame, SWITCH_ETHERNET, sample.bytes, sample.length + 6), DROP_NONE);
    EXPECT_EQ(frame.length, sample.length);
    EXPECT_EQ(switch_frame_entry(&frame, &format_default, 0).length_bytes, 140);
}

SPEC("a frame that is not a complete IPv6 packet is refused with a reason")
{
    static const uint8_t v4[] = { 0x08, 0 };
    struct sample sample = in_ethernet("W7", v4, sizeof(v4));
    struct switch_frame frame;

    EXPECT_EQ(
        switch_frame_open(&frame, SWITCH_ETHERNET, sample.bytes, sample.length), DROP_IP_VERSION);
    sample = copy_of("W7");
    EXPECT_EQ(
        switch_frame_open(&frame, SWITCH_BARE_IP, sample.bytes, sample.length), DROP_IP_VERSION);
    EXPECT_EQ(switch_frame_open(&frame, SWITCH_ETHERNET, sample.bytes, 13), DROP_TRUNCATED);
    sample = copy_of("X3");
    EXPECT_EQ(switch_frame_open(&frame, SWITCH_BARE_IP, sample.bytes, 0), DROP_TRUNCATED);
    EXPECT_EQ(switch_frame_open(&frame, SWITCH_BARE_IP, sample.bytes, 39), DROP_TRUNCATED);
    EXPECT_EQ(switch_frame_open(&frame, SWITCH_BARE_IP, sample.bytes, 139), DROP_TRUNCATED);
    memset(sample.bytes + 4, 0xff, 2);
    EXPECT_EQ(
        switch_frame_open(&frame, SWITCH_BARE_IP, sample.bytes, sample.length), DROP_IP_LENGTH);
}

SPEC("a frame whose hop limit would reach 0 is dropped unchanged")
{
    struct sample sample = copy_of("X3");
    struct switch_table table = table_of(0xa405, 0xa89c, 412);

    for (uint8_t hops = 0; hops < 2; hops++) {
        struct switch_frame frame = opened(&sample);
        struct sample before;

        sample.bytes[HOP_LIMIT_AT] = hops;
        before = sample;
        EXPECT_EQ(switch_frame_forward(&frame, &table).reason, DROP_HOP_LIMIT);
        EXPECT_MEM_EQ(sample.bytes, before.bytes, sample.length);
    }
    sample.bytes[HOP_LIMIT_AT] = 2;
    EXPECT_EQ(switch_frame_forward(&(struct switch_frame){ .ip = sample.bytes }, &table).reason,
        DROP_NONE);
    EXPECT_EQ(sample.bytes[HOP_LIMIT_AT], 1);
}

SPEC("a frame without a route is unchanged")
{
    struct sample sample = copy_of("X3");
    struct switch_frame frame = opened(&sample);
    struct switch_table stranger = table_of(0xa406, 0xa407, 1);
    struct switch_table no_route = table_of(0xa405, 0xa89b, 1);

    EXPECT_EQ(switch_frame_forward(&frame, &stranger).reason, DROP_NOT_OURS);
    EXPECT_EQ(switch_frame_forward(&frame, &no_route).reason, DROP_NO_ROUTE);
    EXPECT_MEM_EQ(sample.bytes, vectors_find("X3")->bytes, sample.length);
}

SPEC("forwarding a plain packet lowers its hop limit and keeps its address")
{
    struct sample sample = copy_of("X3");
    struct switch_frame frame = opened(&sample);
    struct switch_table table = table_of(0xa4ff, 0xa405, 3);

    EXPECT_EQ(switch_frame_forward(&frame, &table).port, 3);
    EXPECT_EQ(sample.bytes[HOP_LIMIT_AT], 63);
    EXPECT_MEM_EQ(sample.bytes + 24, vectors_find("X3")->bytes + 24, 16);
}

SPEC("trimming keeps the required bytes, however short the requested length")
{
    struct sample sample = copy_of("X3");
    struct switch_frame frame = opened(&sample);
    struct port_entry cut = lasthop_cut;

    cut.length_bytes = 64;
    switch_frame_trim(&frame, &format_default, cut);
    EXPECT_EQ(frame.length, 108);
}

SPEC("a frame without the headers for trimming is not trimmed, whatever its code point")
{
    uint8_t bytes[44] = { 0x61, 0x20, [5] = 4, [6] = 41, [7] = 64 }; /* 4 bytes of inner IPv6 */
    struct switch_frame frame;

    EXPECT_EQ(switch_frame_open(&frame, SWITCH_BARE_IP, bytes, sizeof(bytes)), DROP_NONE);
    EXPECT_EQ(switch_frame_entry(&frame, &format_default, 0).class, DSCP_OTHER);
}

/* Nested IPv6 headers up to the end. */
static void nest_headers(uint8_t *bytes, size_t length)
{
    memset(bytes, 0, length);
    for (size_t at = 0; at + 40 <= length; at += 40) {
        bytes[at] = 0x60 | format_default.dscp[DSCP_TRIMMABLE] >> 2;
        bytes[at + 1] = (uint8_t)(format_default.dscp[DSCP_TRIMMABLE] << 6);
        bytes[at + 6] = 41;
    }
    bytes_put_be16(bytes + 4, (uint16_t)(length - 40));
}

SPEC("a frame whose headers continue behind the bytes present is not trimmed")
{
    uint8_t bytes[400];
    struct switch_frame frame;

    nest_headers(bytes, sizeof(bytes));
    bytes[326] = 17; /* behind what is present: UDP follows */
    EXPECT_EQ(switch_frame_open(&frame, SWITCH_BARE_IP, bytes, sizeof(bytes)), DROP_NONE);
    EXPECT_EQ(switch_frame_entry(&frame, &format_default, 0).class, DSCP_TRIMMABLE);
    frame.present = 256;
    EXPECT_EQ(switch_frame_entry(&frame, &format_default, 0).class, DSCP_OTHER);
    EXPECT_EQ(switch_frame_entry(&frame, &format_default, 0).length_bytes, sizeof(bytes));
}

SPEC("a frame whose bytes no longer allow trimming is unchanged")
{
    uint8_t bytes[400];
    uint8_t before[400];
    struct switch_frame frame;

    nest_headers(bytes, sizeof(bytes));
    memcpy(before, bytes, sizeof(bytes));
    EXPECT_EQ(switch_frame_open(&frame, SWITCH_BARE_IP, bytes, sizeof(bytes)), DROP_NONE);
    EXPECT(!switch_frame_trim(&frame, &format_default, lasthop_cut));
    EXPECT_EQ(frame.length, sizeof(bytes));
    EXPECT_MEM_EQ(bytes, before, sizeof(bytes));
}

static struct ipv6_addr source_at(const struct sample *sample, size_t ip)
{
    struct ipv6_addr address;

    memcpy(address.octets, sample->bytes + ip + 8, sizeof(address.octets));
    return address;
}

SPEC("the source of a frame is that of its innermost header, with a tunnel, an SRH or neither")
{
    static const struct {
        const char *name;
        size_t innermost;
    } samples[] = { { "W1", 0 }, { "X1", 40 }, { "X2", 64 } };

    for (uint32_t i = 0; i < 3; i++) {
        struct sample sample = copy_of(samples[i].name);
        struct ipv6_addr host = source_at(&sample, samples[i].innermost);
        struct switch_frame frame = opened(&sample);

        EXPECT(switch_frame_is_from(&frame, &host));
        sample.bytes[samples[i].innermost + 8 + 15] ^= 1;
        EXPECT(!switch_frame_is_from(&frame, &host));
    }
}

SPEC("a frame with missing headers, or with IPv4 inside, has no source to compare")
{
    struct sample sample = copy_of("X1");
    struct ipv6_addr host = source_at(&sample, 40);
    struct switch_frame frame = opened(&sample);

    frame.present = 79;
    EXPECT(!switch_frame_is_from(&frame, &host));
    frame.present = 80;
    EXPECT(switch_frame_is_from(&frame, &host));
    sample.bytes[6] = 4; /* IPv4 follows */
    EXPECT(!switch_frame_is_from(&frame, &host));
}

/* ---- SRH ------------------------------------------------------------------------------------- */

/* W1 from NIC 0 to NIC 7 of a row of eight switches in our plan. The uSIDs are 0400 to 0407 for the
 * switches and 0c00 for the downlink; six are in the address, three in the segment. */
static const struct ipv6_addr row_address = { { 0xfc, 0, 0, 0x42, 0x04, 0x00, 0x04, 0x01, 0x04,
    0x02, 0x04, 0x03, 0x04, 0x04, 0x04, 0x05 } };
static const struct ipv6_addr row_segment = { { 0xfc, 0, 0, 0x42, 0x04, 0x06, 0x04, 0x07, 0x0c,
    0x00 } };
static const uint8_t row_srh[24] = { 41, 2, 4, 1, 0, 0, 0, 0, 0xfc, 0, 0, 0x42, 0x04, 0x06, 0x04,
    0x07, 0x0c, 0x00 };

static struct sample row_sample(void)
{
    const struct vector *w1 = vectors_find("W1");
    struct sample sample = { .length = 40 + 24 + w1->length };
    struct frame frame;

    EXPECT_EQ(frame_parse(&format_default, w1->bytes, w1->length, &frame), DROP_NONE);
    frame_address(&format_default, &frame, &row_address, &row_segment);
    EXPECT_EQ(frame_build(&format_default, &frame, sample.bytes, sizeof(sample.bytes)), 164);
    memcpy(sample.bytes + 64, w1->bytes, w1->length);
    return sample;
}

SPEC("a frame whose path does not fit an address has an SRH with one segment left")
{
    struct sample sample = row_sample();

    EXPECT_EQ(sample.bytes[6], 43);
    EXPECT_MEM_EQ(sample.bytes + 24, row_address.octets, 16);
    EXPECT_MEM_EQ(sample.bytes + 40, row_srh, sizeof(row_srh));
}

SPEC("the switch of the sixth uSID takes the segment, and those behind it go on in it")
{
    /* Destinations behind each switch, from the block on. */
    static const char after[8][13] = {
        "\x04\x01\x04\x02\x04\x03\x04\x04\x04\x05\0\0",
        "\x04\x02\x04\x03\x04\x04\x04\x05\0\0\0\0",
        "\x04\x03\x04\x04\x04\x05\0\0\0\0\0\0",
        "\x04\x04\x04\x05\0\0\0\0\0\0\0\0",
        "\x04\x05\0\0\0\0\0\0\0\0\0\0",
        "\x04\x06\x04\x07\x0c\x00\0\0\0\0\0\0",
        "\x04\x07\x0c\x00\0\0\0\0\0\0\0\0",
        "\x0c\x00\0\0\0\0\0\0\0\0\0\0",
    };
    struct sample sample = row_sample();
    struct switch_frame frame = opened(&sample);
    struct frame arrived;

    for (uint16_t i = 0; i < 8; i++) {
        struct switch_table table =
            table_of((uint16_t)(0x400 + i), i == 7 ? 0xc00 : (uint16_t)(0x401 + i), 10 + i);
        struct switch_way way = switch_frame_forward(&frame, &table);

        EXPECT_EQ(way.reason, DROP_NONE);
        EXPECT_EQ(way.port, 10 + i);
        EXPECT_MEM_EQ(sample.bytes + 24, "\xfc\0\0\x42", 4);
        EXPECT_MEM_EQ(sample.bytes + 28, after[i], 12);
        EXPECT_EQ(sample.bytes[43], i < 5);
        EXPECT_EQ(sample.bytes[HOP_LIMIT_AT], 63 - i);
    }
    EXPECT_EQ(frame_parse(&format_default, sample.bytes, sample.length, &arrived), DROP_NONE);
    EXPECT(frame_icrc_ok(&arrived, sample.bytes));
}

/* Forwards at the switch of the sixth uSID, with one byte changed. */
static enum drop_reason forwarded_with(size_t offset, uint8_t value, uint16_t next)
{
    struct sample sample = row_sample();
    struct switch_table table = table_of(0x405, next, 3);
    struct switch_frame frame = opened(&sample);
    struct sample before;
    enum drop_reason reason;

    memcpy(sample.bytes + 24, "\xfc\0\0\x42\x04\x05\0\0\0\0\0\0\0\0\0\0", 16);
    sample.bytes[offset] = value;
    before = sample;
    reason = switch_frame_forward(&frame, &table).reason;
    if (reason != DROP_NONE)
        EXPECT_MEM_EQ(sample.bytes, before.bytes, sample.length);
    return reason;
}

SPEC("a segment that cannot be taken drops the frame, which stays as it is")
{
    EXPECT_EQ(forwarded_with(43, 1, 0x406), DROP_NONE);
    EXPECT_EQ(forwarded_with(43, 0, 0x406), DROP_END_OF_CARRIER); /* none left */
    EXPECT_EQ(forwarded_with(6, 41, 0x406), DROP_END_OF_CARRIER); /* no SRH */
    EXPECT_EQ(forwarded_with(43, 2, 0x406), DROP_SRH);
    EXPECT_EQ(forwarded_with(42, 3, 0x406), DROP_SRH);
    EXPECT_EQ(forwarded_with(41, 0xff, 0x406), DROP_SRH);   /* longer than the packet */
    EXPECT_EQ(forwarded_with(43, 1, 0x407), DROP_NOT_OURS); /* no route to the segment */
    EXPECT_EQ(forwarded_with(HOP_LIMIT_AT, 1, 0x406), DROP_HOP_LIMIT);
}

SPEC("a segment that begins with the uSID of this switch is shifted at once")
{
    EXPECT_EQ(forwarded_with(53, 0x05, 0x407), DROP_NONE);
}
