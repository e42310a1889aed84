/* SPDX-License-Identifier: Apache-2.0 */
/* A queue pair: its state and attributes, and the parts it is composed of. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/control_queue.h"
#include "transport/env.h"
#include "transport/peer.h"
#include "transport/requester.h"
#include "transport/responder.h"
#include "transport/transport.h"

/* First what every packet touches: its halves follow in the same memory. */
struct qp {
    struct env env;              /* what its halves see of it, and of the NIC */
    struct responder *responder; /* NULL: receives nothing */
    uint32_t index;
    uint32_t next_ready;         /* the next QP that wants to send to the peer; PEER_NO_QP: none */
    struct requester *requester; /* NULL: sends nothing */
    uint32_t previous_ready;
    uint32_t burst_call;
    uint16_t burst_left; /* packets it may still send in the call number burst_call */
    uint16_t write_imm_max_dest;
    bool is_listed;         /* among those that want to send to the peer */
    bool is_eventful;       /* in the ring of QPs with something to report */
    uint8_t timeout_wanted; /* env.attributes has the one in force */
    uint8_t failure;        /* enum completion_status of the request at `failed` */
    uint32_t failed;        /* position in the send queue */
    uint8_t async;          /* enum transport_event_kind + 1 of an error to report; 0: none */
    struct transport *nic;
    struct path_set *own_paths; /* env.paths are these, or those of another QP to the peer */
    const struct cc_profile *cc_profile;
};

/* Packets may arrive. */
static inline bool qp_is_connected(const struct qp *qp)
{
    return qp->env.attributes.state == QP_RTR || qp->env.attributes.state == QP_RTS;
}

/* The position in the send queue of the oldest request that is not done. */
static inline uint32_t qp_oldest_request(const struct qp *qp)
{
    return qp->requester ? qp->requester->queue.done : 0;
}

/* Whatever an earlier connection taught about paths and congestion is forgotten. */
void qp_connect(struct transport *, struct qp *);

/* The same for paths alone: all that it knows of them is in the profile. */
void qp_start_paths(struct transport *, struct qp *);

/* A state of an EV has changed: `context` is the QP. */
void qp_on_ev_change(void *context, const struct path_change *, uint64_t now_ns);
/* With ev_state_scope=destination: QPs to one peer that have the same profile use one path set. */
void qp_share_paths(struct transport *, struct qp *);
/* The QP goes: those that share its paths take them over, or it has its own again. */
void qp_unshare_paths(struct transport *, struct qp *);
/* The EV is bad, as far as the QP can tell. */
bool qp_knows_bad(const struct qp *, uint32_t ev_index);

/* The responder admits as many PSNs as the attributes say, if mpr_pool has them (§4.1). */
void qp_widen_range(struct transport *, struct qp *, uint64_t now_ns);
/* The QP has left RTR or RTS, or its attributes have changed: it admits nothing for now. */
void qp_close_range(struct transport *, struct qp *);

/* A packet for one of its halves, which is there and in a state to take it. */
enum drop_reason qp_on_write(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
enum drop_reason qp_on_probe(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
enum drop_reason qp_on_feedback(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
/* Its sending half writes at most `out_max` packets for ports of `ready_ports`; returns the number.
 */
uint32_t qp_send(struct transport *, struct qp *, uint32_t ready_ports, struct packet *out,
    uint32_t out_max, uint64_t now_ns);
/* Its timer has run out. */
void qp_expire(struct transport *, struct qp *, uint64_t now_ns);

/* Lets the QP have its turn if it wants to send. */
void qp_schedule(struct transport *, struct qp *, uint64_t now_ns);

/* One of the QP's timers now ends at `deadline_ns`. Timers that end later than before need not be
 * told: the QP looks once too often, which is cheaper than to move its timer with every packet. */
void qp_arm(struct transport *, const struct qp *, uint64_t deadline_ns);

/* Both, from all that the QP waits for: after anything out of the ordinary. */
void qp_update(struct transport *, struct qp *, uint64_t now_ns);

/* There is something for transport_next_event(). */
void qp_has_event(struct transport *, struct qp *);

/* Into ERR. The request at `failed` completes with `status`, everything after it is flushed.
 * `async`: the asynchronous event to raise, or -1. */
void qp_fail(struct transport *, struct qp *, uint32_t failed, enum completion_status, int async,
    uint64_t now_ns);

/* The next thing this QP has to report. */
bool qp_next_event(struct qp *, struct transport_event *out);
