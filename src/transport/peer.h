/* SPDX-License-Identifier: Apache-2.0 */
/* A destination: the state that the QPs to one address share. It consists of the window, shares of
 * planes, turns to send, the way back and ports (docs/protocol.md §17, §18, §21). QPs with
 * different congestion control to one address have two destinations. */
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
    uint64_t pace_ns;        /* with a window of few packets: the next packet may leave then */
    uint32_t inflight_bytes; /* of all its QPs */
    uint32_t first_ready;    /* head of the list of QPs that want to send, by index */
    uint32_t last_ready;
    uint16_t ports;       /* bit p: port p of the peer is up */
    uint16_t near_planes; /* planes that data should use; 0: all */
    uint16_t update_told; /* id of our newest PORT_STATUS_UPDATE to the peer, if update_owed */
    bool is_scheduled;    /* in the ring of peers to which something can be sent */
    uint8_t update_count; /* PORT_STATUS_UPDATEs that remain to be sent to it */
    bool update_owed;     /* it has not answered the last one */
    uint8_t updates_known : TRANSPORT_ENGINES_MAX; /* bit e: engine e of the peer has sent one */
    uint8_t update_engine : 2;                     /* engine that sent the last one */
    uint8_t turn_left;   /* packets that may still be sent to it in its turn */
    uint8_t slow_rounds; /* rounds in succession that ended with few bytes in flight, up to 2 */
    uint8_t incarnations[TRANSPORT_ENGINES_MAX]; /* from its updates; 0: unknown */
    uint32_t trimmed_trip_ns; /* from the last packet that was trimmed to its report */
    uint32_t arrived_bytes;   /* in this round of receive_share.h, nominal */
    uint32_t apart_bytes;     /* of these, or soon of them, those on ports that do not count */
    uint32_t next_source;     /* in the list of that round; 0: not in it */
    uint8_t share_penalty;    /* rcv_cwnd_pen, if share_round is that of the NIC */
    uint8_t share_round;
    bool was_overtaken; /* a QP with a probe let another go first, because its port was not ready */
    uint64_t trimmed_ns;      /* time at which the last trimmed packet was reported; 0: never */
    struct transport_rtt rtt; /* all 0: not known */
    uint32_t spurious_ticks; /* time of the last spurious loss, in 1.024 us modulo 2^32; 0: never */
    struct way_back way_back;
    struct ipv6_addr address;
    uint32_t index;
    uint32_t qp_count;     /* 0: the slot is free */
    uint32_t live_count;   /* QPs in RTR or RTS */
    uint32_t sender_count; /* QPs of these that can send */
    uint64_t update_ns;    /* time at which the next PORT_STATUS_UPDATE may be sent */
    uint16_t update_seen[TRANSPORT_ENGINES_MAX]; /* id of the newest one from each engine */
};

_Static_assert(sizeof(struct peer) <= 1024, "a destination takes at most 1 KiB");

/* Returns the engine of the peer with this incarnation. 0: the engine that sent the last update. */
static inline uint32_t peer_engine_of(const struct peer *peer, uint8_t incarnation)
{
    return incarnation ? incarnation % TRANSPORT_ENGINES_MAX : peer->update_engine;
}

/* Records that a packet to the peer that was declared lost had arrived. */
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

/* Returns the round trip of a packet of this nominal size in an empty network. */
static inline uint32_t peer_base_rtt_ns(const struct peer *peer, uint32_t nominal_bytes)
{
    return peer->rtt.fixed_ns + (uint32_t)((uint64_t)peer->rtt.per_kib_ns * nominal_bytes / 1024);
}

/* Count a packet as in flight, or no longer. */
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

/* True if the window has room and, if packets are paced, the time of the next has come. */
static inline bool peer_can_send(const struct peer *peer, uint64_t now_ns)
{
    return cc_can_send(&peer->cc, peer->inflight_bytes) && now_ns >= peer->pace_ns;
}

/* The QP starts, or stops, sharing the state of its destination. */
void peer_join(struct transport *, struct qp *);
void peer_leave(struct transport *, struct qp *);
/* Called when the QP fails. It keeps its peer, but its packets no longer count as in flight. */
void peer_retire(struct transport *, struct qp *);

/* Lists the QP among those that want to send to its peer, if it does, and schedules the peer. */
void peer_list(struct transport *, struct qp *, uint64_t now_ns);
/* True if something can be sent to the peer now. */
bool peer_is_ready(const struct transport *, const struct peer *, uint64_t now_ns);
/* Gives the peer a turn if something can be sent to it. */
void peer_schedule(struct transport *, struct peer *, uint64_t now_ns);
/* Ends the turn of the first QP of the peer, which sent `sent` packets. */
void peer_end_turn(struct transport *, struct peer *, uint32_t sent, uint64_t now_ns);

/* Sends the peer the state of our ports, up to `tries` times until it answers. */
void peer_tell_ports(struct transport *, struct peer *, uint8_t tries, uint64_t now_ns);
/* As peer_tell_ports() with all tries, but not earlier than a repetition would be sent. */
void peer_tell_ports_again(struct transport *, struct peer *, uint64_t now_ns);
/* Sends the state of our ports once more if no update was answered and there is traffic again
 * (§18). */
void peer_remind_of_ports(struct transport *, struct peer *, uint64_t now_ns);

/* Sets the timer of the peer to `deadline_ns` if that is earlier. */
void peer_arm(struct transport *, const struct peer *, uint64_t deadline_ns);
void peer_expire(struct transport *, struct peer *, uint64_t now_ns);
