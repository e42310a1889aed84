/* SPDX-License-Identifier: Apache-2.0 */
/* A destination: what the QPs to one address share: window, shares of planes, turns to send, the
 * way back, ports (docs/protocol.md §17, §18, §21). QPs with different congestion control to one
 * address are two destinations. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cc/cc.h"
#include "path/path.h"
#include "transport/transport.h"
#include "transport/way_back.h"
#include "wire/ip_address.h"

struct qp;

#define PEER_NO_QP UINT32_MAX

struct peer {
    struct cc cc;
    struct planes planes;
    uint64_t pace_ns;        /* windows of few packets: the next one may leave then */
    uint32_t inflight_bytes; /* of all QPs to it */
    uint32_t first_ready;    /* QPs that want to send, by index, in a list */
    uint32_t last_ready;
    uint16_t ports;       /* bit p: its port p is up */
    uint16_t update_told; /* the id of our newest PORT_STATUS_UPDATE to it, if update_owed */
    bool is_scheduled;    /* in the ring of peers whose turn it is */
    uint8_t update_count; /* PORT_STATUS_UPDATE: still to be sent to it */
    bool update_owed;     /* it has not answered one yet */
    uint8_t updates_known : TRANSPORT_ENGINES_MAX; /* bit e: of engine e of the peer there is one */
    uint8_t update_engine : 2;                     /* where the last one came from */
    uint8_t incarnations[TRANSPORT_ENGINES_MAX];   /* as they said; 0: unknown */
    uint64_t trimmed_ns;                           /* the last packet was trimmed; 0: none was */
    struct transport_rtt rtt;                      /* all 0: not known */
    uint32_t spurious_ticks; /* a loss was spurious, in 1.024 us modulo 2^32; 0: none was */
    struct way_back way_back;
    struct ipv6_addr address;
    uint32_t index;
    uint32_t qp_count;                           /* 0: the slot is free */
    uint32_t live_count;                         /* of these, in RTR or RTS */
    uint32_t sender_count;                       /* of these, that can send */
    uint64_t update_ns;                          /* the next PORT_STATUS_UPDATE may be sent */
    uint16_t update_seen[TRANSPORT_ENGINES_MAX]; /* the id of the newest one from each engine */
};

_Static_assert(sizeof(struct peer) <= 1024, "what a destination may take");

/* The engine that has this incarnation; 0: the one that spoke last. */
static inline uint32_t peer_engine_of(const struct peer *peer, uint8_t incarnation)
{
    return incarnation ? incarnation % TRANSPORT_ENGINES_MAX : peer->update_engine;
}

/* A packet to it that was taken for lost was only late. */
static inline void peer_note_spurious(struct peer *peer, uint64_t now_ns)
{
    uint32_t ticks = (uint32_t)(now_ns >> 10);

    peer->spurious_ticks = ticks ? ticks : 1;
}

static inline bool peer_was_spurious(const struct peer *peer, uint64_t within_ns, uint64_t now_ns)
{
    uint32_t age = (uint32_t)(now_ns >> 10) - peer->spurious_ticks;

    return peer->spurious_ticks != 0 && age <= within_ns >> 10;
}

/* What a packet of this nominal size would take in an empty network. */
static inline uint32_t peer_base_rtt_ns(const struct peer *peer, uint32_t nominal_bytes)
{
    return peer->rtt.fixed_ns + (uint32_t)((uint64_t)peer->rtt.per_kib_ns * nominal_bytes / 1024);
}

/* A packet left, or is no longer on its way. */
static inline void peer_on_sent(struct peer *peer, uint32_t plane, uint32_t bytes)
{
    peer->inflight_bytes += bytes;
    planes_on_sent(&peer->planes, plane, bytes);
}

static inline void peer_on_gone(struct peer *peer, uint32_t plane, uint32_t bytes)
{
    peer->inflight_bytes -= bytes;
    planes_on_gone(&peer->planes, plane, bytes);
}

/* The window has room, and where packets are spaced, its time has come. */
static inline bool peer_can_send(const struct peer *peer, uint64_t now_ns)
{
    return cc_can_send(&peer->cc, peer->inflight_bytes) && now_ns >= peer->pace_ns;
}

/* The QP shares the state of its destination from now on, or no longer. */
void peer_join(struct transport *, struct qp *);
void peer_leave(struct transport *, struct qp *);
/* The QP fails: it still knows its peer, but what it had in flight counts no more. */
void peer_retire(struct transport *, struct qp *);

/* The QP may want to send: if so, it waits for its turn among those to its peer, which waits for
 * its turn among peers while it can send anything. */
void peer_list(struct transport *, struct qp *, uint64_t now_ns);
/* Something may be sent to the peer that could not before. */
void peer_schedule(struct transport *, struct peer *, uint64_t now_ns);
/* After a turn of its first QP, which sent `sent` packets. */
void peer_end_turn(struct transport *, struct peer *, uint32_t sent, uint64_t now_ns);

/* Sends it the state of our ports, up to `tries` times until it answers. */
void peer_tell_ports(struct transport *, struct peer *, uint8_t tries, uint64_t now_ns);
/* The same with all tries, but no sooner than a repeat. */
void peer_tell_ports_again(struct transport *, struct peer *, uint64_t now_ns);
/* Once more, if no try was answered and there is traffic again (§18). */
void peer_remind_of_ports(struct transport *, struct peer *, uint64_t now_ns);

/* The peer's timer now ends at `deadline_ns`, if that is sooner. */
void peer_arm(struct transport *, const struct peer *, uint64_t deadline_ns);
void peer_expire(struct transport *, struct peer *, uint64_t now_ns);
