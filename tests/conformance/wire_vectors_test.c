/* SPDX-License-Identifier: Apache-2.0 */
/* docs/wire.md §17: every vector parses to the fields written down here from that section, and is
 * built again byte for byte. */
#include "spec.h"

#include <string.h>

#include "frame_check.h"
#include "vectors.h"
#include "wire/frame.h"

static const struct ipv6_addr host_a = { { 0x20, 0x01, 0x0d, 0xb8, 0, 1, [15] = 0x0a } };
static const struct ipv6_addr host_b = { { 0x20, 0x01, 0x0d, 0xb8, 0, 2, [15] = 0x0b } };

struct service {
    uint8_t traffic_class;
    uint8_t class;
    uint8_t ecn;
};

static const struct service data = { 0x12, DSCP_TRIMMABLE, ECN_ECT0 };
static const struct service repeat = { 0x22, DSCP_TRIMMABLE_RETX, ECN_ECT0 };
static const struct service probing = { 0x02, DSCP_NO_TRIM, ECN_ECT0 };
static const struct service control = { 0xb8, DSCP_CONTROL, ECN_NOT_ECT };

static struct frame between(const struct ipv6_addr *src, const struct ipv6_addr *dst,
    struct service service, uint32_t ev, uint16_t udp_bytes)
{
    return (struct frame){ .encapsulation = FRAME_PLAIN,
        .inner = { .src = *src,
            .dst = *dst,
            .flow_label = ev >> 16,
            .payload_bytes = udp_bytes,
            .traffic_class = service.traffic_class,
            .hop_limit = 64,
            .next_header = 17 },
        .source_port = (uint16_t)ev,
        .dest_port = 4791,
        .packet = { .src = *src,
            .dst = *dst,
            .ev = ev,
            .class = service.class,
            .ecn = service.ecn },
        .length = 40u + udp_bytes };
}

static struct frame from_a(struct service service, uint32_t ev, uint16_t udp_bytes)
{
    struct frame frame = between(&host_a, &host_b, service, ev, udp_bytes);

    frame.packet.dest_qpn = 0x222;
    return frame;
}

/* Packets from B travel on its own EV 0x0507. */
static struct frame from_b(uint16_t udp_bytes)
{
    struct frame frame = between(&host_b, &host_a, control, 0x0507, udp_bytes);

    frame.packet.dest_qpn = 0x111;
    frame.payload_offset = (uint16_t)(frame.length - 4);
    return frame;
}

static void expect_counting_payload(const struct frame *frame)
{
    for (uint32_t i = 0; i < frame->packet.write.payload.length; i++)
        EXPECT_EQ(frame->packet.write.payload.bytes[i], i);
}

static void expect_rebuilt(const struct vector *vector, struct frame *frame)
{
    uint8_t bytes[VECTOR_BYTES_MAX];

    EXPECT_EQ(frame_build(&format_default, frame, bytes, sizeof(bytes)), vector->length);
    if (opcode_has_payload(frame->packet.opcode) && !frame_is_trimmed(frame))
        memcpy(bytes + frame->payload_offset, frame->packet.write.payload.bytes,
            frame->packet.write.payload.length);
    frame_seal(frame, bytes);
    EXPECT_MEM_EQ(bytes, vector->bytes, vector->length);
}

static void expect_vector(const char *name, const struct frame *wanted)
{
    const struct vector *vector = vectors_find(name);
    struct frame frame;
    const char *difference;

    EXPECT_EQ(vector->length, wanted->length);
    EXPECT_EQ(frame_parse(&format_default, vector->bytes, vector->length, &frame), DROP_NONE);
    difference = frame_check_difference(wanted, &frame);
    EXPECT_STR_EQ(difference ? difference : "as documented", "as documented");
    EXPECT(frame_icrc_ok(&frame, vector->bytes));
    if (opcode_has_payload(frame.packet.opcode) && !frame_is_trimmed(&frame))
        expect_counting_payload(&frame);
    expect_rebuilt(vector, &frame);
}

/* The transport content of W1, which W7, W8 and the X and T vectors share. */
static void fill_w1(struct frame *frame)
{
    frame->payload_offset = (uint16_t)(frame->length - 4 - 2 - 10);
    frame->packet.opcode = 0xca;
    frame->packet.flags = PACKET_ACK_REQUEST | PACKET_STAMPED;
    frame->packet.psn = psn(0x100);
    frame->packet.write = (struct packet_write){ .msn = 7,
        .tx_timestamp = 0x1234,
        .va = UINT64_C(0x00007f0012345000),
        .rkey = 0xdeadbeef,
        .message_bytes = 10,
        .payload.length = 10,
        .pad_bytes = 2 };
}

