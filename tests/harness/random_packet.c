/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the structs directly from the tables of docs/wire.md: frame_address() is under test too. */
#include "random_packet.h"

#include <string.h>

const uint8_t random_packet_opcodes[RANDOM_PACKET_OPCODE_COUNT] = { 0xc6, 0xc7, 0xc8, 0xc9, 0xca,
    0xcb, 0xd1, 0xd8, 0xd9, 0xdc, 0xdd, 0xde, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x11, 0x81 };

static uint32_t bits(struct prng *prng, uint32_t count)
{
    return (uint32_t)(prng_next(prng) >> (64 - count));
}

static bool coin(struct prng *prng)
{
    return bits(prng, 1);
}

static void scatter_dscps(struct prng *prng, struct wire_format *format)
{
    uint32_t first = bits(prng, 6);
    uint32_t step = bits(prng, 5) * 2 + 1; /* odd: never the same twice */

    for (uint32_t i = 0; i < DSCP_OTHER; i++)
        format->dscp[i] = (uint8_t)((first + i * step) % 64);
}

struct wire_format random_packet_format(struct prng *prng)
{
    struct wire_format format = format_default;

    format.m_before_se = coin(prng);
    format.source_port_high = coin(prng);
    format.nak_write_imm_limit = (uint8_t)(0x60 | bits(prng, 5));
    format.uplink_bits = (uint8_t)(8 + bits(prng, 1));
    if (coin(prng))
        format.udp_port = (uint16_t)(1 + prng_below(prng, UINT16_MAX));
    if (coin(prng))
        format.udp_port_also = 0;
    if (coin(prng))
        scatter_dscps(prng, &format);
    return format;
}

static struct ipv6_addr random_address(struct prng *prng, bool is_v4)
{
    struct ipv6_addr address;
    uint64_t halves[2] = { prng_next(prng), prng_next(prng) };

    memcpy(address.octets, halves, sizeof(address.octets));
    address.octets[0] = 0x20; /* never IPv4-mapped by chance */
    if (is_v4)
        memcpy(address.octets, ip_address_v4_prefix, sizeof(ip_address_v4_prefix));
    return address;
}

static struct ip_header random_ip(struct prng *prng, bool is_v4)
{
    return (struct ip_header){ .src = random_address(prng, is_v4),
        .dst = random_address(prng, is_v4),
        .flow_label = is_v4 ? 0 : bits(prng, 20),
        .traffic_class = (uint8_t)bits(prng, 8),
        .hop_limit = (uint8_t)bits(prng, 8),
        .is_v4 = is_v4 };
}

static uint8_t class_of_dscp(const struct wire_format *format, uint32_t dscp)
{
    for (uint8_t class = 0; class < DSCP_OTHER; class ++)
        if (format->dscp[class] == dscp)
            return class;
    return DSCP_OTHER;
}

/* The outermost DSCP says whether the packet was trimmed. */
static void choose_class(
    struct prng *prng, const struct wire_format *format, struct frame *frame, bool trimmed)
{
    struct ip_header *outermost =
        frame->encapsulation == FRAME_PLAIN ? &frame->inner : &frame->outer;
    uint32_t dscp = outermost->traffic_class >> 2;

    if (trimmed)
        dscp = format->dscp[coin(prng) ? DSCP_TRIMMED : DSCP_TRIMMED_LASTHOP];
    else if (dscp == format->dscp[DSCP_TRIMMED] || dscp == format->dscp[DSCP_TRIMMED_LASTHOP])
        dscp = format->dscp[DSCP_TRIMMABLE];
    outermost->traffic_class = (uint8_t)(dscp << 2 | (outermost->traffic_class & 3));
    frame->packet.class = class_of_dscp(format, dscp);
    frame->packet.ecn = frame->inner.traffic_class & 3;
    if ((outermost->traffic_class & 3) == ECN_CE && frame->packet.ecn != ECN_NOT_ECT)
        frame->packet.ecn = ECN_CE;
}

