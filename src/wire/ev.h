/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy values: 32 bits that identify one path on one plane, and their encoding in headers. */
#pragma once

#include <stdint.h>

#include "wire/format.h"

/* How switches derive a path from an EV. This determines the width of the expanded form. */
enum ev_format {
    EV_FORMAT_UDP,        /* switches hash the UDP source port (ECMP): 16 bits */
    EV_FORMAT_STRUCTURED, /* each hop reads its own sub-field: 32 bits */
    EV_FORMAT_SRV6,       /* an outer IPv6 destination made of uSIDs: 128 bits */
    EV_FORMAT_SRV6_SRH,   /* the same, with a segment routing header: 256 bits */
    EV_FORMAT_COUNT,
};

uint32_t ev_format_bits(enum ev_format);

/* The fields that carry an EV: the low 16 bits of the inner flow label and the UDP source port. */
struct ev_fields {
    uint16_t flow_label;
    uint16_t source_port;
};

static inline struct ev_fields ev_split(const struct wire_format *format, uint32_t ev)
{
    uint16_t high = (uint16_t)(ev >> 16);
    uint16_t low = (uint16_t)ev;

    return format->source_port_high ? (struct ev_fields){ .flow_label = low, .source_port = high }
                                    : (struct ev_fields){ .flow_label = high, .source_port = low };
}

static inline uint32_t ev_join(const struct wire_format *format, struct ev_fields fields)
{
    return format->source_port_high ? (uint32_t)fields.source_port << 16 | fields.flow_label
                                    : (uint32_t)fields.flow_label << 16 | fields.source_port;
}

/* The meaning of a fabric-generated EV; plan/ defines the encoding (docs/fabric.md §5). */
struct ev_path {
    uint32_t plane;
    uint32_t uplink;
};
