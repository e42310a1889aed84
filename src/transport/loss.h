/* SPDX-License-Identifier: Apache-2.0 */
/* When a packet in flight is taken for lost: the four rules of docs/protocol.md §10. */
#pragma once

#include <stdint.h>

#include "transport/requester.h"
#include "wire/packet.h"

enum { LOSS_RELAX_ROUND_TRIPS = 16 }; /* a spurious loss is remembered */

enum loss_rule {
    LOSS_BY_TIME,    /* A: something sent later was acknowledged a reordering window ago */
    LOSS_BY_COUNT,   /* B: too much arrived out of order */
    LOSS_BY_PROBE,   /* C: an undelayed probe sent a reordering window later overtook it */
    LOSS_BY_TIMEOUT, /* D */
    LOSS_BY_PORT,    /* its port went down: not the path's fault */
    LOSS_BY_TRIM,    /* NACK TRIMMED */
    LOSS_BY_TRIM_LASTHOP,
    LOSS_BY_NACK, /* any other NACK */
    LOSS_RULE_COUNT,
};

/* Queues the PSN, which is in flight, to be sent again, and lets window and path draw the
 * consequences of the rule. */
void loss_declare(
    struct requester *, const struct env *, struct psn, enum loss_rule, uint64_t now_ns);

/* Q of rule A left after this packet; of two that left together, the one with the higher PSN did.
 */
static inline bool loss_was_overtaken(
    const struct requester *requester, struct psn psn, uint32_t ticks)
{
    return ticks == requester->rack_ticks ? psn_before(psn, requester->rack_psn)
                                          : send_window_later(requester->rack_ticks, ticks);
}

/* Of a packet that was sent once: what slow paths take is the least that others may take, too. */
static inline void loss_note_round_trip(struct requester *requester, uint32_t rtt_ns)
{
    uint32_t ticks = rtt_ns / SEND_WINDOW_TICK_NS;

    if (ticks > requester->longest_ticks)
        requester->longest_ticks = (uint16_t)(ticks < UINT16_MAX ? ticks : UINT16_MAX);
}

/* The newest copy of a packet was acknowledged for the first time: keeps the latest-sent one for
 * rule A. */
static inline void loss_on_acknowledged(struct requester *requester, struct psn psn,
    struct send_record record, uint32_t base_rtt_ns, uint64_t now_ns)
{
    uint32_t rtt_ns;

    if (requester->rack_valid && loss_was_overtaken(requester, psn, record.ticks))
        return;
    rtt_ns = send_window_age_ns(record.ticks, now_ns);
    /* Answered sooner than possible: the answer is to the copy before. */
    if (record.flags & (SEND_TWICE | SEND_OFTEN) && rtt_ns < base_rtt_ns)
        return;
    requester->rack_valid = true;
    requester->rack_psn = psn;
    requester->rack_ticks = record.ticks;
    requester->rack_rtt_ns = rtt_ns;
}

/* Of the packets taken for lost of late, one was not. */
static inline bool loss_was_spurious(const struct requester *requester, const struct env *env)
{
    return requester->reorder_ns > requester_reorder_ns(env);
}

/* Rule A, on a SACK: declares what is due, and sets the timer for the next. */
void loss_infer_by_time(struct requester *, const struct env *, uint64_t now_ns);
/* The timer has run out. */
void loss_on_time(struct requester *, const struct env *, uint64_t now_ns);

/* Rule B, on a SACK. */
void loss_infer_by_count(
    struct requester *, const struct env *, uint32_t ooo_count, uint64_t now_ns);

/* Rule C: a probe sent `probe_age_ns` ago was answered by this SACK. */
void loss_infer_by_probe(struct requester *, const struct env *, const struct packet_sack *,
    uint32_t probe_age_ns, uint64_t now_ns);

/* Rule D: everything that waited for `interval_ns` or longer, the oldest in any case. */
void loss_infer_by_timeout(
    struct requester *, const struct env *, uint64_t interval_ns, uint64_t now_ns);

/* A packet taken for lost had arrived: allow for more reordering. */
void loss_on_spurious(struct requester *, const struct env *, uint64_t now_ns);

/* The same, known from an acknowledgement, whichever, that came before it was sent again. */
void loss_on_disproved(struct requester *, const struct env *, struct psn, uint64_t now_ns);

/* Packets taken for lost have lately turned out not to be, or some take so long that it may come to
 * that. */
bool loss_is_in_doubt(const struct requester *, const struct env *);

/* Long without a spurious loss, or without a long round trip: allow for less again. Called on each
 * SACK. */
void loss_relax(struct requester *, const struct env *, uint64_t now_ns);