static void fill_network(struct prng *prng, const struct wire_format *format, struct frame *frame,
    enum random_packet_carriage carriage)
{
    static const struct {
        enum frame_encapsulation encapsulation;
        bool is_v4;
    } shapes[RANDOM_PACKET_CARRIAGE_COUNT] = {
        [RANDOM_PACKET_V6] = { FRAME_PLAIN, false },
        [RANDOM_PACKET_V4] = { FRAME_PLAIN, true },
        [RANDOM_PACKET_SRV6] = { FRAME_SRV6, false },
        [RANDOM_PACKET_SRV6_V4] = { FRAME_SRV6, true },
        [RANDOM_PACKET_SRV6_SRH] = { FRAME_SRV6_SRH, false },
        [RANDOM_PACKET_SRV6_SRH_V4] = { FRAME_SRV6_SRH, true },
    };
    uint32_t label;

    frame->encapsulation = shapes[carriage].encapsulation;
    frame->inner = random_ip(prng, shapes[carriage].is_v4);
    frame->outer = random_ip(prng, false);
    frame->srh = (struct srh){ .segment = random_address(prng, false),
        .tag = (uint16_t)bits(prng, 16),
        .flags = (uint8_t)bits(prng, 8),
        .segments_left = (uint8_t)bits(prng, 1) };
    frame->source_port = (uint16_t)bits(prng, 16);
    frame->dest_port =
        format->udp_port_also && coin(prng) ? format->udp_port_also : format->udp_port;
    label = frame->inner.flow_label & 0xffff;
    frame->packet.ev = format->source_port_high ? (uint32_t)frame->source_port << 16 | label
                                                : label << 16 | frame->source_port;
    frame->packet.src = frame->inner.src;
    frame->packet.dst = frame->inner.dst;
}

static void fill_flags(struct prng *prng, struct packet *packet)
{
    bool is_mrc = packet->opcode >> 5 == 6;
    uint32_t allowed = PACKET_SOLICITED | PACKET_ACK_REQUEST;

    allowed |= is_mrc ? PACKET_RETRANSMISSION : PACKET_BECN;
    if (opcode_is_write(packet->opcode))
        allowed |= PACKET_STAMPED | PACKET_OWN_UNIT;
    if (packet->opcode == OPCODE_PROBE || packet->opcode == OPCODE_ENDPOINT_REQUEST)
        allowed |= PACKET_OWN_UNIT;
    packet->flags = (uint8_t)(bits(prng, 8) & allowed);
    if (opcode_is_write(packet->opcode) && !(packet->flags & PACKET_STAMPED))
        packet->flags &= (uint8_t)~PACKET_OWN_UNIT;
}

/* Mostly short, for speed; all lengths up to the longest happen. */
static uint32_t random_payload_bytes(struct prng *prng)
{
    return bits(prng, 6) == 0 ? prng_below(prng, RANDOM_PACKET_PAYLOAD_MAX + 1)
                              : prng_below(prng, 70);
}

static void fill_write(struct prng *prng, struct packet *packet)
{
    struct packet_write *write = &packet->write;
    uint8_t kind = packet->opcode & 0x1f; /* 6 First, 7 Middle, 8 Last, 9 its Imm, a Only, b */
    bool is_mrc = packet->opcode >> 5 == 6;

    write->payload.length = random_payload_bytes(prng);
    write->pad_bytes = (uint8_t)((4 - write->payload.length % 4) % 4);
    if (is_mrc) {
        write->rqmsn = (uint16_t)bits(prng, 16);
        write->msn = (uint16_t)bits(prng, 16);
    }
    if (packet->flags & PACKET_STAMPED)
        write->tx_timestamp = (uint16_t)bits(prng, 16);
    if (is_mrc || kind == 0x06 || kind >= 0x0a) {
        write->va = prng_next(prng);
        write->rkey = bits(prng, 32);
        write->message_bytes = bits(prng, 32);
    }
    if (kind == 0x09 || kind == 0x0b)
        write->immediate = bits(prng, 32);
}

static void fill_sack(struct prng *prng, struct packet_sack *sack)
{
    *sack = (struct packet_sack){ .bitmap = prng_next(prng),
        .entropy = bits(prng, 32),
        .cack_psn = psn(bits(prng, 24)),
        .received_units = bits(prng, 24),
        .probe_id = (uint16_t)bits(prng, 16),
        .sack_offset = (int16_t)(bits(prng, 16) - 0x8000),
        .tx_timestamp = (uint16_t)bits(prng, 16),
        .ooo_count = (uint16_t)bits(prng, 15),
        .spdcid = (uint16_t)bits(prng, 16),
        .dpdcid = (uint16_t)bits(prng, 16),
        .mark = (uint8_t)bits(prng, 2),
        .mpr = (uint8_t)bits(prng, 8),
        .window_penalty = (uint8_t)bits(prng, 7),
        .restore_window = coin(prng),
        .answers_probe = coin(prng) };
}

