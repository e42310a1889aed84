/* SPDX-License-Identifier: Apache-2.0 */
/* The Ethernet header that ports on interfaces prepend to frames and remove from them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "pktio/pktio_port.h"

enum { LINK_HEADER_BYTES = 14 };

struct link_header {
    uint8_t bytes[2][LINK_HEADER_BYTES]; /* for IPv6, for IPv4 */
    bool learns;                         /* learns the peer's MAC from the frames it sends */
};

/* `peer` is a MAC address. If it is NULL or "", the address is learned; until then frames are
 * broadcast. Returns false if `peer` is not a MAC address. */
bool link_header_init(struct link_header *, const uint8_t *own_mac, const char *peer);

/* Returns the Ethernet header for a frame that begins with this IP header. */
static inline const uint8_t *link_header_of(const struct link_header *header, const uint8_t *ip)
{
    return header->bytes[*ip >> 4 == 4];
}

/* Removes the Ethernet headers of received frames. */
void link_header_strip(struct link_header *, struct pktio_received *, uint32_t count);
