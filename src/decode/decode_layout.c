/* SPDX-License-Identifier: Apache-2.0 */
/* Finds one header after the other. */
#include "decode/decode_layout.h"

#include <stddef.h>

#include "wire/ip.h"
#include "wire/srh.h"

enum {
    V6_NEXT_OFFSET = 6,
    V4_NEXT_OFFSET = 9,
};

/* clang-format off */
static const struct {
    const char *name;
    uint32_t length;
} headers[DECODE_HEADER_COUNT] = {
    [DECODE_OUTER_IP] = { "outer IPv6", 0 }, /* the first three contain their length */
    [DECODE_SRH]      = { "SRH", 0 },
    [DECODE_IP]       = { "IP", 0 },
    [DECODE_UDP]      = { "UDP", 8 },
    [DECODE_BTH]      = { "BTH", 12 },
    [DECODE_ROCE_BTH] = { "BTH", 12 },
    [DECODE_METH]     = { "METH", 4 },
    [DECODE_TSETH]    = { "TSETH", 4 },
    [DECODE_RETH]     = { "RETH", 16 },
    [DECODE_IMMDT]    = { "ImmDt", 4 },
    [DECODE_AETH]     = { "AETH", 4 },
    [DECODE_SETH]     = { "SETH", 28 },
    [DECODE_CC_STATE] = { "CC_STATE", 8 },
    [DECODE_NETH]     = { "NETH", 20 },
    [DECODE_PETH]     = { "PETH", 16 },
    [DECODE_ERTH]     = { "ERTH", 16 },
    [DECODE_EETH]     = { "EETH", 36 },
    [DECODE_CNP]      = { "CNP", 16 },
};
/* clang-format on */

const char *decode_layout_name(enum decode_header header)
{
    return headers[header].name;
}

uint32_t decode_layout_end(const struct decode_layout *layout)
{
    const struct decode_layout_part *last;

    if (layout->part_count == 0)
        return 0;
    last = &layout->parts[layout->part_count - 1];
    return last->offset + last->length;
}

/* Returns true if the header is complete, so that another may follow. */
static bool add_header(struct decode_layout *layout, enum decode_header header, uint32_t length)
{
    uint32_t offset = decode_layout_end(layout);

    if (offset > layout->end || layout->part_count == DECODE_LAYOUT_HEADERS_MAX)
        return false;
    layout->parts[layout->part_count++] =
        (struct decode_layout_part){ .header = header, .offset = offset, .length = length };
    return offset + length <= layout->end;
}

static uint32_t be16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

uint32_t decode_layout_announced(const uint8_t *bytes, uint32_t length)
{
    if (length >= IP_V6_BYTES && bytes[0] >> 4 == 6)
        return IP_V6_BYTES + be16(bytes + 4);
    if (length >= IP_V4_BYTES && bytes[0] >> 4 == 4)
        return be16(bytes + 2);
    return 0;
}

/* Only Ethernet padding follows the outermost IP packet. */
static uint32_t end_of_ip(const uint8_t *bytes, uint32_t length)
{
    uint32_t announced = decode_layout_announced(bytes, length);

    return announced > 0 && announced < length ? announced : length;
}

static bool is_tunnel(uint8_t next_header)
{
    return next_header == IP_NEXT_IPV6 || next_header == IP_NEXT_IPV4 ||
           next_header == IP_NEXT_ROUTING;
}

/* Options make an IPv4 header longer. Anything that is not an IP header counts as the shortest. */
static uint32_t ip_header_bytes(uint8_t first)
{
    if (first >> 4 == 6)
        return IP_V6_BYTES;
    return first >> 4 == 4 && (first & 15) > 5 ? (first & 15u) * 4 : IP_V4_BYTES;
}

/* Adds the IP header at `offset`, and writes its next header to `next`. */
static bool add_ip(
    struct decode_layout *layout, const uint8_t *bytes, uint32_t offset, uint8_t *next)
{
    uint8_t first = offset < layout->end ? bytes[offset] : 0;
    bool is_v6 = first >> 4 == 6;
    bool is_outer = layout->part_count == 0;
    uint32_t length = ip_header_bytes(first);

