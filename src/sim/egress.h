/* SPDX-License-Identifier: Apache-2.0 */
/* A port and the link behind it: packets wait, leave, and arrive at the next node or are lost. */
#pragma once

#include "sim/engine.h"

void egress_transmit(struct sim *, uint32_t port, uint64_t now_ps);

/* Every transmission that begins by `now_ps`. Only functions that know the time may look at a port:
 * it is as old as its last call. */
static inline void egress_advance(struct sim *sim, uint32_t port, uint64_t now_ps)
{
    if (port_next_ps(&sim->ports[port]) <= now_ps)
        egress_transmit(sim, port, now_ps);
}

/* A packet enters a port that has been advanced; false: it did not get in. */
bool egress_enter(struct sim *, uint32_t port, struct port_entry, uint64_t now_ps);

/* A fault begins or ends at the sending end `port`. */
void egress_apply(struct sim *, uint32_t port, const struct fault_action *);

/* All that waits is lost. The port has been advanced. */
void egress_flush(struct sim *, uint32_t port, enum sim_loss, uint64_t now_ps);

/* A packet that arrives now was under way when its link went down. */
bool egress_was_cut(const struct sim *, uint32_t ingress_port, struct port_entry, uint64_t now_ps);
