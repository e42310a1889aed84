/* SPDX-License-Identifier: Apache-2.0 */
/* The requester, the sending part of a QP: divides messages into packets, processes SACK, NACK and
 * ACK, detects losses and retransmits. */
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

/* The members from `window` up to the hot part of `queue` are those that data packets and SACKs
 * touch. In a QP that also receives they fill three cache lines (prefetch.h). Times are
 * absolute. */
struct requester {
    uint64_t hold_until_ns;    /* SEND_HELD packets are not sent again before; 0: no hold */
    uint64_t reorder_relax_ns; /* time at which the reordering window may shrink */
    uint64_t paths_since_ns;   /* packets sent earlier used a former path set */
    struct psn recovery_psn;   /* rule B: end of the recovery */
    uint32_t last_probe_ticks;
    uint32_t messages_done; /* count of AETH, 24 bits */
    uint8_t probe_sequence;
    uint8_t real_losses; /* declared since the last one that was spurious, or since they narrowed
                            the reordering window */

    struct send_window window;
    uint64_t loss_check_ns; /* time at which rule A may find the next loss; UINT64_MAX: none */
    uint64_t tail_ns;       /* UINT64_MAX: not running */
    uint64_t timeout_ns;    /* UINT64_MAX: not running */
    uint64_t desperate_ns;  /* no path is usable: time of the next packet on a bad one; 0: now */
    uint64_t ev_probe_ns;   /* time of the next probe of a bad EV; UINT64_MAX: none */
    uint32_t full_bytes;    /* nominal size of a packet of PMTU bytes without immediate */
    uint32_t mpr_psns;
    uint32_t received_units; /* newest rcvd_bytes */
    struct psn newest_cack;  /* newest cumulative acknowledgement of a SACK or ACK */
    uint32_t rack_ticks;     /* Q of rule A: time at which it was sent ... */
    uint32_t rack_rtt_ns;    /* ... and its round trip */
    struct psn rack_psn;
    uint32_t reorder_ns;
    uint32_t smoothed_rtt_ns;
    uint32_t hold_ns;
    uint32_t timeouts;        /* since the cumulative acknowledgement advanced */
    struct psn highest_acked; /* the highest PSN acknowledged so far */
    uint16_t probe_planes;    /* planes on which a tail probe is due */
    uint16_t last_plane;      /* of the most recent acknowledgement */
    uint16_t ev_to_probe;     /* a probe of this EV waits for its port; REQUESTER_NO_EV: none */
    uint16_t asked_psn;       /* low bits of the last PSN sent with AckReq */
    uint16_t longest_ticks;   /* rule A: longest recent round trip, up to 4 ms */
    uint8_t tail_rounds;      /* tail probes since the last feedback */
    uint8_t turn_left;        /* packets left of its turn at the shared window of the peer */
    bool stamped : 1;         /* data packets carry a TSETH */
    bool rack_valid : 1;
    bool in_recovery : 1;
    bool probe_once : 1;   /* one tail probe is due, on the best plane */
    bool resend_last : 1;  /* a Transport ACK is missing: send the last packet again */
    bool measure_base : 1; /* send a probe for the base RTT after the first SACK */
    bool probe_base : 1;   /* the tail probe that is due measures the base RTT */
    bool base_awaited : 1; /* the probe for the base RTT was sent */
    struct send_queue queue;
};

/* Takes memory for `depth` requests and `psn_count` PSNs. `requester`: NULL when measuring. */
void requester_init(struct requester *, struct arena *, uint32_t depth, uint32_t psn_count);

/* Gives an idle requester records with the same sizes. The QP has its new paths. */
void requester_lend(struct requester *, const struct env *, struct arena *);
/* True if no request, packet, probe or timer needs the records. */
bool requester_is_idle(const struct requester *, uint64_t now_ns);

/* Resets the requester to the attributes of the QP. Called when the QP goes from RTR to RTS. */
void requester_start(struct requester *, const struct env *);

/* The effects of feedback or of an expired timer. */
struct requester_decision {
    uint64_t due_ns;                /* the earliest timer that was set; UINT64_MAX: none was */
    uint32_t failed;                /* position in the send queue of the request that fails ... */
    enum completion_status failure; /* ... and its status; COMPLETION_SUCCESS: none fails */
    enum drop_reason reason;        /* why the feedback is dropped */
    bool has_event;
    bool tells_ports; /* the peer may not know the state of our ports */
};

/* Returns the earliest of the timers that run while packets and messages wait for their
 * acknowledgement. Setting the timer of the QP to the same time again has no effect. */
static inline uint64_t requester_timer_ns(const struct requester *requester)
{
    return deadlines_sooner_ns(
        requester->timeout_ns, deadlines_sooner_ns(requester->tail_ns, requester->loss_check_ns));
}

/* The result of requester_send(). */
struct requester_burst {
    uint64_t due_ns; /* a timer that was set, other than requester_timer_ns(); UINT64_MAX: none */
    uint32_t count;  /* below out_max: nothing more to send on the ready ports */
};

/* Writes at most `out_max` packets for ports of `ready_ports`. Sets pace_ns of the peer if packets
 * are paced. */
struct requester_burst requester_send(struct requester *, const struct env *, uint32_t ready_ports,
    struct packet *out, uint32_t out_max, uint64_t now_ns);

/* Write a probe that is due: of the tail or the base RTT; of a bad EV (requester_probe.c). True if
 * one was written. */
bool requester_send_tail_probe(struct requester *, const struct env *, uint32_t ready_ports,
    struct packet *out, uint64_t now_ns);
