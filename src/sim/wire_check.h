/* SPDX-License-Identifier: Apache-2.0 */
/* Converts packets to bytes on every hop: the frame is built, the byte form of the switch processes
 * it, the receiver parses it. Any difference from the packet struct stops the run. */
#pragma once

#include "sim/shard.h"

/* Called when a packet leaves by `port`. */
void wire_check_hop(struct shard *, uint32_t port, const struct port_transmission *);

/* Replaces the packet by what the destination parses. */
void wire_check_arrival(struct shard *, struct port_entry, struct packet *);
