/* SPDX-License-Identifier: Apache-2.0 */
/* Loss inference: the four rules of docs/protocol.md §10. */
#pragma once

#include <stdint.h>

#include "transport/requester.h"
#include "wire/packet.h"

enum { LOSS_RELAX_ROUND_TRIPS = 16 }; /* time for which a spurious loss has effect */

enum loss_rule {
    LOSS_BY_TIME,    /* A: a packet sent later was acknowledged a reordering window ago */
    LOSS_BY_COUNT,   /* B: too much arrived out of order */
    LOSS_BY_PROBE,   /* C: a probe sent a reordering window later arrived before it */
    LOSS_BY_TIMEOUT, /* D */
    LOSS_BY_PORT,    /* its port went down; this does not count against the path */
    LOSS_BY_TRIM,    /* NACK TRIMMED */
    LOSS_BY_TRIM_LASTHOP,
    LOSS_BY_NACK, /* any other NACK */
    LOSS_RULE_COUNT,
};

/* Queues the PSN, which is in flight, for retransmission, and applies the rule to congestion window
 * and path. */
void loss_declare(
    struct requester *, const struct env *, struct psn, enum loss_rule, uint64_t now_ns);

/* True if Q of rule A was sent after this packet. If both were sent at the same time, the higher
 * PSN counts as later. */
static inline bool loss_was_overtaken(
    const struct requester *requester, struct psn psn, uint32_t ticks)
{
    return ticks == requester->rack_ticks ? psn_before(psn, requester->rack_psn)
                                          : send_window_later(requester->rack_ticks, ticks);
}

/* Records the round trip of a packet that was sent once. Other packets may take as long as the
 * slowest one. */
static inline void loss_note_round_trip(struct requester *requester, uint32_t rtt_ns)
{
    uint32_t ticks = rtt_ns / SEND_WINDOW_TICK_NS;

    if (ticks > requester->longest_ticks)
        requester->longest_ticks = (uint16_t)(ticks < UINT16_MAX ? ticks : UINT16_MAX);
}

/* Called when the newest copy of a packet is acknowledged for the first time. Keeps the packet for
 * rule A if it was sent later than the current Q. */
static inline void loss_on_acknowledged(struct requester *requester, struct psn psn,
    struct send_record record, uint32_t base_rtt_ns, uint64_t now_ns)
{
    uint32_t rtt_ns;

    if (requester->rack_valid && loss_was_overtaken(requester, psn, record.ticks))
        return;
    rtt_ns = send_window_age_ns(record.ticks, now_ns);
    /* The answer arrived too early to be for this copy: it is for the copy before. */
    if (record.flags & (SEND_TWICE | SEND_OFTEN) && rtt_ns < base_rtt_ns)
        return;
    requester->rack_valid = true;
    requester->rack_psn = psn;
    requester->rack_ticks = record.ticks;
    requester->rack_rtt_ns = rtt_ns;
}

/* True if a packet that was declared lost recently had arrived. */
static inline bool loss_was_spurious(const struct requester *requester, const struct env *env)
{
    return requester->reorder_ns > requester_reorder_ns(env);
}

/* Rule A, called for each SACK: declares the losses that are due and sets the timer for the
 * next. */
void loss_infer_by_time(struct requester *, const struct env *, uint64_t now_ns);
/* Called when the timer of rule A has expired. */
void loss_on_time(struct requester *, const struct env *, uint64_t now_ns);

/* Rule B, called for each SACK. */
void loss_infer_by_count(
    struct requester *, const struct env *, uint32_t ooo_count, uint64_t now_ns);

/* Rule C, called when this SACK answers a probe that was sent `probe_age_ns` ago. */
void loss_infer_by_probe(struct requester *, const struct env *, const struct packet_sack *,
    uint32_t probe_age_ns, uint64_t now_ns);

/* Rule D: declares all packets lost that are `interval_ns` old or older, and the oldest in any
 * case. */
void loss_infer_by_timeout(
    struct requester *, const struct env *, uint64_t interval_ns, uint64_t now_ns);

/* Called when a packet that was declared lost had arrived: widens the reordering window. */
void loss_on_spurious(struct requester *, const struct env *, uint64_t now_ns);

/* As loss_on_spurious(), but called when an acknowledgement arrives before the packet was sent
 * again. */
void loss_on_disproved(struct requester *, const struct env *, struct psn, uint64_t now_ns);

/* Called when a packet is declared lost that no queue has dropped. Many losses in succession, none
 * of them spurious, narrow the reordering window. */
void loss_on_real(struct requester *, const struct env *, uint64_t now_ns);

/* True if a recent loss was spurious, or if packets take so long that a loss may be spurious. */
bool loss_is_in_doubt(const struct requester *, const struct env *);

/* Returns the reordering window to its usual size after a long time without a spurious loss, or
 * without losses. Called for each SACK. */
void loss_relax(struct requester *, const struct env *, uint64_t now_ns);