bool requester_send_ev_probe(struct requester *, const struct env *, uint32_t ready_ports,
    struct packet *out, uint64_t now_ns);
/* Chooses the bad EV to probe next, within the probe rate of the NIC, and sets the timer. */
void requester_draw_ev_probe(struct requester *, const struct env *, uint64_t now_ns);

/* Start or restart the timers after a packet was sent or feedback arrived. */
void requester_arm_tail(struct requester *, const struct env *, uint64_t now_ns);
void requester_arm_timeout(struct requester *, const struct env *, uint64_t now_ns);

/* True if a tail probe was not answered or no path is usable. Any path that works is then
 * acceptable. */
bool requester_is_cut_off(const struct requester *, const struct env *);

/* True if a probe or the repeated last packet of a message is due. These do not wait for the
 * window. */
bool requester_is_urgent(const struct requester *, const struct env *, uint64_t now_ns);
/* True if data would be sent with an open window of the peer and all ports ready. */
bool requester_wants_window(const struct requester *, const struct env *, uint64_t now_ns);

struct requester_decision requester_on_sack(
    struct requester *, const struct env *, const struct packet *, uint64_t now_ns);
struct requester_decision requester_on_nack(
    struct requester *, const struct env *, const struct packet *, uint64_t now_ns);
struct requester_decision requester_on_ack(
    struct requester *, const struct env *, const struct packet *, uint64_t now_ns);

/* The packets in flight no longer count, or count again, at the peer of the QP. */
void requester_leave_peer(struct requester *, const struct env *);
void requester_join_peer(struct requester *, const struct env *);

/* Declares the packets lost that left through a local port within the last round trip. Called when
 * the port goes down. */
void requester_on_port_down(
    struct requester *, const struct env *, uint32_t plane, uint64_t now_ns);

/* True if a lost packet may be sent again. `*which`: the oldest that is not held back (§11). The
 * window must be open, or nothing in flight (§12). */
bool requester_may_repair(
    const struct requester *, const struct env *, struct psn *which, uint64_t now_ns);

/* True if there is new work and the PSN window and the limit of WriteImm allow it. */
static inline bool requester_wants_to_send_new(const struct requester *requester, uint32_t max_wimm)
{
    return send_queue_can_cut(&requester->queue, max_wimm) &&
           send_window_count(&requester->window) < requester->mpr_psns;
}

/* True if there is new work and congestion window, PSN window and the limit of WriteImm allow
 * it. */
static inline bool requester_may_send_new(
    const struct peer *peer, const struct requester *requester, uint32_t max_wimm, uint64_t now_ns)
{
    return peer_can_send(peer, now_ns) && requester_wants_to_send_new(requester, max_wimm);
}

/* True if something other than data may be due. */
static inline bool requester_is_asking(const struct requester *requester, uint64_t now_ns)
{
    return requester->probe_planes || requester->probe_once || requester->resend_last ||
           requester->ev_to_probe != REQUESTER_NO_EV || now_ns >= requester->ev_probe_ns;
}

/* Returns the number of packets that the requester can send in succession before it loses its place
 * among the QPs to the peer. Only new data begins a turn; before that, each probe and each
 * retransmission counts separately. */
static inline uint32_t requester_turn_packets(
    const struct requester *requester, const struct env *env, uint64_t now_ns)
{
    if (requester->turn_left > 0)
        return requester->turn_left;
    return requester->window.lost_count > 0 || requester_is_asking(requester, now_ns)
               ? 1
               : env->turn_packets;
}

/* Returns the time until the timeout, for the current count of timeouts (§13). */
uint64_t requester_interval_ns(const struct requester *, const struct env *);

/* The id of a probe contains the EV, so that no record is needed for the answer, and whether the
 * probe tests an EV, in the control class. */
#define REQUESTER_PROBE_EV_MASK  (PATH_EV_COUNT_MAX - 1)
#define REQUESTER_PROBE_TESTS_EV (1u << 15)
static inline uint16_t requester_probe_id(uint8_t sequence, uint32_t ev_index)
{
    return (uint16_t)((sequence * PATH_EV_COUNT_MAX + ev_index) & ~REQUESTER_PROBE_TESTS_EV);
}

/* Returns the nominal size of a PSN that was sent and is not done (MRC 1.0 §8.3.1). */
uint32_t requester_nominal_bytes(const struct requester *, const struct env *, struct psn);

uint64_t requester_deadline_ns(const struct requester *, uint64_t now_ns);

/* Returns the smoothed round trip, or that of an empty network if there is none. */
static inline uint32_t requester_rtt_ns(const struct requester *requester, const struct env *env)
{
    return requester->smoothed_rtt_ns ? requester->smoothed_rtt_ns : env->peer->cc.base_rtt_ns;
}

/* Returns the reordering window without spurious losses (§10). */
uint32_t requester_reorder_ns(const struct env *);

/* Called when the base RTT is known and need not be measured. */
void requester_rtt_known(struct requester *, const struct env *);

/* Called when the base RTT of the peer has changed. Updates what paths and planes derive from
 * it. */
void requester_base_rtt_changed(const struct env *);

/* Called when the application has changed the timeout or the window. */
void requester_attributes_changed(struct requester *, const struct env *);
/* Called when the QP has got another path set. Stops probing the former EVs; packets sent on them
 * do not count against the new ones. */
void requester_forget_evs(struct requester *, const struct env *, uint64_t now_ns);

/* Called when the set of bad EVs, or their probing, has changed. */
void requester_ev_probes_changed(struct requester *, const struct env *);
struct requester_decision requester_expire(struct requester *, const struct env *, uint64_t now_ns);

void requester_check(const struct requester *, const struct env *);
