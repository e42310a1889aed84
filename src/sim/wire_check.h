/* SPDX-License-Identifier: Apache-2.0 */
/* Every hop through bytes: the frame of a packet is built, the switch's byte form works on it, the
 * receiver reads it. Whatever differs from what the packet alone says stops the run. */
#pragma once

#include "sim/sim_engine.h"

/* A packet leaves by `port`. */
void wire_check_hop(struct sim *, uint32_t port, const struct port_transmission *);

/* What the destination makes of it, in place of what it was. */
void wire_check_arrival(struct sim *, struct port_entry, struct packet *);
