/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet II header, 14 bytes, and the VLAN tags that may follow it. */
#pragma once

#include <stdint.h>

#include "base/bytes.h"
#include "wire/drop.h"

enum {
    ETHERNET_BYTES = 14,
    ETHERNET_TYPE_IPV4 = 0x0800,
    ETHERNET_TYPE_IPV6 = 0x86dd,
    ETHERNET_TYPE_VLAN = 0x8100,
    ETHERNET_TYPE_PROVIDER_VLAN = 0x88a8,
};

struct ethernet_header {
    uint8_t dst[6];
    uint8_t src[6];
    uint16_t type; /* of the payload, after any VLAN tags */
};

/* Reads the header and any VLAN tags. Returns DROP_TRUNCATED or DROP_NONE. */
enum drop_reason ethernet_parse(struct bytes_in *, struct ethernet_header *);

/* Skips the VLAN tags that `type` announces and returns the type after them. */
uint16_t ethernet_skip_tags(struct bytes_in *, uint16_t type);
