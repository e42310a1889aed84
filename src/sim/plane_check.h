/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that planes carry equal shares (docs/protocol.md §14.2).
 *
 * With plane_share=equal, first transmissions of a QP take planes in turn while every plane is
 * usable, has room and a GOOD EV. When ports are full, packets use the ports with room, and shares
 * of a QP need not be equal.
 *
 * With plane_share=delivered, shares follow delays, which are equal on equal planes: without
 * faults, the sums of what all QPs delivered over each plane are equal within 0.5 % and chance. */
#pragma once

#include "sim/shard.h"

struct plane_check {                       /* of a flow */
    uint32_t in_turn[TOPOLOGY_PLANES_MAX]; /* packets since a plane could last not be taken */
};

struct plane_check *plane_check_init(struct arena *);

/* Called when a packet leaves that was chosen when `ready_ports` had room. */
void plane_check_send(
    struct shard *, uint32_t nic, uint32_t ready_ports, const struct packet *, uint64_t now_ps);

/* Called between two windows with the bytes that all shards have delivered over each plane. */
void plane_check_sums(struct shard *, const uint64_t *plane_bytes, uint64_t now_ps);
