/* SPDX-License-Identifier: Apache-2.0 */
/* Builds complete frames. */
#include "wire/frame.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/ack.h"
#include "wire/bth.h"
#include "wire/endpoint.h"
#include "wire/icrc.h"
#include "wire/nack.h"
#include "wire/probe.h"
#include "wire/sack.h"
#include "wire/write.h"

enum {
    UDP_BYTES = 8,
    CNP_RESERVED_BYTES = 16,
};

void frame_address_packet(const struct wire_format *format, struct frame *frame,
    const struct packet *packet, const struct ipv6_addr *path, const struct ipv6_addr *segment)
{
    struct ev_fields fields = ev_split(format, packet->ev);
    bool is_v4 = ip_address_is_v4(&packet->dst);
    uint8_t traffic_class;

    assert(packet->class < DSCP_OTHER);
    assert(path || !segment);
    traffic_class = (uint8_t)(format->dscp[packet->class] << 2 | packet->ecn);
    frame->source_port = fields.source_port;
    frame->dest_port = format->udp_port;
    frame->inner = (struct ip_header){ .src = packet->src,
        .dst = packet->dst,
        .is_v4 = is_v4,
        .flow_label = is_v4 ? 0 : fields.flow_label,
        .traffic_class = traffic_class,
        .hop_limit = IP_HOP_LIMIT_DEFAULT };
    frame->encapsulation = !path ? FRAME_PLAIN : segment ? FRAME_SRV6_SRH : FRAME_SRV6;
    if (!path)
        return;
    frame->outer = (struct ip_header){ .src = packet->src,
        .dst = *path,
        .flow_label = packet->ev & 0xfffff,
        .traffic_class = traffic_class,
        .hop_limit = IP_HOP_LIMIT_DEFAULT };
    if (segment)
        frame->srh =
            (struct srh){ .segment = *segment, .segments_left = !ip_address_equal(path, segment) };
}

static void build_control(struct bytes_out *out, const struct packet *packet)
{
    switch (packet->opcode) {
    case OPCODE_ACK:
    case OPCODE_ROCE_ACK:
        ack_build(out, packet);
        break;
    case OPCODE_SACK:
        sack_build(out, packet);
        break;
    case OPCODE_NACK:
        nack_build(out, packet);
        break;
    case OPCODE_PROBE:
        probe_build(out, packet);
        break;
    case OPCODE_ENDPOINT_REQUEST:
        endpoint_build_request(out, packet);
        break;
    case OPCODE_ENDPOINT_RESPONSE:
        endpoint_build_response(out, packet);
        break;
    default: /* a CNP */
        bytes_write_zeros(out, CNP_RESERVED_BYTES);
        break;
    }
}

static void fill_lengths(struct frame *frame, uint32_t udp_bytes, uint32_t carried_bytes)
{
    uint32_t inner_header_bytes = frame->inner.is_v4 ? IP_V4_BYTES : IP_V6_BYTES;
    uint8_t inner_protocol = frame->inner.is_v4 ? IP_NEXT_IPV4 : IP_NEXT_IPV6;
    uint32_t outer_payload = inner_header_bytes + carried_bytes;

    frame->inner.next_header = IP_NEXT_UDP;
    frame->inner.payload_bytes =
        (uint16_t)(frame->encapsulation == FRAME_PLAIN ? carried_bytes : udp_bytes);
    frame->outer.next_header = inner_protocol;
    if (frame->encapsulation == FRAME_SRV6_SRH) {
        frame->outer.next_header = IP_NEXT_ROUTING;
        frame->srh.next_header = inner_protocol;
        outer_payload += SRH_BYTES;
    }
    frame->outer.payload_bytes = (uint16_t)outer_payload;
}

static void build_udp(struct bytes_out *out, const struct frame *frame, uint32_t udp_bytes)
{
    uint8_t *udp = bytes_room(out, UDP_BYTES);

    if (!udp)
        return;
    bytes_put_be16(udp, frame->source_port);
    bytes_put_be16(udp + 2, frame->dest_port);
    bytes_put_be16(udp + 4, (uint16_t)udp_bytes);
    bytes_put_be16(udp + 6, 0); /* checksum */
}

static void build_network(struct bytes_out *out, const struct frame *frame, uint32_t udp_bytes)
{
    if (frame->encapsulation != FRAME_PLAIN)
        ip_build(out, &frame->outer);
    if (frame->encapsulation == FRAME_SRV6_SRH)
        srh_build(out, &frame->srh);
    ip_build(out, &frame->inner);
    build_udp(out, frame, udp_bytes);
}

uint32_t frame_build_packet(const struct wire_format *format, struct frame *frame,
    const struct packet *packet, uint8_t *bytes, size_t room)
{
    bool is_trimmed = dscp_is_trimmed((enum dscp_class)packet->class);
    struct bytes_out out = bytes_out(bytes, room);
    uint32_t udp_bytes = packet_udp_bytes(packet);
    uint32_t carried_bytes = udp_bytes;
    uint32_t tunnel_bytes = 0;

    assert(opcode_is_defined(packet->opcode));
    if (is_trimmed)
        carried_bytes = UDP_BYTES + BTH_BYTES + write_trimmed_bytes(packet);
    if (frame->encapsulation != FRAME_PLAIN)
        tunnel_bytes = IP_V6_BYTES + (frame->encapsulation == FRAME_SRV6_SRH ? SRH_BYTES : 0);
    frame->inner_offset = (uint16_t)tunnel_bytes;
    frame->length = tunnel_bytes + (frame->inner.is_v4 ? IP_V4_BYTES : IP_V6_BYTES) + carried_bytes;
    if (frame->length > room || udp_bytes > UINT16_MAX - IP_V6_BYTES - SRH_BYTES)
        return 0;
    fill_lengths(frame, udp_bytes, carried_bytes);
    build_network(&out, frame, udp_bytes);
    bth_build(format, &out, packet);
    if (is_trimmed)
        write_build_trimmed(&out, packet);
    else if (opcode_has_payload(packet->opcode))
        write_build(&out, packet);
    else
        build_control(&out, packet);
    frame->payload_offset = (uint16_t)(out.at - bytes);
    return frame->length;
}

void frame_seal_packet(const struct frame *frame, const struct packet *packet, uint8_t *bytes)
{
    uint8_t *end = bytes + frame->length - FRAME_ICRC_BYTES;
    uint32_t icrc;

    if (dscp_is_trimmed((enum dscp_class)packet->class))
        return;
    if (opcode_has_payload(packet->opcode))
        memset(end - packet->write.pad_bytes, 0, packet->write.pad_bytes);
    icrc = icrc_compute(bytes + frame->inner_offset, (size_t)(end - bytes) - frame->inner_offset);
    for (uint32_t i = 0; i < FRAME_ICRC_BYTES; i++, icrc >>= 8)
        end[i] = (uint8_t)icrc;
}
