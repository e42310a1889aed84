/* SPDX-License-Identifier: Apache-2.0 */
/* Parses complete frames: checks the order of headers, and that all lengths agree. */
#include "wire/frame.h"

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

_Static_assert(
    sizeof(struct packet) == offsetof(struct packet, write) + sizeof(struct packet_write),
    "clear_frame() assumes that packet_write is the largest of the union");

enum {
    UDP_BYTES = 8,
    CNP_RESERVED_BYTES = 16,
    NEXT_HEADER_AT = 6, /* in an IPv6 header */
};

/* The IP payload must be inside `in`; bytes after it are Ethernet padding. */
static enum drop_reason limit_to_ip_length(struct bytes_in *in, const struct ip_header *ip)
{
    if (ip->payload_bytes > bytes_left(in))
        return DROP_TRUNCATED;
    in->end = in->at + ip->payload_bytes;
    return DROP_NONE;
}

/* The first IP header is that of a tunnel: parses the inner one. */
static enum drop_reason parse_inner(struct bytes_in *in, struct frame *frame)
{
    uint8_t next_header = frame->outer.next_header;
    enum drop_reason reason;

    frame->encapsulation = FRAME_SRV6;
    frame->inner_offset = IP_V6_BYTES;
    if (next_header == IP_NEXT_ROUTING) {
        frame->encapsulation = FRAME_SRV6_SRH;
        frame->inner_offset = IP_V6_BYTES + SRH_BYTES;
        reason = srh_parse(in, &frame->srh);
        if (reason)
            return reason;
        next_header = frame->srh.next_header;
        if (next_header != IP_NEXT_IPV6 && next_header != IP_NEXT_IPV4)
            return DROP_NEXT_HEADER;
    }
    reason = ip_parse(in, &frame->inner);
    if (reason)
        return reason;
    return frame->inner.is_v4 == (next_header == IP_NEXT_IPV4) ? DROP_NONE : DROP_IP_VERSION;
}

/* Looks at the bytes in advance, so that each header is parsed directly into its place. A copy of
 * fields that were just written stalls the processor until the stores have reached the cache. */
static bool begins_with_tunnel(const struct bytes_in *in)
{
    uint8_t next_header;

    if (bytes_left(in) < IP_V6_BYTES || in->at[0] >> 4 != 6)
        return false;
    next_header = in->at[NEXT_HEADER_AT];
    return next_header == IP_NEXT_IPV6 || next_header == IP_NEXT_IPV4 ||
           next_header == IP_NEXT_ROUTING;
}

static enum drop_reason parse_first(struct bytes_in *in, struct ip_header *first)
{
    enum drop_reason reason = ip_parse(in, first);

    return reason ? reason : limit_to_ip_length(in, first);
}

static enum drop_reason parse_headers_to_udp(struct bytes_in *in, struct frame *frame)
{
    bool has_tunnel = begins_with_tunnel(in);
    enum drop_reason reason = parse_first(in, has_tunnel ? &frame->outer : &frame->inner);

    if (reason && has_tunnel) { /* the packet is not known to be a tunnel yet */
        frame->inner = frame->outer;
        frame->outer = (struct ip_header){ 0 };
    }
    if (reason)
        return reason;
    if (has_tunnel) {
        reason = parse_inner(in, frame);
        if (reason) {
            frame->inner = (struct ip_header){ 0 };
            return reason;
        }
    }
    return frame->inner.next_header == IP_NEXT_UDP ? DROP_NONE : DROP_NEXT_HEADER;
}

/* RFC 6040, normal mode: a CE mark on the outer header counts if the inner packet supports ECN. */
static uint8_t combined_ecn(const struct ip_header *outermost, const struct ip_header *inner)
{
    return ip_ecn(outermost) == ECN_CE && ip_ecn(inner) != ECN_NOT_ECT ? ECN_CE : ip_ecn(inner);
}

static enum drop_reason parse_network(
    const struct wire_format *format, struct bytes_in *in, struct frame *frame)
{
    enum drop_reason reason = parse_headers_to_udp(in, frame);
    const struct ip_header *outermost =
        frame->encapsulation == FRAME_PLAIN ? &frame->inner : &frame->outer;

    if (reason)
        return reason;
    frame->packet.src = frame->inner.src;
    frame->packet.dst = frame->inner.dst;
    frame->packet.ecn = combined_ecn(outermost, &frame->inner);
    /* Switches rewrite the outermost header only. */
    frame->packet.class = (uint8_t)format_dscp_class(format, ip_dscp(outermost));
    return DROP_NONE;
}

static enum drop_reason parse_udp(
    const struct wire_format *format, struct bytes_in *in, struct frame *frame, uint32_t *udp_bytes)
{
    const uint8_t *udp = bytes_take(in, UDP_BYTES);

    if (!udp)
        return DROP_TRUNCATED;
    frame->source_port = bytes_get_be16(udp);
    frame->dest_port = bytes_get_be16(udp + 2);
    *udp_bytes = bytes_get_be16(udp + 4);
    /* The checksum at 6 is ignored: RoCE sends 0 and relies on the iCRC. */
    if (frame->dest_port != format->udp_port &&
        (frame->dest_port != format->udp_port_also || frame->dest_port == 0))
        return DROP_UDP_PORT;
    frame->packet.ev =
        ev_join(format, (struct ev_fields){ .flow_label = (uint16_t)frame->inner.flow_label,
                            .source_port = frame->source_port });
    return DROP_NONE;
}

