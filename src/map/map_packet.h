/* SPDX-License-Identifier: Apache-2.0 */
/* A probe as a packet: an Endpoint Request of the control class with an operation of its own, so
 * that captures and switches see nothing new. It is addressed to the NIC where it arrives. */
#pragma once

#include <stdbool.h>

#include "map/map_schedule.h"
#include "wire/packet.h"

/* The request ID holds port and slot, the mask of ports the lower half of the period. */
enum {
    MAP_PACKET_SLOT_BITS = 6,
    MAP_PACKET_PORT_BITS = 4,
};

/* Writes the packet, except its addresses. */
void map_packet_write(const struct map_slot *, struct packet *);

/* Returns true if the packet is a probe. `slot`: set, except for the NIC, which its source tells;
 * `now` is a period near that of the probe. */
bool map_packet_read(const struct packet *, uint64_t now, struct map_slot *slot);