static struct frame w1(void)
{
    struct frame frame = from_a(data, 0x0305, 60);

    fill_w1(&frame);
    return frame;
}

SPEC("§17 W1 is a WRITE Only of 10 bytes, stamped, that asks for an acknowledgement")
{
    struct frame wanted = w1();

    EXPECT_EQ(wanted.payload_offset, 0x54);
    expect_vector("W1", &wanted);
}

/* W2, W3 and W4 are the message of 40 bytes cut at 16. */
static struct frame piece(
    struct service service, uint32_t ev, uint8_t opcode, uint32_t index, uint32_t length)
{
    struct frame frame = from_a(service, ev, (uint16_t)(44 + length));

    frame.payload_offset = 0x50;
    frame.packet.opcode = opcode;
    frame.packet.psn = psn(0x101 + index);
    frame.packet.write = (struct packet_write){ .msn = 8,
        .va = UINT64_C(0x00007f0012346000) + 16 * index,
        .rkey = 0xdeadbeef,
        .message_bytes = 40,
        .payload.length = length };
    return frame;
}

SPEC("§17 W2 is the First packet of a message of 40 bytes, without a stamp")
{
    struct frame wanted = piece(data, 0x0001, 0xc6, 0, 16);

    expect_vector("W2", &wanted);
}

SPEC("§17 W3 is the Middle of that message, 16 bytes on, on another EV")
{
    struct frame wanted = piece(data, 0x0102, 0xc7, 1, 16);

    expect_vector("W3", &wanted);
}

SPEC("§17 W4 is its Last packet sent once more: rtx, a, and DSCP 8")
{
    struct frame wanted = piece(repeat, 0x0203, 0xc8, 2, 8);

    wanted.packet.flags = PACKET_RETRANSMISSION | PACKET_ACK_REQUEST;
    expect_vector("W4", &wanted);
}

SPEC("§17 W5 is a WRITE Last with Immediate, rqmsn 3")
{
    struct frame wanted = from_a(data, 0x0304, 60);

    wanted.payload_offset = 0x58;
    wanted.packet.opcode = 0xc9;
    wanted.packet.flags = PACKET_ACK_REQUEST | PACKET_STAMPED;
    wanted.packet.psn = psn(0x105);
    wanted.packet.write = (struct packet_write){ .rqmsn = 3,
        .msn = 9,
        .tx_timestamp = 0x1240,
        .va = UINT64_C(0x00007f0012347010),
        .rkey = 0xdeadbeef,
        .message_bytes = 24,
        .immediate = 0xcafe0001,
        .payload.length = 8 };
    expect_vector("W5", &wanted);
}

SPEC("§17 W6 is a WRITE Only with Immediate and without payload, va or rkey")
{
    struct frame wanted = from_a(data, 0x0406, 48);

    wanted.payload_offset = 0x54;
    wanted.packet.opcode = 0xcb;
    wanted.packet.flags = PACKET_ACK_REQUEST;
    wanted.packet.psn = psn(0x106);
    wanted.packet.write = (struct packet_write){ .rqmsn = 4, .msn = 10, .immediate = 0xcafe0002 };
    expect_vector("W6", &wanted);
}

SPEC("§17 W7 is W1 over IPv4, from 192.0.2.1 to 192.0.2.2")
{
    static const struct ipv6_addr src = { { [10] = 0xff, 0xff, 192, 0, 2, 1 } };
    static const struct ipv6_addr dst = { { [10] = 0xff, 0xff, 192, 0, 2, 2 } };
    struct frame wanted = between(&src, &dst, data, 0x0305, 60);

    wanted.inner.is_v4 = true;
    wanted.length = 80;
    wanted.packet.dest_qpn = 0x222;
    fill_w1(&wanted);
    expect_vector("W7", &wanted);
}

SPEC("§17 W8 is W1 with the structured EV 0x554F2400 in flow label and source port")
{
    struct frame wanted = from_a(data, 0x554f2400, 60);

    fill_w1(&wanted);
    EXPECT_EQ(wanted.inner.flow_label, 0x0554f);
    EXPECT_EQ(wanted.source_port, 0x2400);
    expect_vector("W8", &wanted);
}

static struct frame transport_ack(uint32_t number, uint8_t syndrome)
{
    struct frame frame = from_b(28);

    frame.packet.opcode = 0xd1;
    frame.packet.psn = psn(number);
    frame.packet.ack = (struct packet_ack){ .syndrome = syndrome, .messages_done = 11 };
    return frame;
}

SPEC("§17 A1 acknowledges everything through PSN 0x106, 11 messages")
{
    struct frame wanted = transport_ack(0x106, 0x1f);

    expect_vector("A1", &wanted);
}

