/* SPDX-License-Identifier: Apache-2.0 */
/* A port and its link: packets wait, leave, and arrive at the next node or are lost. */
#pragma once

#include "sim/shard.h"

void egress_transmit(struct shard *, uint32_t port, uint64_t now_ps);

/* A port whose link is not special, with everything that is needed to send. */
struct egress {
    struct port *port;
    struct mailbox_way way;
    struct link link;
    bool leads_away; /* to another shard */
};

static inline struct egress egress_of(struct shard *shard, uint32_t port)
{
    struct link link = shard->links[port];

    return (struct egress){ .port = &shard->ports[port],
        .way = mailbox_way(&shard->mailbox, shard_seat(shard, link.peer_node), link.peer_port),
        .link = link,
        .leads_away = !shard_owns(shard, link.peer_node) };
}

/* Like egress_advance(), for a port that continues at `next_ps`. Returns when it continues after
 * that. */
static inline uint64_t egress_send(
    struct shard *shard, const struct egress *egress, uint64_t next_ps, uint64_t now_ps)
{
    while (next_ps <= now_ps) {
        const struct port_entry *sent = port_send(egress->port);
        uint64_t arrival_ps = link_arrival_ps(&egress->link, egress->port->free_ps);

        shard->packet_hops++;
        if (egress->leads_away)
            shard_mail(shard, egress->link.peer_node, egress->way.port, arrival_ps, sent);
        else
            mailbox_send(&shard->mailbox, &egress->way, arrival_ps, sent);
        next_ps = port_next_ps(egress->port);
    }
    return next_ps;
}

/* Returns true if every packet needs attention on every link. */
static inline bool egress_watches(const struct shard *shard)
{
    return shard->sim->config.wire || shard->sim->config.observer.on_frame ||
           shard->topology->config.cut_through_bytes > 0;
}

static inline bool egress_is_plain(const struct shard *shard, uint32_t port)
{
    return !shard->links[port].is_special && !shard->heap;
}

/* Performs every transmission that begins by `now_ps`. The state of a port is that of its last
 * call, so only functions that know the time may read it. */
static inline void egress_advance(struct shard *shard, uint32_t port, uint64_t now_ps)
{
    if (port_next_ps(&shard->ports[port]) <= now_ps)
        egress_transmit(shard, port, now_ps);
}

/* Returns true, and loses the packet, if the link is down or missing. */
bool egress_is_cut_off(struct shard *, uint32_t port, uint32_t packet);

/* Loses a packet that does not fit into its port. */
void egress_refuse(struct shard *, uint32_t packet, enum drop_reason);

/* Puts a packet into a port that has been advanced. */
static inline void egress_enter(
    struct shard *shard, uint32_t port, const struct port_entry *packet, uint64_t now_ps)
{
    struct port_outcome outcome;

    if (__builtin_expect(shard->links[port].is_special, false) &&
        egress_is_cut_off(shard, port, packet->handle))
        return;
    outcome = port_admit(&shard->ports[port], packet, now_ps);
    if (__builtin_expect(outcome.verdict == PORT_DROPPED, false))
        egress_refuse(shard, packet->handle, outcome.reason);
}

/* A fault begins or ends at the sending end `port`. */
void egress_apply(struct shard *, uint32_t port, const struct fault_action *);

/* Loses all waiting packets. The port has been advanced. */
void egress_flush(struct shard *, uint32_t port, enum loss_reason, uint64_t now_ps);

/* Loses all waiting data of a switch with a policy. The port has been advanced. */
void egress_flush_data(struct shard *, uint32_t port, enum loss_reason, uint64_t now_ps);

/* Returns true if a packet that arrives now was in flight when its link went down. */
bool egress_was_cut(
    const struct shard *, uint32_t ingress_port, struct port_entry, uint64_t now_ps);
