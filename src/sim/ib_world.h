/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulation of InfiniBand has besides struct sim and struct roce_world: lanes and buffers
 * of all ports. Its NICs are those of RoCEv2 with another profile: both protocols have
 * the same reliable connections. */
#pragma once

#include "sim/roce_world.h"

struct ib_port {
    uint32_t waiting_bytes; /* outside of the port, in all lanes */
    uint32_t turn;          /* the lane that is served next */
    uint32_t repeats;
    uint32_t waits;
    uint64_t frames; /* that returned credit, of packets that came in */
};

/* Lanes and buffers are those of port * lane_count + lane. */
struct ib_world {
    uint32_t lane_count;
    uint32_t lane_blocks;   /* of an ingress buffer */
    uint32_t packet_blocks; /* of the longest packet */
    uint32_t
        quantum_shift; /* adaptive routing: loads that differ by less than 2^this are the same */
    bool is_adaptive;
    bool link_retry;
    struct ib_lane *lanes;     /* on the way out */
    struct ib_buffer *buffers; /* on the way in */
    struct ib_port *ports;
    uint8_t *tiers; /* of switches */
};

/* Makes lanes and buffers. Called when ports are there. */
void ib_world_setup(struct sim *, struct arena *);

/* Like roce_nic_send(), of the lanes that have credit. */
bool ib_world_send(
    struct shard *, uint32_t nic, uint32_t ready_ports, struct roce_leaving *, uint64_t now_ps);

/* Returns the bytes that wait at a port, outside of it. */
uint32_t ib_world_waiting(const struct sim *, uint32_t port);

extern const struct switch_policy policy_ib;