static void fill_nack(struct prng *prng, struct packet_nack *nack)
{
    *nack = (struct packet_nack){ .entropy = bits(prng, 32),
        .nack_psn = psn(bits(prng, 24)),
        .spdcid = (uint16_t)bits(prng, 16),
        .dpdcid = (uint16_t)bits(prng, 16),
        .tx_timestamp = (uint16_t)bits(prng, 16),
        .reason = (uint8_t)bits(prng, 8) };
}

static void fill_control(struct prng *prng, struct packet *packet)
{
    switch (packet->opcode) {
    case OPCODE_SACK:
        fill_sack(prng, &packet->sack);
        break;
    case OPCODE_NACK:
        fill_nack(prng, &packet->nack);
        break;
    case OPCODE_PROBE:
        packet->probe = (struct packet_probe){ .probe_id = (uint16_t)bits(prng, 16),
            .spdcid = (uint16_t)bits(prng, 16),
            .dpdcid = (uint16_t)bits(prng, 16),
            .tx_timestamp = (uint16_t)bits(prng, 16) };
        break;
    case OPCODE_ENDPOINT_REQUEST:
        packet->endpoint.port_status_mask = bits(prng, 32);
        __attribute__((fallthrough));
    case OPCODE_ENDPOINT_RESPONSE:
        packet->endpoint.op = (uint8_t)bits(prng, 2);
        packet->endpoint.tx_timestamp = (uint16_t)bits(prng, 16);
        break;
    case OPCODE_ACK:
    case OPCODE_ROCE_ACK:
        packet->ack.syndrome = (uint8_t)(bits(prng, 5) | (coin(prng) ? 0x60 : 0));
        packet->ack.messages_done = bits(prng, 24);
        break;
    default:
        break;
    }
}

struct frame random_packet_frame(struct prng *prng, const struct wire_format *format,
    uint8_t opcode, enum random_packet_carriage carriage, bool trimmed)
{
    struct frame frame = {
        .packet = { .opcode = opcode, .dest_qpn = bits(prng, 24), .psn = psn(bits(prng, 24)) }
    };

    fill_network(prng, format, &frame, carriage);
    choose_class(prng, format, &frame, trimmed);
    fill_flags(prng, &frame.packet);
    if (opcode_has_payload(opcode))
        fill_write(prng, &frame.packet);
    else
        fill_control(prng, &frame.packet);
    return frame;
}

static void fill_payload(struct prng *prng, uint8_t *at, uint32_t length)
{
    while (length > 0) {
        uint64_t random = prng_next(prng);
        uint32_t step = length < sizeof(random) ? length : (uint32_t)sizeof(random);

        memcpy(at, &random, step);
        at += step;
        length -= step;
    }
}

uint32_t random_packet_build(struct prng *prng, const struct wire_format *format,
    struct frame *frame, uint8_t *bytes, size_t room)
{
    uint32_t length = frame_build(format, frame, bytes, room);

    if (length == 0 || dscp_is_trimmed((enum dscp_class)frame->packet.class))
        return length;
    if (opcode_has_payload(frame->packet.opcode))
        fill_payload(prng, bytes + frame->payload_offset, frame->packet.write.payload.length);
    frame_seal(frame, bytes);
    return length;
}

uint32_t random_packet_any(
    struct prng *prng, struct wire_format *format, struct frame *frame, uint8_t *bytes, size_t room)
{
    uint8_t opcode = random_packet_opcodes[prng_below(prng, RANDOM_PACKET_OPCODE_COUNT)];
    enum random_packet_carriage carriage =
        (enum random_packet_carriage)prng_below(prng, RANDOM_PACKET_CARRIAGE_COUNT);
    bool trimmed = opcode_is_write(opcode) && coin(prng);

    *format = random_packet_format(prng);
    *frame = random_packet_frame(prng, format, opcode, carriage, trimmed);
    return random_packet_build(prng, format, frame, bytes, room);
}
