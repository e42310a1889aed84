/* SPDX-License-Identifier: Apache-2.0 */
/* A port and its link: packets wait, leave, and arrive at the next node or are lost. */
#pragma once

#include "sim/sim_engine.h"

void egress_transmit(struct sim *, uint32_t port, uint64_t now_ps);

/* A port whose link is not special, with everything that is needed to send. */
struct egress {
    struct port *port;
    struct mailbox_way way;
    struct link link;
};

static inline struct egress egress_of(struct sim *sim, uint32_t port)
{
    struct link link = sim->links[port];

    return (struct egress){ .port = &sim->ports[port],
        .way = mailbox_way(&sim->mailbox, link.peer_node, link.peer_port),
        .link = link };
}

/* Like egress_advance(), for a port that continues at `next_ps`. Returns when it continues after
 * that. */
static inline uint64_t egress_send(
    struct sim *sim, const struct egress *egress, uint64_t next_ps, uint64_t now_ps)
{
    while (next_ps <= now_ps) {
        const struct port_entry *sent = port_send(egress->port);

        sim->packet_hops++;
        mailbox_send(&sim->mailbox, &egress->way,
            link_arrival_ps(&egress->link, egress->port->free_ps), sent);
        next_ps = port_next_ps(egress->port);
    }
    return next_ps;
}

static inline bool egress_is_plain(const struct sim *sim, uint32_t port)
{
    return !sim->links[port].is_special && !sim->heap;
}

/* Performs every transmission that begins by `now_ps`. The state of a port is that of its last
 * call, so only functions that know the time may read it. */
static inline void egress_advance(struct sim *sim, uint32_t port, uint64_t now_ps)
{
    if (port_next_ps(&sim->ports[port]) <= now_ps)
        egress_transmit(sim, port, now_ps);
}

/* Returns true, and loses the packet, if the link is down or missing. */
bool egress_is_cut_off(struct sim *, uint32_t port, uint32_t packet);

/* Loses a packet that does not fit into its port. */
void egress_refuse(struct sim *, uint32_t packet, enum drop_reason);

/* Puts a packet into a port that has been advanced. */
void egress_enter(struct sim *, uint32_t port, struct port_entry packet, uint64_t now_ps);

/* A fault begins or ends at the sending end `port`. */
void egress_apply(struct sim *, uint32_t port, const struct fault_action *);

/* Loses all waiting packets. The port has been advanced. */
void egress_flush(struct sim *, uint32_t port, enum loss_reason, uint64_t now_ps);

/* Returns true if a packet that arrives now was in flight when its link went down. */
bool egress_was_cut(const struct sim *, uint32_t ingress_port, struct port_entry, uint64_t now_ps);
