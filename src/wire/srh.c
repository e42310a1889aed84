/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and builds segment routing headers. */
#include "wire/srh.h"

#include <string.h>

enum {
    FIXED_BYTES = 8,
    SEGMENTS_LEFT_AT = 3,
    EXTENSION_UNITS = (SRH_BYTES - FIXED_BYTES) / 8,
    ROUTING_TYPE = 4,
};

enum drop_reason srh_parse(struct bytes_in *in, struct srh *srh)
{
    const uint8_t *fixed = bytes_take(in, FIXED_BYTES);

    if (!fixed)
        return DROP_TRUNCATED;
    /* One segment and no TLV: hdr ext len 2, last entry 0. */
    if (fixed[1] != EXTENSION_UNITS || fixed[2] != ROUTING_TYPE || fixed[SEGMENTS_LEFT_AT] > 1 ||
        fixed[4] != 0)
        return DROP_SRH;
    srh->next_header = fixed[0];
    srh->segments_left = fixed[SEGMENTS_LEFT_AT];
    srh->flags = fixed[5];
    srh->tag = (uint16_t)(fixed[6] << 8 | fixed[7]);
    bytes_read(in, &srh->segment, sizeof(srh->segment));
    return in->ok ? DROP_NONE : DROP_TRUNCATED;
}

void srh_build(struct bytes_out *out, const struct srh *srh)
{
    bytes_write_be(out, 4,
        (uint32_t)srh->next_header << 24 | EXTENSION_UNITS << 16 | ROUTING_TYPE << 8 |
            srh->segments_left);
    bytes_write_be(out, 4, (uint32_t)srh->flags << 16 | srh->tag);
    bytes_write(out, &srh->segment, sizeof(srh->segment));
}

/* The list is in reverse order: the last segment of the path is first. TLVs may follow it. */
enum drop_reason srh_next(const uint8_t *bytes, size_t length, struct ipv6_addr *segment)
{
    size_t listed;
    size_t left;
    size_t at;

    if (length < FIXED_BYTES)
        return DROP_TRUNCATED;
    listed = bytes[1] / 2u; /* each takes two units of eight bytes */
    left = bytes[SEGMENTS_LEFT_AT];
    if (bytes[2] != ROUTING_TYPE || bytes[4] >= listed || left > bytes[4] + 1u)
        return DROP_SRH;
    if (left == 0)
        return DROP_END_OF_CARRIER;
    at = FIXED_BYTES + (left - 1) * sizeof(*segment);
    if (at + sizeof(*segment) > length)
        return DROP_TRUNCATED;
    memcpy(segment->octets, bytes + at, sizeof(*segment));
    return DROP_NONE;
}

void srh_advance(uint8_t *bytes)
{
    bytes[SEGMENTS_LEFT_AT]--;
}
