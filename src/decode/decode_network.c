/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the network headers: IP, SRH, UDP. */
#include "decode/decode_describe.h"

#include "decode/decode_words.h"
#include "plan/plan.h"
#include "wire/usid.h"

static void describe_address(
    const struct field_visitor *visitor, const char *key, const struct ipv6_addr *address)
{
    decode_describe_field(
        visitor, &(struct field){ .key = key, .form = FIELD_ADDRESS, .address = address });
}

/* Lists uSIDs up to the end of the carrier, the first uSID that is zero. */
static void describe_usids(
    const struct field_visitor *visitor, const char *brief, const struct ipv6_addr *carrier)
{
    struct field_list usids = { .count = 0 };

    while (usids.count < USID_COUNT_MAX) {
        uint32_t usid = usid_get(carrier, usids.count);

        if (usid == 0)
            break;
        usids.items[usids.count++] = usid;
    }
    decode_describe_field(visitor,
        &(struct field){ .key = "usids", .brief = brief, .form = FIELD_USIDS, .list = &usids });
}

static void describe_traffic_class(const struct wire_format *format,
    const struct field_visitor *visitor, const struct ip_header *ip)
{
    decode_describe_field(
        visitor, &(struct field){ .key = "dscp",
                     .number = ip_dscp(ip),
                     .name = decode_words_class(format_dscp_class(format, ip_dscp(ip))) });
    decode_describe_field(
        visitor, &(struct field){
                     .key = "ecn", .number = ip_ecn(ip), .name = decode_words_ecn(ip_ecn(ip)) });
}

void decode_describe_outer(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct ip_header *ip = &packet->frame.outer;

    describe_address(visitor, "src", &ip->src);
    describe_address(visitor, "dst", &ip->dst);
    describe_usids(visitor, "via", &ip->dst);
    describe_traffic_class(packet->format, visitor, ip);
    decode_describe_hex(visitor, "flow_label", NULL, 5, ip->flow_label);
    decode_describe_number(visitor, "payload_length", NULL, ip->payload_bytes);
    decode_describe_number(visitor, "next_header", NULL, ip->next_header);
    decode_describe_number(visitor, "hop_limit", NULL, ip->hop_limit);
}

void decode_describe_srh(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct srh *srh = &packet->frame.srh;

    decode_describe_field(
        visitor, &(struct field){ .key = "segments_left",
                     .number = srh->segments_left,
                     .note = srh->segments_left ? "the path continues in the segment"
                                                : "the segment is in use, or a copy of the path" });
    describe_address(visitor, "segment", &srh->segment);
    describe_usids(visitor, srh->segments_left ? "then" : NULL, &srh->segment);
    decode_describe_hex(visitor, "flags", NULL, 2, srh->flags);
    decode_describe_hex(visitor, "tag", NULL, 4, srh->tag);
    decode_describe_number(visitor, "next_header", NULL, srh->next_header);
}

static void describe_v4_only(
    const struct decode_packet *packet, const struct field_visitor *visitor)
{
    decode_describe_hex(
        visitor, "identification", NULL, 4, decode_packet_bytes(packet, DECODE_IP, 4, 2));
    decode_describe_flag(
        visitor, "dont_fragment", NULL, decode_packet_bytes(packet, DECODE_IP, 6, 2) & 0x4000);
    decode_describe_hex(
        visitor, "checksum", NULL, 4, decode_packet_bytes(packet, DECODE_IP, 10, 2));
}

void decode_describe_ip(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct ip_header *ip = &packet->frame.inner;

    decode_describe_number(visitor, "version", NULL, ip->is_v4 ? 4 : 6);
    describe_address(visitor, "src", &ip->src);
    describe_address(visitor, "dst", &ip->dst);
    describe_traffic_class(packet->format, visitor, ip);
    if (ip->is_v4)
        describe_v4_only(packet, visitor);
    else
        decode_describe_hex(visitor, "flow_label", NULL, 5, ip->flow_label);
    decode_describe_number(visitor, "payload_length", NULL, ip->payload_bytes);
    decode_describe_number(visitor, "next_header", NULL, ip->next_header);
    decode_describe_number(visitor, "hop_limit", NULL, ip->hop_limit);
}

/* Describes what several headers give together: the EV, and how switches classified and marked the
 * packet. */
static void describe_path(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    static const struct field_group group = { "path", "path", FIELD_WAY };
    const struct packet *decoded = &packet->frame.packet;
    struct ev_path path = plan_ev_of(packet->format, decoded->ev);
    bool is_marked = decoded->ecn == ECN_CE;
    enum dscp_class class = (enum dscp_class)decoded->class;

    visitor->on_group(visitor->context, &group);
    decode_describe_hex(visitor, "ev", NULL, 8, decoded->ev);
    if (decode_words_ev_is_path(packet->format, decoded->ev)) {
        decode_describe_number(visitor, "plane", NULL, path.plane);
        decode_describe_number(visitor, "uplink", NULL, path.uplink);
    }
    decode_describe_field(
        visitor, &(struct field){ .key = "encapsulation",
                     .form = FIELD_TEXT,
                     .text = decode_words_encapsulation(packet->frame.encapsulation) });
    decode_describe_field(visitor, &(struct field){ .key = "class",
                                       .brief = dscp_is_trimmed(class) ? "" : NULL,
                                       .form = FIELD_TEXT,
                                       .text = decode_words_class(class) });
    decode_describe_field(visitor, &(struct field){ .key = "ecn",
                                       .brief = is_marked ? "" : NULL,
                                       .number = decoded->ecn,
                                       .name = decode_words_ecn(decoded->ecn) });
}

void decode_describe_udp(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    decode_describe_hex(visitor, "source_port", NULL, 4, packet->frame.source_port);
    decode_describe_number(visitor, "dest_port", NULL, packet->frame.dest_port);
    decode_describe_number(visitor, "length", NULL, decode_packet_bytes(packet, DECODE_UDP, 4, 2));
    decode_describe_hex(
        visitor, "checksum", NULL, 4, decode_packet_bytes(packet, DECODE_UDP, 6, 2));
    if (decode_packet_has_ev(packet))
        describe_path(packet, visitor);
}
