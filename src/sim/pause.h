/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses of a port: while it is paused, its data waits and its control packets leave.
 *
 * The time at which a port sends next is port.free_ps. While data waits for the end of a pause and
 * no control packet does, that is the end of the pause; engine_port.free_ps then says from when on
 * the wire is free. */
#pragma once

#include "sim/shard.h"

static inline bool pause_holds(const struct shard *shard, uint32_t port, uint64_t now_ps)
{
    return shard->port_details[port].paused_until_ps > now_ps;
}

/* The port, which has been advanced, is paused until this time; until now: no longer. */
void pause_set(struct shard *, uint32_t port, uint64_t until_ps, uint64_t now_ps);

/* A packet has entered the port. */
void pause_on_entered(struct shard *, uint32_t port, uint64_t now_ps);

/* The port has begun to send a packet. */
void pause_on_sent(struct shard *, uint32_t port);

/* Returns from when on the wire is free. The port has been advanced. */
uint64_t pause_wire_free_ps(const struct shard *, uint32_t port, uint64_t now_ps);
