/* SPDX-License-Identifier: Apache-2.0 */
/* The Ethernet header that ports on interfaces put in front of frames and take off again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "pktio/pktio_port.h"

enum { LINK_HEADER_BYTES = 14 };

struct link_header {
    uint8_t bytes[2][LINK_HEADER_BYTES]; /* of IPv6, of IPv4 */
    bool learns;                         /* the other end's MAC, from what it sends */
};

/* `peer`: a MAC address; NULL or "": learned, until then everybody's. False: it is none. */
bool link_header_init(struct link_header *, const uint8_t *own_mac, const char *peer);

/* The one for a frame that begins with this IP header. */
static inline const uint8_t *link_header_of(const struct link_header *header, const uint8_t *ip)
{
    return header->bytes[*ip >> 4 == 4];
}

/* Takes the headers off frames received. */
void link_header_strip(struct link_header *, struct pktio_received *, uint32_t count);