SPEC("§17 A2 is a NAK, remote access error, for PSN 0x107")
{
    struct frame wanted = transport_ack(0x107, 0x62);

    expect_vector("A2", &wanted);
}

static struct frame s1(void)
{
    struct frame frame = from_b(60);

    frame.packet.opcode = 0xdc;
    frame.packet.psn = psn(0x104);
    frame.packet.sack = (struct packet_sack){ .mark = SACK_MARK_SKIP_ONCE,
        .ack_psn_offset = 7,
        .entropy = 0x0305,
        .spdcid = 0x0222,
        .dpdcid = 0x0111,
        .cack_psn = psn(0x104),
        .mpr = 8,
        .sack_offset = 1,
        .bitmap = 0x76,
        .tx_timestamp = 0x1234,
        .ooo_count = 5,
        .received_units = 0x1a4 };
    return frame;
}

SPEC("§17 S1 is a SACK for PSN 0x10B that came marked, bitmap 0x76 above cack 0x104")
{
    struct frame wanted = s1();

    expect_vector("S1", &wanted);
    EXPECT_EQ(wanted.packet.sack.received_units * 256, 107520);
}

SPEC("§17 S2 is a SACK that answers probe 0x42, with a receiver penalty of 64")
{
    struct frame wanted = s1();

    wanted.packet.sack.mark = SACK_MARK_NONE;
    wanted.packet.sack.answers_probe = true;
    wanted.packet.sack.probe_id = 0x0042;
    wanted.packet.sack.entropy = 0x0406;
    wanted.packet.sack.mpr = 0;
    wanted.packet.sack.tx_timestamp = 0x2000;
    wanted.packet.sack.window_penalty = 64;
    expect_vector("S2", &wanted);
}

SPEC("§17 S3 is a SACK across the PSN wrap, for a retransmission, with the window restored")
{
    struct frame wanted = s1();

    wanted.packet.flags = PACKET_RETRANSMISSION;
    wanted.packet.psn = psn(0xfffffe);
    wanted.packet.sack = (struct packet_sack){ .ack_psn_offset = 3,
        .entropy = 0x0102,
        .spdcid = 0x0222,
        .dpdcid = 0x0111,
        .cack_psn = psn(0xfffffe),
        .sack_offset = 1,
        .bitmap = 6,
        .tx_timestamp = 0x4000,
        .ooo_count = 2,
        .restore_window = true,
        .received_units = 0xffffff };
    expect_vector("S3", &wanted);
}

SPEC("§17 S4 is S1 with ALWAYS_SKIP and the trigger three PSNs below cack")
{
    struct frame wanted = s1();

    wanted.packet.sack.mark = SACK_MARK_ALWAYS_SKIP;
    wanted.packet.sack.ack_psn_offset = -3;
    expect_vector("S4", &wanted);
}

static struct frame nack(uint8_t reason, uint32_t number, uint32_t entropy, uint16_t stamp)
{
    struct frame frame = from_b(44);

    frame.packet.opcode = 0xdd;
    frame.packet.psn = psn(number);
    frame.packet.nack = (struct packet_nack){ .reason = reason,
        .entropy = entropy,
        .spdcid = 0x0222,
        .dpdcid = 0x0111,
        .nack_psn = psn(number),
        .tx_timestamp = stamp };
    return frame;
}

SPEC("§17 N1 is a NACK: PSN 0x105 arrived trimmed on EV 0x0304")
{
    struct frame wanted = nack(0x01, 0x105, 0x0304, 0x1240);

    expect_vector("N1", &wanted);
}

SPEC("§17 N2 is a NACK: PSN 0x900 lies beyond the window")
{
    struct frame wanted = nack(0x0b, 0x900, 0x0306, 0x1300);

    expect_vector("N2", &wanted);
}

SPEC("§17 P1 is Reliability Probe 0x42 on EV 0x0406")
{
    struct frame wanted = from_a(probing, 0x0406, 40);

    wanted.payload_offset = 76;
    wanted.packet.opcode = 0xde;
    wanted.packet.probe = (struct packet_probe){
        .probe_id = 0x0042, .spdcid = 0x0111, .dpdcid = 0x0222, .tx_timestamp = 0x2000
    };
    expect_vector("P1", &wanted);
}

static struct frame endpoint_request(struct service service, uint32_t id)
{
    struct frame frame = from_a(service, 0x0105, 40);

    frame.payload_offset = 76;
    frame.packet.opcode = 0xd8;
    frame.packet.dest_qpn = 2;
    frame.packet.psn = psn(id);
    return frame;
}

SPEC("§17 E1 is an Endpoint Request, an EV probe, id 0x777")
{
    struct frame wanted = endpoint_request(probing, 0x777);

    wanted.packet.endpoint = (struct packet_endpoint){ .op = 1, .tx_timestamp = 0x3000 };
    expect_vector("E1", &wanted);
}

