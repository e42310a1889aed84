/* SPDX-License-Identifier: Apache-2.0 */
/* The sending half of a QP: cuts work into packets, learns from SACK, NACK and ACK, finds losses
 * and repairs them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/send_queue.h"
#include "transport/send_window.h"
#include "wire/drop.h"
#include "wire/packet.h"

struct transport;
struct qp;

#define REQUESTER_NO_PLANE UINT16_MAX
#define REQUESTER_NO_EV    UINT16_MAX

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
    uint64_t watch_ns;         /* the probe of watched_ev has failed; UINT64_MAX: none under way */
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
    uint32_t watch_units;   /* received_units when the probe of watched_ev left */
    uint16_t watched_ev;    /* GOOD, and a tail probe on it under way; REQUESTER_NO_EV: none */
    uint16_t probe_planes;  /* a tail probe is due on each of these */
    uint16_t last_plane;    /* of the most recent acknowledgement */
    uint16_t ev_to_probe;   /* its probe is due and waits for its port; REQUESTER_NO_EV: none */
    uint16_t asked_psn;     /* low bits of the last PSN that asked for a SACK */
    uint16_t longest_ticks; /* rule A: the longest round trip of late, up to 4 ms */
    uint8_t probe_sequence;
    uint8_t tail_rounds; /* since anything was heard */
    bool stamped : 1;    /* data packets carry a TSETH */
    bool rack_valid : 1;
    bool in_recovery : 1;
    bool probe_once : 1;    /* one tail probe is due, on the best plane */
    bool resend_last : 1;   /* for want of a Transport ACK */
    bool watched_again : 1; /* the second probe of watched_ev; the first had no answer */
    bool measure_base : 1;  /* the first SACK shall draw a probe for the base RTT */
    bool probe_base : 1;    /* the probe due once is that one */
    bool base_awaited : 1;  /* it has left */
};

/* Memory for `depth` requests and `psn_count` PSNs; NULL when measuring. */
struct requester *requester_init(struct arena *, uint32_t depth, uint32_t psn_count);

/* RTR to RTS: everything from the beginning, at the QP's attributes. */
void requester_start(struct transport *, struct qp *);

/* Writes one packet and yields true, or false: nothing to send, or no port of `ready_ports` for it.
 */
bool requester_send(
    struct transport *, struct qp *, uint32_t ready_ports, struct packet *out, uint64_t now_ns);

/* The same for probes that are due: of the tail or the base RTT, of bad EVs (requester_probe.c). */
bool requester_send_tail_probe(
    struct transport *, struct qp *, uint32_t ready_ports, struct packet *out, uint64_t now_ns);
bool requester_send_ev_probe(
    struct transport *, struct qp *, uint32_t ready_ports, struct packet *out, uint64_t now_ns);

/* Starts or restarts the timers after something was sent or heard. */
void requester_arm_tail(struct transport *, struct qp *, uint64_t now_ns);
void requester_arm_timeout(struct transport *, struct qp *, uint64_t now_ns);

/* A tail probe was not answered, or there is no usable path: any that works will do. */
bool requester_is_cut_off(const struct transport *, const struct qp *);

/* Whether requester_send() would find something, were all ports ready. */
bool requester_is_ready(const struct transport *, const struct qp *, uint64_t now_ns);

enum drop_reason requester_on_sack(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
enum drop_reason requester_on_nack(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
enum drop_reason requester_on_ack(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);

/* A local port is gone: what left by it within the last round trip is lost. */
void requester_on_port_down(struct transport *, struct qp *, uint32_t plane, uint64_t now_ns);

/* A lost packet may go again, `*which`: the oldest that is not held back (§11), if the window is
 * open or nothing is in flight (§12). */
bool requester_may_repair(const struct qp *, struct psn *which, uint64_t now_ns);

/* There is new work, and congestion window, PSN window and the limit of WriteImm let it go. */
static inline bool requester_may_send_new(
    const struct requester *requester, const struct cc *cc, uint32_t max_wimm)
{
    return send_queue_can_cut(&requester->queue, max_wimm) &&
           cc_can_send(cc, requester->window.inflight_bytes) &&
           send_window_count(&requester->window) < requester->mpr_psns;
}

/* Until the timeout, at the present count of timeouts (§13). */
uint64_t requester_interval_ns(const struct qp *);

/* A probe's id names its EV, so that its answer needs no record. */
#define REQUESTER_PROBE_EV_MASK (PATH_EV_COUNT_MAX - 1)
static inline uint16_t requester_probe_id(uint8_t sequence, uint32_t ev_index)
{
    return (uint16_t)(sequence * PATH_EV_COUNT_MAX + ev_index);
}

/* The nominal size of a PSN sent and not done (§8.3.1 of MRC 1.0). */
uint32_t requester_nominal_bytes(const struct qp *, struct psn);

uint64_t requester_deadline_ns(const struct qp *, uint64_t now_ns);

/* The timeout or the window that the application wants has changed. */
void requester_attributes_changed(struct qp *);
/* The QP has other paths: nothing is being found out about one of the former. */
void requester_forget_evs(struct qp *);

/* A probe on a GOOD EV has left: is it answered (§16.1)? */
void requester_watch(struct transport *, struct qp *, uint32_t ev_index, uint64_t now_ns);

/* Bad EVs, or their probing, changed. */
void requester_ev_probes_changed(struct transport *, struct qp *);
void requester_expire(struct transport *, struct qp *, uint64_t now_ns);

void requester_check(const struct qp *);
