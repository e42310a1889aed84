/* SPDX-License-Identifier: Apache-2.0 */
/* A link, one direction of a cable: when a packet that a port sends arrives at the far end, and
 * what the faults of the link do to it. The simulator calls these functions in virtual time, the
 * soft fabric in real time, and tests step by step.
 *
 * The port knows when the transmission of a packet begins and ends (switch/port.h); link_occupy()
 * does so for a sender whose queue is outside. A packet arrives delay_ps after its end, unless
 * link_carry() says that the link loses it, or the link goes down meanwhile: link_was_cut(). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_time.h"
#include "network/fault_link.h"

/* The part that every packet needs; the owner keeps its faults elsewhere. */
struct link {
    uint64_t delay_ps;  /* from the departure of the last bit until the far end can act */
    uint32_t peer_node; /* the far end: a NIC, or nic_count plus the index of a switch */
    uint16_t peer_port;
    bool has_cable;
    bool is_special; /* each packet needs link_carry(), or attention of the owner */
};

_Static_assert(sizeof(struct link) == 16, "a simulated fabric has millions of links");

/* Returns the healthy link behind a port. `kind`: set to its rate and delay if there is a cable.
 * The delay of a link is that of its cable, of a NIC at the beginning, and of the NIC or switch at
 * the end. */
struct link link_of_port(
    const struct topology *, struct topology_end from, struct topology_link_kind *kind);

static inline struct topology_end link_peer(const struct link *link, uint32_t nic_count)
{
    bool is_nic = link->peer_node < nic_count;

    return (struct topology_end){ .is_nic = is_nic,
        .node = is_nic ? link->peer_node : link->peer_node - nic_count,
        .port = link->peer_port };
}

/* Occupies a wire that is free from *free_ps on with a packet that is ready at `now_ps`. Returns
 * when its last bit leaves and the wire is free again. */
static inline uint64_t link_occupy(
    uint64_t *free_ps, uint64_t byte_time, uint32_t bytes, uint64_t now_ps)
{
    *free_ps = (*free_ps > now_ps ? *free_ps : now_ps) + byte_time_ps(byte_time, bytes);
    return *free_ps;
}

/* Returns when a packet arrives whose last bit leaves at `end_ps`. */
static inline uint64_t link_arrival_ps(const struct link *link, uint64_t end_ps)
{
    return end_ps + link->delay_ps;
}

/* Returns why a packet cannot be sent into the link; LOSS_REASON_COUNT if it can. */
static inline enum loss_reason link_refusal(const struct link *link, const struct fault_link *fault)
{
    if (!link->has_cable)
        return LOST_NO_ROUTE;
    return fault_link_is_down(fault) ? LOST_LINK_DOWN : LOSS_REASON_COUNT;
}

struct link_packet {
    uint64_t end_ps; /* its last bit leaves */
    uint64_t coin;   /* for random faults: different for every packet */
    uint32_t ev;     /* 0 if no fault of the link asks for it: fault_link_asks_ev() */
};

struct link_passage {
    uint64_t arrives_ps;
    enum loss_reason reason; /* of a packet that is lost or damaged */
    bool is_lost;
    bool is_damaged; /* arrives with a wrong iCRC */
};

/* Returns the passage of a packet on which a fault has decided. */
static inline struct link_passage link_passage(
    const struct link *link, uint64_t end_ps, enum fault_verdict verdict)
{
    struct link_passage passage = { .arrives_ps = link_arrival_ps(link, end_ps) };

    if (verdict == FAULT_VERDICT_PASSES)
        return passage;
    passage.reason = fault_verdict_loss(verdict);
    passage.is_damaged = verdict == FAULT_VERDICT_CORRUPTED;
    passage.is_lost = !passage.is_damaged;
    return passage;
}

/* Carries a packet that has left its port. `holds`: the list that the faults of the
 * link refer to (fault_link.h). */
struct link_passage link_carry(const struct link *, const struct fault_link *,
    const struct fault_hold *holds, const struct link_packet *);

/* Returns whether a packet that would arrive at `arrives_ps`, `way_ps` after its transmission
 * began, was under way when its link last went down, at `cut_ps` (0: never). */
static inline bool link_was_cut(uint64_t cut_ps, uint64_t arrives_ps, uint64_t way_ps)
{
    return cut_ps != 0 && cut_ps <= arrives_ps && arrives_ps - way_ps < cut_ps;
}
