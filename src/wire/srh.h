/* SPDX-License-Identifier: Apache-2.0 */
/* Segment routing header with one segment, 24 bytes (RFC 8754; docs/wire.md §13). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "wire/drop.h"
#include "wire/ip_address.h"

#define SRH_BYTES 24

struct srh {
    struct ipv6_addr segment; /* a uSID carrier, as in an outer destination */
    uint16_t tag;
    uint8_t next_header;
    uint8_t
        segments_left; /* 1: the path continues in the segment; 0: it does not, or already has */
    uint8_t flags;
};

enum drop_reason srh_parse(struct bytes_in *, struct srh *);
void srh_build(struct bytes_out *, const struct srh *);

/* Returns the length that the first two bytes of an SRH of any number of segments announce. */
static inline size_t srh_announced_bytes(const uint8_t *bytes)
{
    return 8 + (size_t)bytes[1] * 8;
}

/* For a switch whose uSID ends a carrier (End, RFC 8754 §4.3.1.1). The bytes begin with an SRH of
 * any number of segments. Writes the next segment; DROP_END_OF_CARRIER if none is left. */
enum drop_reason srh_next(const uint8_t *bytes, size_t length, struct ipv6_addr *segment);
/* Notes that this segment has become the destination. */
void srh_advance(uint8_t *bytes);
