/* SPDX-License-Identifier: Apache-2.0 */
/* The sending half of a QP: cuts work into packets, learns from SACK, NACK and ACK, finds losses
 * and repairs them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/deadlines.h"
#include "transport/env.h"
#include "transport/send_queue.h"
#include "transport/send_window.h"
#include "wire/drop.h"
#include "wire/packet.h"

#define REQUESTER_NO_PLANE UINT16_MAX
#define REQUESTER_NO_EV    ((uint16_t)PATH_NONE)

struct requester {
    struct send_window window;
    struct send_queue queue;

    /* Timers, absolute; UINT64_MAX: not running. */
    uint64_t loss_check_ns; /* rule A may find the next loss */
    uint64_t tail_ns;
    uint64_t timeout_ns;
    uint64_t hold_until_ns; /* until then SEND_HELD packets are not sent again; 0: no hold */
    uint64_t desperate_ns;  /* no path is usable: the next packet on a bad one; 0: now */
    uint64_t ev_probe_ns;   /* the next probe of a bad EV */

    uint64_t reorder_relax_ns; /* when the reordering window may shrink */
    uint64_t paths_since_ns;   /* packets sent before took other paths than those there are now */
    uint32_t full_bytes;       /* nominal size of a packet of PMTU bytes without immediate */
    uint32_t mpr_psns;
    uint32_t received_units; /* newest rcvd_bytes */
    struct psn newest_cack;  /* of any SACK or ACK */
    uint32_t messages_done;  /* count of AETH, 24 bits */
    uint32_t rack_ticks;     /* Q of rule A: when the latest-sent acknowledged packet left ... */
    uint32_t rack_rtt_ns;    /* ... and how long its acknowledgement took */
    struct psn rack_psn;
    uint32_t reorder_ns;
    uint32_t smoothed_rtt_ns;
    uint32_t hold_ns;
    uint32_t timeouts;        /* since the cumulative acknowledgement advanced */
    struct psn highest_acked; /* the highest PSN acknowledged so far */
    struct psn recovery_psn;  /* rule B: up to here */
    uint32_t last_probe_ticks;
    uint16_t probe_planes;  /* a tail probe is due on each of these */
    uint16_t last_plane;    /* of the most recent acknowledgement */
    uint16_t ev_to_probe;   /* its probe is due and waits for its port; REQUESTER_NO_EV: none */
    uint16_t asked_psn;     /* low bits of the last PSN that asked for a SACK */
    uint16_t longest_ticks; /* rule A: the longest round trip of late, up to 4 ms */
    uint8_t probe_sequence;
    uint8_t tail_rounds; /* since anything was heard */
    uint8_t turn_left;   /* packets of its turn at the shared window of its peer */
    bool stamped : 1;    /* data packets carry a TSETH */
    bool rack_valid : 1;
    bool in_recovery : 1;
    bool probe_once : 1;   /* one tail probe is due, on the best plane */
    bool resend_last : 1;  /* for want of a Transport ACK */
    bool measure_base : 1; /* the first SACK shall draw a probe for the base RTT */
    bool probe_base : 1;   /* the probe due once is that one */
    bool base_awaited : 1; /* it has left */
};

/* Memory for `depth` requests and `psn_count` PSNs. `requester`: NULL when measuring. */
void requester_init(struct requester *, struct arena *, uint32_t depth, uint32_t psn_count);

/* RTR to RTS: everything from the beginning, at the QP's attributes. */
void requester_start(struct requester *, const struct env *);

/* What follows from feedback, or from a timer that has ended. */
struct requester_decision {
    uint64_t due_ns; /* the first of the timers that were set; UINT64_MAX: none was */
    uint32_t failed; /* the request that fails, by its position in the send queue ... */
    enum completion_status failure; /* ... and how; COMPLETION_SUCCESS: none does */
    enum drop_reason reason;        /* of the feedback */
    bool has_event;
    bool tells_ports; /* the peer may not know of our ports */
};

/* The timers that run while packets and messages wait for their acknowledgement. To set the QP's
 * timer to one that was set before changes nothing. */
static inline uint64_t requester_timer_ns(const struct requester *requester)
{
    return deadlines_sooner_ns(
        requester->timeout_ns, deadlines_sooner_ns(requester->tail_ns, requester->loss_check_ns));
}

/* What was sent, and what follows. */
struct requester_burst {
    uint64_t due_ns; /* a timer that was set besides requester_timer_ns(); UINT64_MAX: none was */
    uint32_t count;  /* less than wanted: nothing to send, or no port of those ready for it */
};

/* Writes at most `out_max` packets for ports of `ready_ports`. Where packets are spaced, it sets
 * the peer's pace_ns. */
struct requester_burst requester_send(struct requester *, const struct env *, uint32_t ready_ports,
    struct packet *out, uint32_t out_max, uint64_t now_ns);

/* Probes that are due: of the tail or the base RTT, of a bad EV (requester_probe.c). True: one was
 * written. */
bool requester_send_tail_probe(struct requester *, const struct env *, uint32_t ready_ports,
    struct packet *out, uint64_t now_ns);
bool requester_send_ev_probe(struct requester *, const struct env *, uint32_t ready_ports,
    struct packet *out, uint64_t now_ns);
