/* SPDX-License-Identifier: Apache-2.0 */
/* The pairs of ports between which packets of a flow can travel over switches with ECMP, and the
 * labels of these packets. sim->ecmp must have been made. */
#pragma once

#include "rival/rival.h"
#include "sim/shard.h"

struct way {
    uint32_t from_port;
    uint32_t to_port;
};

/* Each port of the sender is paired with the nearest port of the receiver, if possible the one with
 * its number. Returns the number of ways. */
uint32_t ways_find(
    const struct sim *, uint32_t from, uint32_t to, struct way ways[static TOPOLOGY_PLANES_MAX]);

/* Returns the label of packets from a NIC to a port of another, which has a cable. */
struct ecmp_label ways_label(
    const struct sim *, uint32_t from, uint32_t to, uint32_t to_port, uint16_t source_port);
