/* SPDX-License-Identifier: Apache-2.0 */
/* Whole frames: addressing, building, parsing (docs/wire.md §1, §2, §13). */
#include "spec.h"

#include <string.h>

#include "frame_check.h"
#include "vectors.h"
#include "wire/frame.h"

/* Where X3 is sent: the path of EV 0x059C. */
static const struct ipv6_addr path = { { 0xfc, 0, 0, 0x42, 0xa4, 5, 0xa8, 0x9c, 0xa4, 0x12, 0xac,
    7 } };

static struct frame parsed(const uint8_t *bytes, size_t length)
{
    struct frame frame;

    EXPECT_EQ(frame_parse(&format_default, bytes, length, &frame), DROP_NONE);
    return frame;
}

static struct frame parsed_vector(const char *name)
{
    return parsed(vectors_find(name)->bytes, vectors_find(name)->length);
}

/* The packet of a vector sent anew. */
static struct frame addressed(
    const char *name, const struct ipv6_addr *to, const struct ipv6_addr *segment)
{
    struct frame frame = { .packet = parsed_vector(name).packet };

    frame_address(&format_default, &frame, to, segment);
    return frame;
}

static enum drop_reason parse_with(
    const char *name, size_t offset, uint8_t value, struct frame *frame)
{
    const struct vector *vector = vectors_find(name);
    uint8_t bytes[VECTOR_BYTES_MAX];

    memcpy(bytes, vector->bytes, vector->length);
    bytes[offset] = value;
    return frame_parse(&format_default, bytes, vector->length, frame);
}

SPEC("the packet of X3 unmarked, addressed to its path, is X3 but for the mark")
{
    const struct vector *x3 = vectors_find("X3");
    struct frame frame = addressed("X3", &path, NULL);
    uint8_t built[VECTOR_BYTES_MAX];

    frame.outer.traffic_class = 0x13;
    frame.inner.traffic_class = 0x12;
    EXPECT_EQ(frame_build(&format_default, &frame, built, sizeof(built)), x3->length);
    memcpy(built + frame.payload_offset, frame.packet.write.payload.bytes, 10);
    frame_seal(&frame, built);
    EXPECT_MEM_EQ(built, x3->bytes, x3->length);
}

SPEC("addressing fills class, EV, ports and hop limits of both headers from the packet")
{
    struct frame frame = addressed("W8", &path, NULL);

    EXPECT_EQ(frame.encapsulation, FRAME_SRV6);
    EXPECT_EQ(frame.inner.flow_label, 0x0554f);
    EXPECT_EQ(frame.source_port, 0x2400);
    EXPECT_EQ(frame.dest_port, 4791);
    EXPECT_EQ(frame.outer.flow_label, 0xf2400); /* the low 20 bits of the EV */
    EXPECT_EQ(frame.outer.traffic_class, 0x12);
    EXPECT_EQ(frame.inner.traffic_class, 0x12);
    EXPECT_EQ(frame.outer.hop_limit, 64);
    EXPECT_EQ(frame.inner.hop_limit, 64);
    EXPECT(ip_address_equal(&frame.outer.src, &frame.packet.src));
    EXPECT(ip_address_equal(&frame.outer.dst, &path));
}

SPEC("addressing over IPv4 omits the high half of an EV: there is no flow label")
{
    struct frame frame = { .packet = parsed_vector("W7").packet };

    frame.packet.ev = 0x00050305;
    frame_address(&format_default, &frame, NULL, NULL);
    EXPECT(frame.inner.is_v4);
    EXPECT_EQ(frame.inner.flow_label, 0);
    EXPECT_EQ(frame.source_port, 0x0305);
}

SPEC("addressing with a segment makes an SRH that carries it")
{
    static const struct ipv6_addr segment = { { 0xfc, 0, 0, 0x42, 0, 9 } };
    struct frame frame = addressed("W1", &path, &segment);
    uint8_t built[VECTOR_BYTES_MAX];

    EXPECT_EQ(frame.encapsulation, FRAME_SRV6_SRH);
    EXPECT_EQ(frame_build(&format_default, &frame, built, sizeof(built)), 164);
    EXPECT_EQ(built[6], 43);
    EXPECT_EQ(bytes_get_be16(built + 4), 24 + 100);
    EXPECT_EQ(built[40], 41);
    EXPECT_EQ(built[43], 1);
    EXPECT_MEM_EQ(built + 48, segment.octets, 16);
}

SPEC("a frame is built into exactly the room it needs, and not into less")
{
    struct frame frame = addressed("W1", &path, NULL);
    uint8_t built[140];

    EXPECT_EQ(frame_build(&format_default, &frame, built, 139), 0);
    EXPECT_EQ(frame_build(&format_default, &frame, built, 140), 140);
    EXPECT_EQ(frame.payload_offset, 40 + 40 + 8 + 36);
    EXPECT_EQ(frame.length, 140);
}

SPEC("a payload too long for an IP length field is refused")
{
    static uint8_t built[1 << 17];
    struct frame frame = addressed("W1", &path, NULL);

    frame.packet.write.payload.length = 65535;
    EXPECT_EQ(frame_build(&format_default, &frame, built, sizeof(built)), 0);
}

SPEC("sealing writes pad of zeros and the iCRC, and leaves a trimmed frame alone")
{
    const struct vector *w1 = vectors_find("W1");
    const struct vector *t1 = vectors_find("T1");
    struct frame whole = parsed_vector("W1");
    struct frame trimmed = parsed_vector("T1");
    uint8_t bytes[VECTOR_BYTES_MAX];

    memcpy(bytes, w1->bytes, w1->length);
    memset(bytes + 94, 0xee, 7);
    frame_seal(&whole, bytes);
    EXPECT_MEM_EQ(bytes, w1->bytes, w1->length);
    EXPECT_EQ(bytes[w1->length], 0xee);
    memcpy(bytes, t1->bytes, t1->length);
    frame_seal(&trimmed, bytes);
    EXPECT_MEM_EQ(bytes, t1->bytes, t1->length);
}