SPEC("§17 E2 is an Endpoint Request, a port status update: ports 1, 2 and 4 are up")
{
    struct frame wanted = endpoint_request(control, 0x778);

    wanted.packet.endpoint =
        (struct packet_endpoint){ .op = 0, .port_status_mask = 0x16, .tx_timestamp = 0x3001 };
    expect_vector("E2", &wanted);
}

SPEC("§17 E3 is the Endpoint Response to E1, its stamp copied")
{
    struct frame wanted = from_b(60);

    wanted.packet.opcode = 0xd9;
    wanted.packet.dest_qpn = 2;
    wanted.packet.psn = psn(0x777);
    wanted.packet.endpoint = (struct packet_endpoint){ .op = 1, .tx_timestamp = 0x3000 };
    expect_vector("E3", &wanted);
}

/* Puts an outer header, and an SRH with a copy of the path, around a frame. */
static void encapsulate(struct frame *frame, const struct ip_header *outer, uint32_t tunnel_bytes)
{
    frame->encapsulation = tunnel_bytes == 64 ? FRAME_SRV6_SRH : FRAME_SRV6;
    frame->outer = *outer;
    frame->outer.src = host_a;
    frame->srh = (struct srh){ .segment = outer->dst, .next_header = 41 };
    frame->inner_offset = (uint16_t)tunnel_bytes;
    frame->payload_offset = (uint16_t)(frame->payload_offset + tunnel_bytes);
    frame->length += tunnel_bytes;
}

SPEC("§17 X1 is W1 on the path fc00:42:20:11:22:31::")
{
    static const struct ip_header outer = {
        .dst = { { 0xfc, 0, 0, 0x42, 0, 0x20, 0, 0x11, 0, 0x22, 0, 0x31 } },
        .flow_label = 0x00305,
        .payload_bytes = 100,
        .traffic_class = 0x12,
        .hop_limit = 64,
        .next_header = 41,
    };
    struct frame wanted = w1();

    encapsulate(&wanted, &outer, 40);
    expect_vector("X1", &wanted);
}

SPEC("§17 X2 is X1 with an SRH that copies the path")
{
    static const struct ip_header outer = {
        .dst = { { 0xfc, 0, 0, 0x42, 0, 0x20, 0, 0x11, 0, 0x22, 0, 0x31 } },
        .flow_label = 0x00305,
        .payload_bytes = 124,
        .traffic_class = 0x12,
        .hop_limit = 64,
        .next_header = 43,
    };
    struct frame wanted = w1();

    encapsulate(&wanted, &outer, 64);
    expect_vector("X2", &wanted);
}

SPEC("§17 X3 is plane 5, uplink 0x9C, in our plan, marked on the way: the receiver takes it as CE")
{
    static const struct ip_header outer = {
        .dst = { { 0xfc, 0, 0, 0x42, 0xa4, 0x05, 0xa8, 0x9c, 0xa4, 0x12, 0xac, 0x07 } },
        .flow_label = 0x0059c,
        .payload_bytes = 100,
        .traffic_class = 0x13,
        .hop_limit = 64,
        .next_header = 41,
    };
    struct frame wanted = from_a(data, 0x059c, 60);

    fill_w1(&wanted);
    wanted.packet.ecn = ECN_CE;
    encapsulate(&wanted, &outer, 40);
    expect_vector("X3", &wanted);
}

SPEC("§17 T1 is W1 trimmed after TSETH: DSCP 12, IPv6 length 28, and 10 bytes were lost")
{
    struct frame wanted = w1();

    wanted.inner.traffic_class = 0x32;
    wanted.inner.payload_bytes = 28;
    wanted.packet.class = DSCP_TRIMMED;
    wanted.length = 68;
    wanted.payload_offset = 68;
    expect_vector("T1", &wanted);
}

SPEC("§17 T2 is X3 unmarked and trimmed at the last hop: DSCP 16, inner lengths as they were")
{
    static const struct ip_header outer = {
        .dst = { { 0xfc, 0, 0, 0x42, 0xac, 0x07 } },
        .flow_label = 0x0059c,
        .payload_bytes = 68,
        .traffic_class = 0x42,
        .hop_limit = 61,
        .next_header = 41,
    };
    struct frame wanted = from_a(data, 0x059c, 60);

    fill_w1(&wanted);
    wanted.packet.class = DSCP_TRIMMED_LASTHOP;
    wanted.length = 68;
    wanted.payload_offset = 68;
    encapsulate(&wanted, &outer, 40);
    expect_vector("T2", &wanted);
}

SPEC("§17 there are 25 vectors, and each is above")
{
    EXPECT_EQ(vectors_all()->count, 25);
}
