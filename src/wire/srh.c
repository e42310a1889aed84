/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and builds segment routing headers. */
#include "wire/srh.h"

enum {
    EXTENSION_UNITS = (SRH_BYTES - 8) / 8,
    ROUTING_TYPE = 4,
};

enum drop_reason srh_parse(struct bytes_in *in, struct srh *srh)
{
    const uint8_t *fixed = bytes_take(in, 8);

    if (!fixed)
        return DROP_TRUNCATED;
    /* One segment and no TLV: hdr ext len 2, last entry 0. */
    if (fixed[1] != EXTENSION_UNITS || fixed[2] != ROUTING_TYPE || fixed[3] > 1 || fixed[4] != 0)
        return DROP_SRH;
    srh->next_header = fixed[0];
    srh->segments_left = fixed[3];
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