/* Parses all packets except WRITE. They have no payload, so the length is known. */
static enum drop_reason parse_control(struct bytes_in *in, struct packet *packet)
{
    switch (packet->opcode) {
    case OPCODE_ACK:
    case OPCODE_ROCE_ACK:
        return ack_parse(in, packet);
    case OPCODE_SACK:
        sack_parse(in, packet);
        break;
    case OPCODE_NACK:
        nack_parse(in, packet);
        break;
    case OPCODE_PROBE:
        probe_parse(in, packet);
        break;
    case OPCODE_ENDPOINT_REQUEST:
        endpoint_parse_request(in, packet);
        break;
    case OPCODE_ENDPOINT_RESPONSE:
        endpoint_parse_response(in, packet);
        break;
    default: /* a CNP */
        bytes_take(in, CNP_RESERVED_BYTES);
        break;
    }
    return DROP_NONE;
}

static enum drop_reason parse_whole_control(
    struct bytes_in *in, struct frame *frame, const uint8_t *start, uint8_t pad_bytes)
{
    enum drop_reason reason = parse_control(in, &frame->packet);

    if (!in->ok || bytes_left(in) != FRAME_ICRC_BYTES || pad_bytes != 0)
        return DROP_LENGTH;
    frame->payload_offset = (uint16_t)(in->at - start);
    return reason;
}

static enum drop_reason parse_whole_write(
    struct bytes_in *in, struct frame *frame, const uint8_t *start, uint8_t pad_bytes)
{
    struct packet_write *write = &frame->packet.write;
    uint32_t after_payload = pad_bytes + FRAME_ICRC_BYTES;

    write_parse(in, &frame->packet);
    if (!in->ok || bytes_left(in) < after_payload)
        return DROP_LENGTH;
    frame->payload_offset = (uint16_t)(in->at - start);
    write->pad_bytes = pad_bytes;
    write->payload.bytes = in->at;
    write->payload.length = (uint32_t)bytes_left(in) - after_payload;
    return DROP_NONE;
}

/* Parses the part that survived trimming. The original length of the payload follows from the UDP
 * length, which switches do not change (docs/wire.md §14). */
static enum drop_reason parse_trimmed(struct bytes_in *in, struct frame *frame,
    const uint8_t *start, uint8_t pad_bytes, uint32_t udp_bytes)
{
    struct packet *packet = &frame->packet;
    uint32_t without_payload;

    if (!opcode_is_write(packet->opcode))
        return DROP_TRIMMED_NOT_DATA;
    write_parse_trimmed(in, packet);
    if (!in->ok)
        return DROP_TRUNCATED;
    packet->write.pad_bytes = pad_bytes;
    frame->payload_offset = (uint16_t)(in->at - start);
    without_payload = packet_udp_bytes(packet);
    if (udp_bytes < without_payload)
        return DROP_LENGTH;
    packet->write.payload.length = udp_bytes - without_payload;
    return DROP_NONE;
}

/* Clears the parts separately: compilers clear a small struct with a few stores, but the complete
 * one with a string instruction that takes a tenth of the parsing time. */
static void clear_frame(struct frame *frame)
{
    frame->encapsulation = FRAME_PLAIN;
    frame->outer = (struct ip_header){ 0 };
    frame->srh = (struct srh){ 0 };
    frame->inner = (struct ip_header){ 0 };
    frame->source_port = 0;
    frame->dest_port = 0;
    memset(&frame->packet, 0, offsetof(struct packet, write));
    frame->packet.write = (struct packet_write){ 0 };
    frame->inner_offset = 0;
    frame->payload_offset = 0;
    frame->length = 0;
}

enum drop_reason frame_parse(
    const struct wire_format *format, const uint8_t *bytes, size_t length, struct frame *out)
{
    struct bytes_in in = bytes_in(bytes, length);
    uint8_t pad_bytes = 0;
    uint32_t udp_bytes = 0;
    enum drop_reason reason;
    bool trimmed;

    clear_frame(out);
    reason = parse_network(format, &in, out);
    if (reason)
        return reason;
    out->length = (uint32_t)(in.end - bytes);
    trimmed = frame_is_trimmed(out);
    /* In a tunnel, a trimmed packet keeps its former inner lengths; otherwise all lengths must
     * agree. */
    if (!trimmed && out->inner.payload_bytes != bytes_left(&in))
        return DROP_IP_LENGTH;
    reason = parse_udp(format, &in, out, &udp_bytes);
    if (reason)
        return reason;
    if (!trimmed && udp_bytes != out->inner.payload_bytes)
        return DROP_UDP_LENGTH;
    reason = bth_parse(format, &in, &out->packet, &pad_bytes);
    if (reason)
        return reason;
    if (trimmed)
        return parse_trimmed(&in, out, bytes, pad_bytes, udp_bytes);
    return opcode_has_payload(out->packet.opcode) ? parse_whole_write(&in, out, bytes, pad_bytes)
                                                  : parse_whole_control(&in, out, bytes, pad_bytes);
}

bool frame_icrc_ok(const struct frame *frame, const uint8_t *bytes)
{
    const uint8_t *stored = bytes + frame->length - FRAME_ICRC_BYTES;
    uint32_t icrc;

    if (frame_is_trimmed(frame))
        return true;
    icrc = (uint32_t)stored[0] | (uint32_t)stored[1] << 8 | (uint32_t)stored[2] << 16 |
           (uint32_t)stored[3] << 24;
    return icrc == icrc_compute(
                       bytes + frame->inner_offset, (size_t)(stored - bytes) - frame->inner_offset);
}
