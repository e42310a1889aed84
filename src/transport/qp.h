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

/* The members that every packet touches come first. Requester and responder follow in the same
 * memory. */
struct qp {
    struct env env;              /* what requester and responder may use */
    struct responder *responder; /* NULL: the QP receives nothing */
    uint64_t armed_ns;           /* when its timer expires; UINT64_MAX: not set */
    struct requester *requester; /* NULL: the QP sends nothing, or lacks its records */
    uint32_t next_ready;         /* next QP that wants to send to the peer; PEER_NO_QP: none */
    uint32_t previous_ready;
    uint32_t burst_call;
    uint16_t burst_left; /* packets that it may still send in call number burst_call */
    uint16_t write_imm_max_dest;
    bool is_listed;         /* in the list of QPs that want to send to the peer */
    bool is_eventful;       /* in the ring of QPs that have events */
    uint8_t timeout_wanted; /* as requested; env.attributes has the effective one */
    uint8_t failure;        /* enum completion_status of the request at `failed` */
    uint32_t failed;        /* its position in the send queue */
    uint8_t async;          /* error to report: enum transport_event_kind + 1; 0: none */
    bool borrows;           /* see qp_init; without records, `requester` and the paths are NULL */
    bool has_received;      /* the responder may have events */
    struct transport *nic;
    struct path_set *own_paths; /* env.paths is this set or that of another QP to the peer */
    const struct cc_profile *cc_profile;
};

/* True in the states in which packets may arrive. */
static inline bool qp_is_connected(const struct qp *qp)
{
    return qp->env.attributes.state == QP_RTR || qp->env.attributes.state == QP_RTS;
}

/* True if the QP sends, even if it has no records at present. */
static inline bool qp_is_sender(const struct qp *qp)
{
    return qp->requester || qp->borrows;
}

/* Returns the position in the send queue of the oldest request that is not done. */
static inline uint32_t qp_oldest_request(const struct qp *qp)
{
    return qp->requester ? qp->requester->queue.done : 0;
}

/* Prepares the QP for a connection with its current attributes. Resets what an earlier connection
 * learned about paths. */
void qp_connect(struct transport *, struct qp *);

/* Resets what the QP has learned about its paths; only the profile remains. */
void qp_start_paths(struct transport *, struct qp *);

/* Called when the state of an EV has changed. `listener` is the QP. */
void qp_on_ev_change(void *listener, const struct path_change *, uint64_t now_ns);
/* Makes the QP use the path set of another QP to its peer with the same profile, if ev_state_scope
 * is `destination`. */
void qp_share_paths(struct transport *, struct qp *);
/* Called before the QP is destroyed or changes its paths. Gives the path set to the QPs that share
 * it, or gives the QP its own set back. */
void qp_unshare_paths(struct transport *, struct qp *);
/* True if the QP knows that the EV is bad. */
bool qp_knows_bad(const struct qp *, uint32_t ev_index);

/* Lets the responder admit as many PSNs as the attributes say, if mpr_pool has them (§4.1). */
void qp_widen_range(struct transport *, struct qp *, uint64_t now_ns);
/* Makes the responder admit nothing. Called when the QP has left RTR or RTS, or its attributes have
 * changed. */
void qp_close_range(struct transport *, struct qp *);

/* Handle a packet for requester or responder. That part exists, and the state of the QP allows the
 * packet. */
enum drop_reason qp_on_write(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
enum drop_reason qp_on_probe(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
enum drop_reason qp_on_feedback(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
/* Writes at most `out_max` packets of the requester for ports of `ready_ports`. Returns the number
 * of packets. */
uint32_t qp_send(struct transport *, struct qp *, uint32_t ready_ports, struct packet *out,
    uint32_t out_max, uint64_t now_ns);
/* Called when the timer of the QP has expired. */
void qp_expire(struct transport *, struct qp *, uint64_t now_ns);

/* Schedules the QP if it wants to send. */
void qp_schedule(struct transport *, struct qp *, uint64_t now_ns);

/* Sets the timer of the QP to `deadline_ns`, which is earlier. */
void qp_arm_sooner(struct transport *, struct qp *, uint64_t deadline_ns);

/* Sets the timer of the QP to `deadline_ns` if that is earlier. A timer that moves to a later time
 * need not be reported: one early call of qp_expire() costs less than an update for every
 * packet. */
static inline void qp_arm(struct transport *nic, struct qp *qp, uint64_t deadline_ns)
{
    if (deadline_ns < qp->armed_ns)
        qp_arm_sooner(nic, qp, deadline_ns);
}

/* Schedules the QP and sets its timer from its complete state. Called after rare events. */
void qp_update(struct transport *, struct qp *, uint64_t now_ns);

/* Announces that the QP has an event for transport_next_event(). */
void qp_has_event(struct transport *, struct qp *);

/* Moves the QP to ERR. The request at `failed` completes with `status`, and all later ones are
 * flushed. `async`: the asynchronous event to raise, or -1. */
void qp_fail(struct transport *, struct qp *, uint32_t failed, enum completion_status, int async,
    uint64_t now_ns);

/* Returns the next event of the QP. False: there is none. */
bool qp_next_event(struct qp *, struct transport_event *out);
