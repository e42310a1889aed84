/* SPDX-License-Identifier: Apache-2.0 */
/* Judges packets: good, malformed (and where), cut by the capture, or foreign. */
#include "decode/decode_packet.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/icrc.h"

enum {
    IP_PROTOCOL_ICMP = 1,
    IP_PROTOCOL_TCP = 6,
    IP_PROTOCOL_ICMPV6 = 58,
    UDP_DEST_PORT_OFFSET = 2,
};

uint64_t decode_packet_bytes(
    const struct decode_packet *packet, enum decode_header header, uint32_t at, uint32_t count)
{
    struct bytes_in in = bytes_in(packet->bytes, packet->padded_bytes);
    uint32_t index = decode_layout_find(&packet->layout, header);

    if (index == packet->layout.part_count)
        return 0;
    bytes_take(&in, packet->layout.parts[index].offset + at);
    return bytes_read_be(&in, count);
}

bool decode_packet_has(const struct decode_packet *packet, enum decode_header header)
{
    return decode_layout_find(&packet->layout, header) < packet->read_count;
}

const char *decode_packet_opcode_name(const struct decode_packet *packet)
{
    bool has_bth =
        decode_packet_has(packet, DECODE_BTH) || decode_packet_has(packet, DECODE_ROCE_BTH);

    return has_bth ? opcode_name(packet->frame.packet.opcode) : NULL;
}

bool decode_packet_has_ev(const struct decode_packet *packet)
{
    return decode_packet_has(packet, DECODE_UDP) && packet->reason != DROP_UDP_PORT;
}

/* Returns the destination port of a captured UDP header; 0 if there is none. */
static uint16_t captured_dest_port(const struct decode_packet *packet)
{
    uint32_t udp = decode_layout_find(&packet->layout, DECODE_UDP);

    if (udp >= decode_layout_beyond(&packet->layout, packet->captured_bytes))
        return 0;
    return (uint16_t)decode_packet_bytes(packet, DECODE_UDP, UDP_DEST_PORT_OFFSET, 2);
}

static bool has_our_port(const struct decode_packet *packet)
{
    uint16_t port = captured_dest_port(packet);

    return port != 0 && (port == packet->format->udp_port || port == packet->format->udp_port_also);
}

static bool is_foreign(const struct decode_packet *packet)
{
    bool has_foreign_opcode =
        packet->reason == DROP_OPCODE && !opcode_is_mrc(packet->frame.packet.opcode);

    return !has_our_port(packet) || has_foreign_opcode;
}

static uint32_t last_network_part(const struct decode_layout *layout)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < layout->part_count; i++)
        if (layout->parts[i].header <= DECODE_IP)
            last = i;
    return last;
}

/* Returns the header that a refusal concerns. */
static uint32_t part_refused(const struct decode_packet *packet)
{
    const struct decode_layout *layout = &packet->layout;

    switch (packet->reason) {
    case DROP_NONE:
        return layout->part_count;
    case DROP_IP_VERSION:
    case DROP_IP_LENGTH:
    case DROP_NEXT_HEADER:
    case DROP_IPV4_HEADER:
    case DROP_IPV4_CHECKSUM:
        return last_network_part(layout);
    case DROP_SRH:
        return decode_layout_find(layout, DECODE_SRH);
    case DROP_UDP_PORT:
    case DROP_UDP_LENGTH:
        return decode_layout_find(layout, DECODE_UDP);
    case DROP_BTH_VERSION:
    case DROP_PARTITION:
    case DROP_OPCODE:
    case DROP_TRIMMED_NOT_DATA:
        return decode_layout_find(layout, DECODE_UDP) + 1;
    case DROP_SYNDROME:
        return decode_layout_find(layout, DECODE_AETH);
    default: /* the first that does not fit, or what follows all parts */
        return decode_layout_beyond(layout, layout->end);
    }
}

/* Returns true if the header at fault was read before it was refused. */
static bool is_fault_readable(const struct decode_packet *packet)
{
    switch (packet->reason) {
    case DROP_NEXT_HEADER:
    case DROP_UDP_PORT:
    case DROP_UDP_LENGTH:
    case DROP_OPCODE:
    case DROP_TRIMMED_NOT_DATA:
    case DROP_SYNDROME:
        return true;
    case DROP_IP_LENGTH: /* an IPv4 header with too small a length was not read */
        return packet->frame.inner.is_v4 || decode_packet_bytes(packet, DECODE_IP, 0, 1) >> 4 == 6;
    default:
        return false;
    }
}

static void judge_packet(struct decode_packet *packet)
{
    const struct decode_layout *layout = &packet->layout;
    uint32_t missing = decode_layout_beyond(layout, packet->captured_bytes);
    bool is_cut = packet->captured_bytes < packet->length;

    packet->fault = part_refused(packet);
    packet->read_count = packet->fault + (is_fault_readable(packet) ? 1 : 0);
    packet->verdict = packet->reason == DROP_NONE ? DECODE_GOOD : DECODE_MALFORMED;
    if (missing < layout->part_count && missing <= packet->fault) {
        packet->fault = packet->read_count = missing;
        packet->verdict = is_cut ? DECODE_CUT : DECODE_MALFORMED;
        packet->reason = DROP_TRUNCATED;
    } else if (packet->reason == DROP_NONE && packet->length < packet->frame.length) {
        packet->verdict = DECODE_MALFORMED;
        packet->reason = DROP_TRUNCATED;
    }
    packet->fault_offset = packet->fault < layout->part_count ? layout->parts[packet->fault].offset
                                                              : decode_layout_end(layout);
}

