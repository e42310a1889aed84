/* SPDX-License-Identifier: Apache-2.0 */
/* Planes carry equal shares (docs/protocol.md §14.2).
 *
 * With plane_share=equal, first transmissions of a QP take planes in turn as long as every plane is
 * usable, has room and a GOOD EV. When ports are full, packets go where there is room, and no QP is
 * owed an equal share.
 *
 * With plane_share=delivered, shares follow delays, which are alike where planes are: without any
 * fault, what all QPs together delivered over each plane is equal within 0.5 % and chance. */
#pragma once

#include "sim/sim_engine.h"

struct plane_check {                       /* of a flow */
    uint32_t in_turn[TOPOLOGY_PLANES_MAX]; /* packets, since a plane could not be taken */
};

struct plane_check *plane_check_init(struct arena *);

/* A packet leaves that was chosen when `ready_ports` had room. */
void plane_check_send(
    struct sim *, uint32_t nic, uint32_t ready_ports, const struct packet *, uint64_t now_ps);