SPEC("bytes behind the outermost IP length are Ethernet padding, not packet")
{
    uint8_t bytes[VECTOR_BYTES_MAX] = { 0 };
    struct frame frame;

    memcpy(bytes, vectors_find("A1")->bytes, 68);
    frame = parsed(bytes, 80);
    EXPECT_EQ(frame.length, 68);
    EXPECT(frame_icrc_ok(&frame, bytes));
}

SPEC("the mark of the outer header counts only if the inner packet can carry one (RFC 6040)")
{
    struct frame frame;

    EXPECT_EQ(parse_with("X1", 1, 0x30, &frame), DROP_NONE); /* outer CE, inner ECT(0) */
    EXPECT_EQ(frame.packet.ecn, ECN_CE);
    EXPECT_EQ(parse_with("X3", 41, 0x00, &frame), DROP_NONE); /* outer CE, inner Not-ECT */
    EXPECT_EQ(frame.packet.ecn, ECN_NOT_ECT);
    EXPECT_EQ(parse_with("X1", 41, 0x30, &frame), DROP_NONE); /* outer ECT(0), inner CE */
    EXPECT_EQ(frame.packet.ecn, ECN_CE);
}

SPEC("both UDP ports are accepted, the second only where the format has one")
{
    struct wire_format one_port = format_default;
    const struct vector *w1 = vectors_find("W1");
    uint8_t bytes[VECTOR_BYTES_MAX];
    struct frame frame;

    one_port.udp_port_also = 0;
    memcpy(bytes, w1->bytes, w1->length);
    bytes_put_be16(bytes + 42, 4971);
    EXPECT_EQ(frame_parse(&format_default, bytes, w1->length, &frame), DROP_NONE);
    EXPECT_EQ(frame.dest_port, 4971);
    EXPECT_EQ(frame_parse(&one_port, bytes, w1->length, &frame), DROP_UDP_PORT);
    bytes_put_be16(bytes + 42, 0);
    EXPECT_EQ(frame_parse(&one_port, bytes, w1->length, &frame), DROP_UDP_PORT);
}

SPEC("the UDP checksum and the bits 19:16 of the flow label are ignored")
{
    struct frame frame;

    EXPECT_EQ(parse_with("W1", 46, 0xab, &frame), DROP_NONE);
    EXPECT_EQ(parse_with("W1", 1, 0x2f, &frame), DROP_NONE);
    EXPECT_EQ(frame.inner.flow_label, 0xf0000);
    EXPECT_EQ(frame.packet.ev, 0x0305);
}

SPEC("bytes that a trimmed frame keeps beyond the minimum are ignored")
{
    struct frame frame;

    EXPECT_EQ(parse_with("W1", 0, 0x63, &frame), DROP_NONE); /* DSCP 12, not shortened */
    EXPECT(frame_is_trimmed(&frame));
    EXPECT_EQ(frame.length, 100);
    EXPECT_EQ(frame.payload_offset, 68);
    EXPECT_EQ(frame.packet.write.rkey, 0);
    EXPECT_EQ(frame.packet.write.payload.length, 10);
    EXPECT(frame_icrc_ok(&frame, vectors_find("W1")->bytes));
}

SPEC("after an error in the tunnel the outer header can be read, and the other headers are zero")
{
    static const struct ip_header none;
    struct frame frame;

    EXPECT_EQ(parse_with("X1", 40, 0x71, &frame), DROP_IP_VERSION);
    EXPECT_EQ(frame.encapsulation, FRAME_SRV6);
    EXPECT_EQ(frame.outer.next_header, 41);
    EXPECT(frame_check_ip_headers(&frame.inner, &none) == NULL);
    EXPECT_EQ(parse_with("X2", 42, 0, &frame), DROP_SRH);
    EXPECT_EQ(frame.encapsulation, FRAME_SRV6_SRH);
    EXPECT_EQ(frame.outer.next_header, 43);
    EXPECT(frame_check_ip_headers(&frame.inner, &none) == NULL);
    EXPECT_EQ(frame.packet.opcode, 0);
}

SPEC("after an error in the transport headers everything before it can be read")
{
    struct frame frame;

    EXPECT_EQ(parse_with("W1", 48, 0xc4, &frame), DROP_OPCODE);
    EXPECT_EQ(frame.packet.ev, 0x0305);
    EXPECT_EQ(frame.packet.opcode, 0xc4);
    EXPECT_EQ(frame.packet.psn.value, 0x100);
    EXPECT_EQ(frame.packet.write.rkey, 0);
    EXPECT_EQ(frame.length, 100);
}

SPEC("after an error the packet has nothing of its earlier contents")
{
    static const struct frame none;
    struct frame frame;

    memset(&frame, 0xee, sizeof(frame));
    EXPECT_EQ(frame_parse(&format_default, (const uint8_t *)"", 0, &frame), DROP_TRUNCATED);
    EXPECT(frame_check_difference(&frame, &none) == NULL);
    EXPECT(frame_check_ip_headers(&frame.outer, &none.outer) == NULL);
    EXPECT_EQ(frame.srh.tag, 0);
    EXPECT_EQ(frame.srh.segments_left, 0);
    EXPECT_MEM_EQ(frame.srh.segment.octets, none.srh.segment.octets, 16);
    EXPECT_MEM_EQ(&frame.packet.write.va, "\0\0\0\0\0\0\0\0", 8);
    EXPECT_EQ(frame.packet.write.pad_bytes, 0);
}
