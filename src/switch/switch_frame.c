/* SPDX-License-Identifier: Apache-2.0 */
/* Forwards, marks and trims bytes (docs/fabric.md §4, §10). */
#include "switch/switch_frame.h"

#include <assert.h>

#include "wire/bth.h"
#include "wire/ethernet.h"
#include "wire/ip.h"
#include "wire/ip_nest.h"
#include "wire/srh.h"
#include "wire/trim.h"

enum {
    PAYLOAD_LENGTH_AT = 4,
    NEXT_HEADER_AT = 6,
    HOP_LIMIT_AT = 7,
    SOURCE_AT = 8,
    DESTINATION_AT = 24,
    CE_BITS = ECN_CE << 4, /* in the second byte */
    UDP_BYTES = 8,
    DEST_QPN_AT = 4, /* in a BTH, after a reserved byte */
};

static size_t ip_bytes(const struct switch_frame *frame)
{
    return frame->length - (size_t)(frame->ip - frame->bytes);
}

/* Counts from the IPv6 header on. */
static size_t present_bytes(const struct switch_frame *frame)
{
    size_t present = frame->present < frame->length ? frame->present : frame->length;

    return present - (size_t)(frame->ip - frame->bytes);
}

/* Returns the length of the headers that must survive trimming, or 0 if they are not all present.
 */
static size_t bytes_min(const struct switch_frame *frame)
{
    return trim_bytes_min(frame->ip, present_bytes(frame));
}

static enum drop_reason skip_link_header(struct bytes_in *in, enum switch_link link)
{
    struct ethernet_header ethernet;
    enum drop_reason reason;

    if (link == SWITCH_BARE_IP)
        return DROP_NONE;
    reason = ethernet_parse(in, &ethernet);
    if (reason != DROP_NONE)
        return reason;
    return ethernet.type == ETHERNET_TYPE_IPV6 ? DROP_NONE : DROP_IP_VERSION;
}

enum drop_reason switch_frame_open(
    struct switch_frame *frame, enum switch_link link, uint8_t *bytes, size_t length)
{
    struct bytes_in in = bytes_in(bytes, length);
    enum drop_reason reason = skip_link_header(&in, link);
    size_t ip_length;

    *frame = (struct switch_frame){ .bytes = bytes, .length = length, .present = length };
    if (reason != DROP_NONE)
        return reason;
    if (bytes_left(&in) < IP_V6_BYTES)
        return DROP_TRUNCATED;
    frame->ip = bytes + (in.at - bytes);
    if (frame->ip[0] >> 4 != 6)
        return DROP_IP_VERSION;
    ip_length = IP_V6_BYTES + (size_t)bytes_get_be16(frame->ip + PAYLOAD_LENGTH_AT);
    if (ip_length > UINT16_MAX)
        return DROP_IP_LENGTH;
    if (ip_length > bytes_left(&in))
        return DROP_TRUNCATED;
    frame->length = (size_t)(in.at - bytes) + ip_length;
    return DROP_NONE;
}

struct port_entry switch_frame_entry(
    const struct switch_frame *frame, const struct wire_format *format, uint32_t handle)
{
    uint8_t traffic_class = (uint8_t)(frame->ip[0] << 4 | frame->ip[1] >> 4);
    enum dscp_class class = format_dscp_class(format, traffic_class >> 2);
    bool is_trimmable = class == DSCP_TRIMMABLE || class == DSCP_TRIMMABLE_RETX;

    if (is_trimmable && bytes_min(frame) == 0)
        class = DSCP_OTHER;
    return (struct port_entry){ .handle = handle,
        .length_bytes = (uint16_t)ip_bytes(frame),
        .class = (uint8_t) class,
        .ecn = traffic_class & 3 };
}

bool switch_frame_is_from(const struct switch_frame *frame, const struct ipv6_addr *host)
{
    struct ip_nest nest;

    if (!ip_nest_walk(frame->ip, present_bytes(frame), &nest))
        return false;
    return !nest.is_v4 &&
           memcmp(frame->ip + nest.innermost + SOURCE_AT, host->octets, sizeof(host->octets)) == 0;
}

uint32_t switch_frame_dest_qpn(const struct switch_frame *frame)
{
    struct ip_nest nest;

    if (!ip_nest_walk(frame->ip, present_bytes(frame), &nest) ||
        nest.end + UDP_BYTES + BTH_BYTES > present_bytes(frame))
        return 0;
    return bytes_get_be32(frame->ip + nest.end + UDP_BYTES + DEST_QPN_AT) & 0xffffff;
}

/* The carrier ends here: acts as End and continues with the next segment (docs/fabric.md §4). */
static struct switch_way take_segment(struct switch_frame *frame, const struct switch_table *table)
{
    struct switch_way way = { .reason = DROP_END_OF_CARRIER };
    uint8_t *srh = frame->ip + IP_V6_BYTES;
    struct ipv6_addr segment;

    if (frame->ip[NEXT_HEADER_AT] != IP_NEXT_ROUTING)
        return way;
    way.reason = srh_next(srh, present_bytes(frame) - IP_V6_BYTES, &segment);
    if (way.reason == DROP_NONE && srh_announced_bytes(srh) > ip_bytes(frame) - IP_V6_BYTES)
        way.reason = DROP_SRH;
    if (way.reason == DROP_NONE)
        way = switch_table_forward(table, &segment);
    if (way.reason != DROP_NONE)
        return way;
    srh_advance(srh);
    memcpy(frame->ip + DESTINATION_AT, segment.octets, sizeof(segment.octets));
    frame->ip[HOP_LIMIT_AT]--;
    return way;
}

struct switch_way switch_frame_forward(struct switch_frame *frame, const struct switch_table *table)
{
    struct ipv6_addr destination;
    struct switch_way way;

    if (frame->ip[HOP_LIMIT_AT] <= 1)
        return (struct switch_way){ .reason = DROP_HOP_LIMIT };
    memcpy(destination.octets, frame->ip + DESTINATION_AT, sizeof(destination.octets));
    way = switch_table_way(table, &destination);
    if (__builtin_expect(way.reason == DROP_END_OF_CARRIER, false))
        return take_segment(frame, table);
    if (way.reason != DROP_NONE)
        return way;
    /* Shift in place: a load of bytes that were just stored in parts is slow. */
    if (switch_table_is_own(table, &destination))
        usid_shift(frame->ip + DESTINATION_AT);
    frame->ip[HOP_LIMIT_AT]--;
    return way;
}

void switch_frame_mark(struct switch_frame *frame)
{
    frame->ip[1] |= CE_BITS;
}

bool switch_frame_trim(
    struct switch_frame *frame, const struct wire_format *format, struct port_entry cut)
{
    size_t keep_bytes = bytes_min(frame);
    size_t kept_bytes;

    assert(dscp_is_trimmed((enum dscp_class)cut.class));
    if (keep_bytes == 0)
        return false;
    if (keep_bytes < cut.length_bytes)
        keep_bytes = cut.length_bytes;
    kept_bytes = trim_frame(frame->ip, ip_bytes(frame), keep_bytes, format->dscp[cut.class]);
    if (kept_bytes == 0)
        return false;
    frame->length = (size_t)(frame->ip - frame->bytes) + kept_bytes;
    return true;
}
