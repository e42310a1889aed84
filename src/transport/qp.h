/* SPDX-License-Identifier: Apache-2.0 */
/* A queue pair: its state and attributes, and the parts it is composed of. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/control.h"
#include "transport/requester.h"
#include "transport/responder.h"
#include "transport/transport.h"

struct qp {
    struct transport *nic;
    uint32_t qpn;
    uint32_t index;
    struct requester *requester; /* NULL: sends nothing */
    struct responder *responder; /* NULL: receives nothing */
    const struct path_profile *profile;
    struct path_set *paths; /* NULL: sends nothing */
    struct path_reverse reverse;
    uint16_t write_imm_max_dest;
    struct cc cc;
    struct qp_attributes attributes;
    uint32_t sack_threshold_bytes; /* unreported bytes that make a SACK due */
    uint32_t failed;               /* position in the send queue */
    uint64_t port_update_ns;
    uint16_t port_update_seen; /* id of the newest one from the peer */
    uint16_t burst_left;       /* packets it may still send in the call number burst_call */
    uint32_t burst_call;
    uint8_t port_update_count; /* PORT_STATUS_UPDATEs still to be sent to this peer */
    uint8_t failure;           /* enum completion_status of the request at `failed` */
    uint8_t async;             /* enum transport_event_kind + 1 of an error to report; 0: none */
    bool signal_all;
    bool sent_data;             /* since the last turn of reverse probing */
    bool is_scheduled;          /* in the ring of ready QPs */
    bool is_eventful;           /* in the ring of QPs with something to report */
    bool port_update_known : 1; /* the same for all QPs of a peer, as is port_update_seen */
    bool port_update_owed : 1;  /* the peer has not answered one yet */
};

static inline uint32_t qp_ev(const struct qp *qp, uint32_t ev_index)
{
    return qp->profile->entries[ev_index].ev;
}

static inline uint32_t qp_plane_of_ev(const struct qp *qp, uint32_t ev_index)
{
    return qp->profile->entries[ev_index].plane;
}

/* Whatever an earlier connection taught about paths and congestion is forgotten. */
void qp_connect(struct transport *, struct qp *);

/* The same for paths alone: all that it knows of them is in the profile. */
void qp_start_paths(struct transport *, struct qp *);

/* A state of an EV has changed: `context` is the QP. */
void qp_on_ev_change(void *context, const struct path_change *, uint64_t now_ns);
/* With ev_state_scope=destination: which EVs are bad, from another QP with the same peer. */
void qp_learn_paths(struct transport *, struct qp *, uint64_t now_ns);
/* The EV is bad, as far as the QP can tell, or with ev_state_scope another one with its peer. */
bool qp_knows_bad(const struct transport *, const struct qp *, uint32_t ev_index);

/* Puts the QP into the ring of ready ones if it can send. */
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

/* Sends the peer the state of our ports, up to `tries` times until it answers. */
void qp_tell_ports(struct transport *, struct qp *, uint8_t tries, uint64_t now_ns);
/* Once more, if all tries were in vain and the QP has become active again (§18). */
void qp_remind_of_ports(struct transport *, struct qp *, uint64_t now_ns);

/* The next thing this QP has to report. */
bool qp_next_event(struct qp *, struct transport_event *out);
