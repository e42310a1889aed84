/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half of a QP: admits each packet once, places it at once, reports what arrived. */
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

/* First what every data packet touches. */
struct responder {
    struct recv_window window;
    uint64_t received_bytes; /* nominal, of new packets */
    uint64_t last_arrival_ns;
    uint32_t range_psns;       /* MPR: PSNs admitted above cack */
    uint32_t unreported_bytes; /* sack_trigger_cnt */
    uint32_t idle_ns;          /* an unreported packet waits no longer for company */
    uint32_t last_ev;
    struct psn last_psn;    /* of the packet charged last, for an idle SACK */
    struct psn asked_psn;   /* the highest that asked for a Transport ACK, if ack_asked */
    uint8_t last_port;      /* of the packet charged last, as are last_psn, last_ev and ... */
    uint8_t last_flags;     /* ... these */
    bool highest_requested; /* prev_ar */
    bool restore : 1;
    bool ack_asked : 1;     /* by a packet above cack, or just now */
    bool shown_in_part : 1; /* the last bitmap did not reach all that has arrived */
    bool received_any : 1;
    uint32_t messages_done;
    uint32_t messages_acked; /* the count of the last Transport ACK */
    struct psn tracker;      /* T of §7.3: where the walk over a long bitmap goes on */
    uint16_t oor_count;
    uint8_t penalty;   /* rcv_cwnd_pen announced */
    uint8_t sack_turn; /* of §7.3: what the next bitmap shows */
    struct recv_queue queue;
    uint64_t oor_nack_ns; /* an out-of-window NACK may go again */
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
    RESPONDER_FAILS = 1 << 6, /* and the QP with it */
};

/* What follows from a packet. Two registers hold it. */
struct responder_decision {
    uint64_t due_ns; /* its timer now ends here; UINT64_MAX: was not set */
    struct psn psn;  /* that the answers are about */
    uint8_t effects; /* enum responder_effect */
    uint8_t code;    /* of the answer: enum sack_mark, NACK reason, NAK syndrome */
    uint8_t reason;  /* enum drop_reason */
    uint8_t async;   /* RESPONDER_FAILS: enum transport_event_kind to raise */
};

_Static_assert(sizeof(struct responder_decision) == 16, "returned in registers");

/* INIT to RTR. It admits nothing before its range is set. */
void responder_start(struct responder *, const struct env *, uint64_t now_ns);

/* PSNs above cack that the attributes let it admit. */
uint32_t responder_full_range_psns(const struct responder *, const struct env *);

/* Where a PSN lies, with the range that it admits now. */
static inline enum recv_window_place responder_place(
    const struct responder *responder, struct psn psn)
{
    return recv_window_place(&responder->window, psn, responder->range_psns);
}

/* Of data packets: transport/responder_write.h. */
struct responder_decision responder_on_probe(
    struct responder *, const struct env *, const struct packet *, uint64_t now_ns);

/* What a SACK leaving now says: bitmap, counts, window, congestion state. The trigger's fields are
 * the caller's. Returns when its timer ends; UINT64_MAX: as before. */
uint64_t responder_fill_sack(
    struct responder *, const struct env *, const struct control_record *, struct packet_sack *);

uint64_t responder_deadline_ns(const struct responder *);

/* How many SACKs, with stretches from 1 on, are to tell all that has arrived; 0: none. `sack`: gets
 * the rest of what they have in common. */
uint32_t responder_expire(struct responder *, struct control_record *sack, uint64_t now_ns);

void responder_check(const struct responder *);
