/* SPDX-License-Identifier: Apache-2.0 */
/* What a switch does to the bytes of a frame, all of it in place: forward, mark, trim. The frame is
 * an IPv6 packet, bare or behind an Ethernet header. */
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
    size_t length;  /* all of it: shorter once trimmed */
    size_t present; /* bytes that may be read: all, or the first ones */
    uint8_t *ip;    /* the outermost IPv6 header */
};

/* Lends the bytes for as long as the frame is looked at. DROP_NONE: an IPv6 packet that is all
 * there. Ethernet padding is cut off. */
enum drop_reason switch_frame_open(
    struct switch_frame *, enum switch_link, uint8_t *bytes, size_t length);

/* What a port queues of it; the length is from the IPv6 header on. A frame that says it may be
 * trimmed but does not have the headers for it, among the bytes that are present, is DSCP_OTHER. */
struct port_entry switch_frame_entry(
    const struct switch_frame *, const struct wire_format *, uint32_t handle);

/* The innermost IP header is IPv6, is present, and has this source. */
bool switch_frame_is_from(const struct switch_frame *, const struct ipv6_addr *host);

/* The number of the QP that it is for; 0: its BTH is not present. */
uint32_t switch_frame_dest_qpn(const struct switch_frame *);

/* switch_table_forward() on the bytes, and one hop less. A dropped frame stays as it is. */
struct switch_way switch_frame_forward(struct switch_frame *, const struct switch_table *);

/* CE in the outermost header. */
void switch_frame_mark(struct switch_frame *);

/* As `cut` of a port_outcome says; but never shorter than what must survive. False: these bytes
 * cannot be trimmed, and stay as they are. */
bool switch_frame_trim(struct switch_frame *, const struct wire_format *, struct port_entry cut);