static void name_foreign(struct decode_packet *packet)
{
    enum decode_header ip = packet->layout.parts[last_network_part(&packet->layout)].header;
    bool is_v6 = decode_packet_bytes(packet, ip, 0, 1) >> 4 == 6;
    uint32_t protocol = (uint32_t)decode_packet_bytes(packet, ip, is_v6 ? 6 : 9, 1);
    const char *name = protocol == IP_NEXT_UDP          ? "UDP"
                       : protocol == IP_PROTOCOL_TCP    ? "TCP"
                       : protocol == IP_PROTOCOL_ICMP   ? "ICMP"
                       : protocol == IP_PROTOCOL_ICMPV6 ? "ICMPv6"
                                                        : NULL;

    if (has_our_port(packet))
        snprintf(packet->foreign, sizeof(packet->foreign), "RoCEv2 opcode 0x%02x",
            packet->frame.packet.opcode);
    else if (captured_dest_port(packet))
        snprintf(
            packet->foreign, sizeof(packet->foreign), "UDP port %u", captured_dest_port(packet));
    else if (name)
        snprintf(packet->foreign, sizeof(packet->foreign), "%s", name);
    else
        snprintf(packet->foreign, sizeof(packet->foreign), "IP protocol %u", protocol);
}

/* Headers are shown as far as they were captured, even if the packet is incomplete. It is therefore
 * parsed with zeros in place of the rest, which is not shown. */
static void pad_packet(struct decode_packet *packet, const struct decode_input *input)
{
    uint32_t announced = decode_layout_announced(input->bytes, input->captured_bytes);
    uint32_t wanted = announced > input->length ? announced : input->length;

    packet->bytes = input->bytes;
    packet->padded_bytes = input->captured_bytes;
    if (wanted > DECODE_PACKET_BYTES_MAX)
        wanted = DECODE_PACKET_BYTES_MAX;
    if (wanted <= input->captured_bytes)
        return;
    memcpy(input->scratch, input->bytes, input->captured_bytes);
    memset(input->scratch + input->captured_bytes, 0, wanted - input->captured_bytes);
    packet->bytes = input->scratch;
    packet->padded_bytes = wanted;
}

/* Returns the reason for which a receiver drops a packet that was captured completely: it does not
 * read zeros behind the end. */
static enum drop_reason reason_of_receiver(
    const struct wire_format *format, const struct decode_input *input)
{
    struct frame frame;

    return frame_parse(format, input->bytes, input->captured_bytes, &frame);
}

void decode_packet_parse(struct decode_packet *packet, const struct wire_format *format,
    const struct decode_input *input)
{
    *packet = (struct decode_packet){
        .format = format, .length = input->length, .captured_bytes = input->captured_bytes
    };
    pad_packet(packet, input);
    decode_layout_begin(&packet->layout, packet->bytes, packet->padded_bytes);
    packet->reason = frame_parse(format, packet->bytes, packet->padded_bytes, &packet->frame);
    decode_layout_extend(&packet->layout, &packet->frame.packet);
    judge_packet(packet);
    if (packet->verdict == DECODE_MALFORMED && packet->captured_bytes == packet->length)
        packet->reason = reason_of_receiver(format, input);
    if (is_foreign(packet)) {
        name_foreign(packet);
        packet->verdict = DECODE_FOREIGN;
    }
}

void decode_packet_expect_mrc(struct decode_packet *packet)
{
    if (packet->verdict == DECODE_FOREIGN)
        packet->verdict = DECODE_MALFORMED;
}

void decode_packet_set_foreign(struct decode_packet *packet, uint16_t ether_type, uint32_t length)
{
    *packet = (struct decode_packet){ .verdict = DECODE_FOREIGN, .length = length };
    if (ether_type)
        snprintf(packet->foreign, sizeof(packet->foreign), "Ethernet type 0x%04x", ether_type);
    else
        snprintf(packet->foreign, sizeof(packet->foreign), "not IP");
}

void decode_packet_check_icrc(struct decode_packet *packet)
{
    const struct frame *frame = &packet->frame;
    uint32_t covered;

    if (packet->verdict != DECODE_GOOD)
        return;
    if (frame_is_trimmed(frame)) {
        packet->icrc = DECODE_ICRC_ABSENT;
        return;
    }
    if (packet->captured_bytes < frame->length)
        return;
    covered = frame->length - FRAME_ICRC_BYTES;
    for (uint32_t i = 0; i < FRAME_ICRC_BYTES; i++)
        packet->icrc_stored |= (uint32_t)packet->bytes[covered + i] << 8 * i;
    packet->icrc_computed =
        icrc_compute(packet->bytes + frame->inner_offset, covered - frame->inner_offset);
    packet->icrc = packet->icrc_stored == packet->icrc_computed ? DECODE_ICRC_OK : DECODE_ICRC_BAD;
    if (packet->icrc == DECODE_ICRC_BAD) {
        packet->verdict = DECODE_MALFORMED;
        packet->reason = DROP_ICRC;
        packet->fault_offset = covered;
    }
}