/* A bad EV is to be probed: chooses it, unless the NIC probes too many, and sets the timer. */
void requester_draw_ev_probe(struct requester *, const struct env *, uint64_t now_ns);

/* Starts or restarts the timers after something was sent or heard. */
void requester_arm_tail(struct requester *, const struct env *, uint64_t now_ns);
void requester_arm_timeout(struct requester *, const struct env *, uint64_t now_ns);

/* A tail probe was not answered, or there is no usable path: any that works will do. */
bool requester_is_cut_off(const struct requester *, const struct env *);

/* A probe is due, or the last packet of a message: these do not wait for the window. */
bool requester_is_urgent(const struct requester *, const struct env *, uint64_t now_ns);
/* Data would be sent, were the window of the peer open and all ports ready. */
bool requester_wants_window(const struct requester *, const struct env *, uint64_t now_ns);

struct requester_decision requester_on_sack(
    struct requester *, const struct env *, const struct packet *, uint64_t now_ns);
struct requester_decision requester_on_nack(
    struct requester *, const struct env *, const struct packet *, uint64_t now_ns);
struct requester_decision requester_on_ack(
    struct requester *, const struct env *, const struct packet *, uint64_t now_ns);

/* What is in flight no longer counts, or counts from now on, at the QP's peer. */
void requester_leave_peer(struct requester *, const struct env *);
void requester_join_peer(struct requester *, const struct env *);

/* A local port is gone: what left by it within the last round trip is lost. */
void requester_on_port_down(
    struct requester *, const struct env *, uint32_t plane, uint64_t now_ns);

/* A lost packet may go again, `*which`: the oldest that is not held back (§11), if the window is
 * open or nothing is in flight (§12). */
bool requester_may_repair(
    const struct requester *, const struct env *, struct psn *which, uint64_t now_ns);

/* There is new work, and PSN window and the limit of WriteImm let it go. */
static inline bool requester_wants_to_send_new(const struct requester *requester, uint32_t max_wimm)
{
    return send_queue_can_cut(&requester->queue, max_wimm) &&
           send_window_count(&requester->window) < requester->mpr_psns;
}

/* There is new work, and congestion window, PSN window and the limit of WriteImm let it go. */
static inline bool requester_may_send_new(
    const struct peer *peer, const struct requester *requester, uint32_t max_wimm, uint64_t now_ns)
{
    return peer_can_send(peer, now_ns) && requester_wants_to_send_new(requester, max_wimm);
}

/* Something other than data may be due. */
static inline bool requester_is_asking(const struct requester *requester, uint64_t now_ns)
{
    return requester->probe_planes || requester->probe_once || requester->resend_last ||
           requester->ev_to_probe != REQUESTER_NO_EV || now_ns >= requester->ev_probe_ns;
}

/* Packets that it can send one after the other before its place among the QPs to the peer changes.
 * Only new data begins a turn: before that, each probe and each repair stands alone. */
static inline uint32_t requester_turn_packets(
    const struct requester *requester, const struct env *env, uint64_t now_ns)
{
    if (requester->turn_left > 0)
        return requester->turn_left;
    return requester->window.lost_count > 0 || requester_is_asking(requester, now_ns)
               ? 1
               : env->turn_packets;
}

/* Until the timeout, at the present count of timeouts (§13). */
uint64_t requester_interval_ns(const struct requester *, const struct env *);

/* A probe's id names its EV, so that its answer needs no record. */
#define REQUESTER_PROBE_EV_MASK (PATH_EV_COUNT_MAX - 1)
static inline uint16_t requester_probe_id(uint8_t sequence, uint32_t ev_index)
{
    return (uint16_t)(sequence * PATH_EV_COUNT_MAX + ev_index);
}

/* The nominal size of a PSN sent and not done (§8.3.1 of MRC 1.0). */
uint32_t requester_nominal_bytes(const struct requester *, const struct env *, struct psn);

uint64_t requester_deadline_ns(const struct requester *, uint64_t now_ns);

/* What a round trip takes of late, or would take in an empty network. */
static inline uint32_t requester_rtt_ns(const struct requester *requester, const struct env *env)
{
    return requester->smoothed_rtt_ns ? requester->smoothed_rtt_ns : env->peer->cc.base_rtt_ns;
}

/* Reordering allowed before a packet counts as lost, while no loss turns out to be none (§10). */
uint32_t requester_reorder_ns(const struct env *);

/* It is known, and need not be measured. */
void requester_rtt_known(struct requester *, const struct env *);

/* The base RTT of the peer has: what paths make of it follows. */
void requester_base_rtt_changed(const struct env *);

/* The timeout or the window that the application wants has changed. */
void requester_attributes_changed(struct requester *, const struct env *);
/* The QP has other paths: nothing is being found out about one of the former, and packets that took
 * them speak against none of the new ones. */
void requester_forget_evs(struct requester *, const struct env *, uint64_t now_ns);

/* Bad EVs, or their probing, changed. */
void requester_ev_probes_changed(struct requester *, const struct env *);
struct requester_decision requester_expire(struct requester *, const struct env *, uint64_t now_ns);

void requester_check(const struct requester *, const struct env *);
