/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of a switch on the bytes of a frame, in place: forward, mark, trim. The frame is
 * an IPv6 packet with or without an Ethernet header. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "switch/port.h"
#include "switch/switch_table.h"
#include "wire/format.h"

enum switch_link {
    SWITCH_ETHERNET,
    SWITCH_BARE_IP,
};

struct switch_frame {
    uint8_t *bytes;
    size_t length;  /* of the frame, also after trimming */
    size_t present; /* bytes that may be read: all, or the first ones */
    uint8_t *ip;    /* the outermost IPv6 header */
};

/* Uses the bytes while the frame is in use. Returns DROP_NONE for a complete IPv6 packet. Removes
 * Ethernet padding. */
enum drop_reason switch_frame_open(
    struct switch_frame *, enum switch_link, uint8_t *bytes, size_t length);

/* Returns the entry that a port queues; its length counts from the IPv6 header on. A frame whose
 * DSCP permits trimming but whose headers are not all present is DSCP_OTHER. */
struct port_entry switch_frame_entry(
    const struct switch_frame *, const struct wire_format *, uint32_t handle);

/* Returns whether the innermost IP header is IPv6, is present, and has this source. */
bool switch_frame_is_from(const struct switch_frame *, const struct ipv6_addr *host);

/* Returns the number of the destination QP, or 0 if the BTH is not present. */
uint32_t switch_frame_dest_qpn(const struct switch_frame *);

/* Does switch_table_forward() on the bytes and decrements the hop limit. If the uSIDs end at this
 * switch and an SRH has a segment left, the segment becomes the destination. A dropped frame is
 * unchanged. */
struct switch_way switch_frame_forward(struct switch_frame *, const struct switch_table *);

/* Sets CE in the outermost header. */
void switch_frame_mark(struct switch_frame *);

/* Trims as the `cut` of a port_outcome specifies, but never below the headers that must survive.
 * Returns false if these bytes cannot be trimmed; they are then unchanged. */
bool switch_frame_trim(struct switch_frame *, const struct wire_format *, struct port_entry cut);
