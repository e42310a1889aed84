/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half of a QP: admits each packet once, places it at once, reports what arrived. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "transport/control.h"
#include "transport/recv_queue.h"
#include "transport/recv_window.h"
#include "wire/drop.h"
#include "wire/packet.h"

struct transport;
struct qp;

enum {
    RESPONDER_REVERSE_MAX = 2,
    RESPONDER_NO_EV = UINT16_MAX,
};

/* An EV probe of the way back, under way. */
struct responder_reverse {
    uint32_t deadline_ticks; /* of 1.024 us: it has failed */
    uint16_t request;        /* its id */
    uint16_t ev_index;       /* RESPONDER_NO_EV: there is none */
};

struct responder {
    struct recv_window window;
    struct recv_queue queue;
    uint64_t received_bytes; /* nominal, of new packets */
    uint64_t last_arrival_ns;
    uint64_t oor_nack_ns; /* an out-of-window NACK may go again */
    struct rate probe_answers;
    uint64_t reverse_probe_ns;    /* the next EV probe for the way back; UINT64_MAX: none needed */
    uint64_t reverse_deadline_ns; /* the next of those under way; UINT64_MAX: none is */
    struct responder_reverse reverse[RESPONDER_REVERSE_MAX];
    uint32_t idle_ns;          /* an unreported packet waits no longer for company */
    uint32_t range_psns;       /* MPR: PSNs admitted above cack */
    uint32_t unreported_bytes; /* sack_trigger_cnt */
    uint32_t messages_done;
    uint32_t messages_acked; /* the count of the last Transport ACK */
    uint16_t oor_count;
    uint8_t last_flags;     /* of the packet charged last, as are last_psn, last_ev and last_port */
    bool highest_requested; /* prev_ar */
    struct psn tracker;     /* T of §7.3: where the walk over a long bitmap goes on */
    struct psn last_psn;    /* of the packet charged last, for an idle SACK */
    uint32_t last_ev;
    uint8_t last_port;
    uint8_t penalty;   /* rcv_cwnd_pen announced */
    uint8_t sack_turn; /* of §7.3: what the next bitmap shows */
    bool restore : 1;
    bool shown_in_part : 1; /* the last bitmap did not reach all that has arrived */
    bool received_any : 1;
    bool heard : 1; /* since the last turn of reverse probing */
};

struct responder *responder_init(
    struct arena *, uint32_t recv_depth, uint32_t psn_count, uint32_t imm_max);

/* INIT to RTR. */
void responder_start(struct transport *, struct qp *, uint64_t now_ns);

/* As many PSNs as the attributes say, if mpr_pool has them (§4.1). */
void responder_widen_range(struct transport *, struct qp *, uint64_t now_ns);
/* The QP has left RTR or RTS, or its attributes have changed: it admits nothing for now. */
void responder_close_range(struct transport *, struct qp *);
/* PSNs above cack that the attributes let it admit. */
uint32_t responder_full_range_psns(const struct qp *);

enum drop_reason responder_on_write(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
enum drop_reason responder_on_probe(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);

/* Something came after a silence: the way back is to be kept fresh again. */
void responder_begin_probing(struct transport *, struct qp *, uint64_t now_ns);

/* The EV probe for the way back was answered. */
void responder_on_reverse_answer(
    struct qp *, uint16_t request_id, uint32_t ev_index, uint64_t now_ns);

/* No EV is being probed for the way back. */
void responder_forget_reverse(struct responder *);

/* What a SACK leaving now says: bitmap, counts, window, congestion state. The trigger's fields are
 * the caller's. */
void responder_fill_sack(
    struct transport *, struct qp *, const struct control_record *, struct packet_sack *);

uint64_t responder_deadline_ns(const struct qp *);
void responder_expire(struct transport *, struct qp *, uint64_t now_ns);

void responder_check(const struct qp *);
