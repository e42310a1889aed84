/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: what the path of an EV towards one destination looks like on the wire, by arithmetic
 * (docs/fabric.md §5) or, where no arithmetic tells, by a list of addresses. */
#pragma once

#include <stdint.h>

#include "path/planes.h"
#include "wire/ev.h"
#include "wire/ip_address.h"

#define TEMPLATE_FIELD_COUNT_MAX 16 /* of plane and uplink; constants do not count */

enum template_source {
    TEMPLATE_PLANE,
    TEMPLATE_UPLINK,
    TEMPLATE_CONSTANT,
    TEMPLATE_SOURCE_COUNT,
};

/* Places a number into the bit string that a format expands to. Bit 0 is the most significant one
 * of the first octet. Fields may lie on top of each other: they are OR-ed. */
struct template_field {
    uint16_t bit_offset;
    uint8_t width;     /* 1 to 32; the field ends inside ev_format_bits() */
    uint8_t source;    /* enum template_source */
    uint32_t constant; /* of TEMPLATE_CONSTANT; fits the width */
};

/* The outer destinations of all paths, plane by plane: those of plane p are number first[p] to
 * first[p + 1] - 1. */
struct template_list {
    const struct ipv6_addr *destinations;
    uint16_t first[PATH_PLANE_COUNT_MAX + 1];
};

/* The expanded form: of EV_FORMAT_SRV6 the outer destination; of EV_FORMAT_SRV6_SRH that and the
 * segment of the SRH; of EV_FORMAT_STRUCTURED the 32 bits of the EV. EV_FORMAT_UDP has none: the EV
 * is its own source port. */
struct path_template {
    const struct template_list *list; /* NULL: by arithmetic */
    uint64_t constants[4]; /* first bit of the string: most significant of constants[0] */
    struct template_field fields[TEMPLATE_FIELD_COUNT_MAX];
    uint8_t field_count;
    uint8_t format; /* enum ev_format */
};

void template_init(struct path_template *, enum ev_format, const struct template_field *fields,
    uint32_t field_count);

/* SRv6, by a list, which must outlive the template. */
void template_init_list(struct path_template *, const struct template_list *);

struct template_addresses {
    struct ipv6_addr destination;
    struct ipv6_addr segment; /* of the SRH */
};

/* How many addresses the format has, and these: 0 (UDP, structured), 1 (SRv6) or 2 (with SRH).
 * Plane and uplink must fit their fields. By a list the uplink is the number of a path, modulo how
 * many the plane has; 0 also where it has none. */
uint32_t template_expand(
    const struct path_template *, struct ev_path, struct template_addresses *out);

/* The structured EV of a path: what a profile lists and packets carry. */
uint32_t template_structured_ev(const struct path_template *, struct ev_path);
