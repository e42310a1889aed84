/* SPDX-License-Identifier: Apache-2.0 */
/* SRHs of simulated packets. A packet does not carry the segment itself: its record tells whether
 * one is left, and its path tells which. */
#pragma once

#include "sim/shard.h"

/* True if some paths need an SRH, and switches forward by uSIDs. */
bool srv6_is_used(const struct sim *);

/* Returns the segment of a packet; NULL: it has no SRH. */
const struct ipv6_addr *srv6_segment(const struct shard *, const struct packets_record *);

/* Adds the SRH of a packet that a NIC sends, if its path needs one. */
void srv6_enter(struct shard *, struct port_entry *);

/* Continues the path of a packet whose uSIDs end at a switch, as switch_frame_forward() does. */
struct switch_way srv6_take_segment(const struct shard *, const struct switch_table *,
    struct packets_record *, struct ipv6_addr *outer);
