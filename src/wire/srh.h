/* SPDX-License-Identifier: Apache-2.0 */
/* Segment routing header with one segment, 24 bytes (RFC 8754; docs/wire.md §13). */
#pragma once

#include <stdint.h>

#include "base/bytes.h"
#include "wire/drop.h"
#include "wire/ip_address.h"

#define SRH_BYTES 24

struct srh {
    struct ipv6_addr segment; /* a uSID carrier, as in an outer destination */
    uint16_t tag;
    uint8_t next_header;
    uint8_t segments_left; /* 1: the segment continues the path; 0: it is a copy of the path */
    uint8_t flags;
};

enum drop_reason srh_parse(struct bytes_in *, struct srh *);
void srh_build(struct bytes_out *, const struct srh *);