    if (offset + length > layout->end) {
        add_header(layout, DECODE_IP, length);
        return false;
    }
    *next = bytes[offset + (is_v6 ? V6_NEXT_OFFSET : V4_NEXT_OFFSET)];
    return add_header(
        layout, is_outer && is_v6 && is_tunnel(*next) ? DECODE_OUTER_IP : DECODE_IP, length);
}

/* Adds the headers after the outer IP header, up to the inner one. */
static bool add_inner(struct decode_layout *layout, const uint8_t *bytes, uint8_t *next)
{
    if (*next == IP_NEXT_ROUTING) {
        const uint8_t *srh = bytes + decode_layout_end(layout);
        bool has_length = decode_layout_end(layout) + 2 <= layout->end;

        if (!add_header(layout, DECODE_SRH, has_length ? 8 + srh[1] * 8u : SRH_BYTES))
            return false;
        *next = srh[0];
    }
    if (*next != IP_NEXT_IPV6 && *next != IP_NEXT_IPV4)
        return false;
    return add_ip(layout, bytes, decode_layout_end(layout), next);
}

void decode_layout_begin(struct decode_layout *layout, const uint8_t *bytes, uint32_t length)
{
    uint8_t next = 0;

    *layout = (struct decode_layout){ .end = end_of_ip(bytes, length) };
    if (!add_ip(layout, bytes, 0, &next))
        return;
    if (layout->parts[0].header == DECODE_OUTER_IP && !add_inner(layout, bytes, &next))
        return;
    if (next == IP_NEXT_UDP && add_header(layout, DECODE_UDP, headers[DECODE_UDP].length)) {
        uint32_t bth = decode_layout_end(layout);
        bool is_mrc = bth >= layout->end || opcode_is_mrc(bytes[bth]);
        enum decode_header header = is_mrc ? DECODE_BTH : DECODE_ROCE_BTH;

        add_header(layout, header, headers[header].length);
    }
}

static uint32_t write_headers(const struct packet *packet, enum decode_header *list)
{
    bool is_mrc = opcode_is_mrc(packet->opcode);
    bool is_trimmed = dscp_is_trimmed((enum dscp_class)packet->class);
    uint32_t count = 0;

    if (is_mrc)
        list[count++] = DECODE_METH;
    if (packet->flags & PACKET_STAMPED)
        list[count++] = DECODE_TSETH;
    if (!is_trimmed && opcode_has_reth(packet->opcode))
        list[count++] = DECODE_RETH;
    if (!is_trimmed && opcode_has_immediate(packet->opcode))
        list[count++] = DECODE_IMMDT;
    return count;
}

static uint32_t extension_headers(const struct packet *packet, enum decode_header list[4])
{
    switch (packet->opcode) {
    case OPCODE_ACK:
    case OPCODE_ROCE_ACK:
        list[0] = DECODE_AETH;
        return 1;
    case OPCODE_SACK:
        list[0] = DECODE_SETH;
        list[1] = DECODE_CC_STATE;
        return 2;
    case OPCODE_NACK:
        list[0] = DECODE_NETH;
        return 1;
    case OPCODE_PROBE:
        list[0] = DECODE_PETH;
        return 1;
    case OPCODE_ENDPOINT_REQUEST:
        list[0] = DECODE_ERTH;
        return 1;
    case OPCODE_ENDPOINT_RESPONSE:
        list[0] = DECODE_EETH;
        return 1;
    case OPCODE_ROCE_CNP:
        list[0] = DECODE_CNP;
        return 1;
    default:
        return opcode_has_payload(packet->opcode) ? write_headers(packet, list) : 0;
    }
}

void decode_layout_extend(struct decode_layout *layout, const struct packet *packet)
{
    enum decode_header list[4];
    uint32_t count = extension_headers(packet, list);

    for (uint32_t i = 0; i < count && add_header(layout, list[i], headers[list[i]].length); i++)
        ;
}

uint32_t decode_layout_find(const struct decode_layout *layout, enum decode_header header)
{
    uint32_t i = 0;

    while (i < layout->part_count && layout->parts[i].header != header)
        i++;
    return i;
}

uint32_t decode_layout_beyond(const struct decode_layout *layout, uint32_t limit)
{
    uint32_t i = 0;

    while (i < layout->part_count && layout->parts[i].offset + layout->parts[i].length <= limit)
        i++;
    return i;
}
