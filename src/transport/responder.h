/* SPDX-License-Identifier: Apache-2.0 */
/* The responder, the receiving part of a QP: accepts each packet once, places it immediately, and
 * reports what has arrived. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "transport/control_queue.h"
#include "transport/env.h"
#include "transport/recv_queue.h"
#include "transport/recv_window.h"
#include "wire/drop.h"
#include "wire/packet.h"

/* The members that every data packet touches come first. */
struct responder {
    struct recv_window window;
    uint64_t received_bytes; /* nominal, of new packets */
    uint64_t last_arrival_ns;
    uint32_t range_psns;       /* MPR: PSNs admitted above cack */
    uint32_t unreported_bytes; /* sack_trigger_cnt */
    uint32_t noted_bytes;      /* received_bytes at the last SACK, modulo 2^32 (receive_share.h) */
    uint32_t idle_ns; /* unreported packets are reported after this time without arrivals */
    uint32_t last_ev;
    struct psn last_psn;    /* of the last packet charged, for an idle SACK */
    struct psn asked_psn;   /* highest PSN that requested a Transport ACK, if ack_asked */
    uint8_t last_port;      /* of the last packet charged, as are last_psn, last_ev and ... */
    uint8_t last_flags;     /* ... these */
    bool highest_requested; /* prev_ar */
    bool ack_asked : 1;     /* a packet above cack, or the current one, requested an ACK */
    bool shown_in_part : 1; /* the last bitmap did not show all packets that have arrived */
    bool received_any : 1;
    uint32_t messages_done;
    uint32_t messages_acked; /* message count of the last Transport ACK */
    struct psn tracker;      /* T of §7.3: where the next bitmap of a long range begins */
    uint16_t oor_count;
    uint8_t penalty;   /* rcv_cwnd_pen announced */
    uint8_t sack_turn; /* turn of §7.3: selects what the next bitmap shows */
    struct recv_queue queue;
    uint64_t oor_nack_ns; /* time at which an out-of-window NACK may be sent again */
    struct rate probe_answers;
};

/* `responder`: NULL when measuring. */
void responder_init(
    struct responder *, struct arena *, uint32_t recv_depth, uint32_t psn_count, uint32_t imm_max);

enum responder_effect {
    RESPONDER_OWES_SACK = 1 << 0,
    RESPONDER_OWES_ACK = 1 << 1,
    RESPONDER_OWES_NACK = 1 << 2,
    RESPONDER_OWES_NAK = 1 << 3,
    RESPONDER_OWES_PROBE_ANSWER = 1 << 4,
    RESPONDER_HAS_EVENT = 1 << 5,
    RESPONDER_FAILS = 1 << 6, /* the QP fails */
};

/* The effects of a packet. The struct fits into two registers. */
struct responder_decision {
    uint64_t due_ns; /* new end of its timer; UINT64_MAX: not set */
    struct psn psn;  /* that the answers concern */
    uint8_t effects; /* enum responder_effect */
    uint8_t code;    /* of the answer: enum sack_mark, NACK reason, NAK syndrome */
    uint8_t reason;  /* enum drop_reason */
    uint8_t async;   /* RESPONDER_FAILS: enum transport_event_kind to raise */
};

_Static_assert(sizeof(struct responder_decision) == 16, "returned in registers");

/* Starts the responder when the QP goes from INIT to RTR. It admits no PSN before its range is
 * set. */
void responder_start(struct responder *, const struct env *, uint64_t now_ns);

/* Returns the number of PSNs above cack that the attributes allow it to admit. */
uint32_t responder_full_range_psns(const struct responder *, const struct env *);

/* Returns the place of a PSN in the range that the responder admits now. */
static inline enum recv_window_place responder_place(
    const struct responder *responder, struct psn psn)
{
    return recv_window_place(&responder->window, psn, responder->range_psns);
}

/* Handles a Reliability Probe. transport/responder_write.h handles data packets. */
struct responder_decision responder_on_probe(
    struct responder *, const struct env *, const struct packet *, uint64_t now_ns);

/* Fills in a SACK that leaves now: bitmap, counts, window, congestion state. The caller fills in
 * the fields of the trigger. Returns the new end of the timer; UINT64_MAX: unchanged. */
uint64_t responder_fill_sack(
    struct responder *, const struct env *, const struct control_record *, struct packet_sack *);

uint64_t responder_deadline_ns(const struct responder *);

/* Returns the number of SACKs, with stretches from 1 on, that report all packets that have arrived;
 * 0: none. Fills in `sack`, which all of them have in common except for the stretch. */
uint32_t responder_expire(struct responder *, struct control_record *sack, uint64_t now_ns);

void responder_check(const struct responder *);
