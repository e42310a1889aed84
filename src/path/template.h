/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: convert an EV toward one destination to addresses on the wire, by arithmetic
 * (docs/fabric.md §5) or, for irregular fabrics, from a list of addresses. */
#pragma once

#include <stdint.h>

#include "path/planes.h"
#include "wire/ev.h"
#include "wire/ip_address.h"

#define TEMPLATE_FIELD_COUNT_MAX 16 /* fields of plane and uplink; constants do not count */

enum template_source {
    TEMPLATE_PLANE,
    TEMPLATE_UPLINK,
    TEMPLATE_CONSTANT,
    TEMPLATE_SOURCE_COUNT,
};

/* A field of the bit string to which a format expands. Bit 0 is the most significant bit of the
 * first octet. Fields may overlap: they are OR-ed. */
struct template_field {
    uint16_t bit_offset;
    uint8_t width;     /* 1 to 32; the field ends inside ev_format_bits() */
    uint8_t source;    /* enum template_source */
    uint32_t constant; /* the value, or what is added to it; fits the width */
};

/* The outer destinations of all paths, plane by plane: plane p has the entries first[p] to first[p
 * + 1] - 1. */
struct template_list {
    const struct ipv6_addr *destinations;
    const struct ipv6_addr *segments; /* of their SRHs, all zeros: none; NULL: no path has an SRH */
    uint16_t first[PATH_PLANE_COUNT_MAX + 1];
};

/* A template. Its expanded form is the outer destination for EV_FORMAT_SRV6; that and the segment
 * of the SRH for EV_FORMAT_SRV6_SRH. EV_FORMAT_UDP and EV_FORMAT_STRUCTURED have none: packets
 * carry the EV itself. */
struct path_template {
    const struct template_list *list; /* NULL: use arithmetic */
    uint64_t constants[4]; /* the first bit of the string is the most significant of constants[0] */
    struct template_field fields[TEMPLATE_FIELD_COUNT_MAX];
    uint8_t field_count;
    uint8_t format; /* enum ev_format */
};

void template_init(struct path_template *, enum ev_format, const struct template_field *fields,
    uint32_t field_count);

/* Initialises an SRv6 template from a list, which must outlive the template. */
void template_init_list(struct path_template *, const struct template_list *);

struct template_addresses {
    struct ipv6_addr destination;
    struct ipv6_addr segment; /* of the SRH */
};

/* Fills in the addresses of a path and returns their number: 0 (UDP, structured), 1 (SRv6) or 2
 * (with SRH). Plane and uplink must fit their fields. With a list, the uplink is the index of a
 * path, modulo the number of paths of the plane; 0 if the plane has none. */
uint32_t template_expand(
    const struct path_template *, struct ev_path, struct template_addresses *out);
