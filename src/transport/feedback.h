/* SPDX-License-Identifier: Apache-2.0 */
/* What SACK, NACK and Transport ACK have in common for the sending half. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/requester.h"
#include "wire/psn.h"
#include "wire/stamp.h"

/* Bit i of the bitmap: `base` + i was received. */
void feedback_acknowledge_bitmap(
    struct requester *, const struct env *, struct psn base, uint64_t bitmap, uint64_t now_ns);

/* Everything up to `cack` was. */
void feedback_acknowledge_up_to(
    struct requester *, const struct env *, struct psn cack, uint64_t now_ns);

/* After acknowledgements: the old end of the window, and what depends on its progress. */
void feedback_advance(struct requester *, const struct env *, uint64_t now_ns);

/* Neither older than anything that can be under way nor of what was never sent. SACKs overtake each
 * other, but not by more than what can be in flight. */
static inline bool feedback_cack_is_plausible(const struct requester *requester, struct psn cack)
{
    const struct send_window *window = &requester->window;

    return psn_distance(cack, window->oldest) <= (int32_t)window->psn_count + 1 &&
           psn_distance(cack, window->next) > 0;
}

/* The EV that feedback speaks of: the one on record (PATH_NONE: none is), if the echo confirms it;
 * else the one of that value. */
uint32_t feedback_ev(const struct env *, uint32_t ev_index, uint32_t entropy);

/* Probes, short packets and trimmed ones take less time at each hop than a full one. Their round
 * trips may not lower the base RTT, or a sender that has had one would see longer queues than
 * others. */
uint64_t feedback_base_sample(const struct env *, uint64_t sample_ns);

/* Whether the stamp that feedback echoes is that of the newest copy: record and stamp were taken
 * together. */
static inline bool feedback_is_newest(struct send_record record, uint16_t stamp, uint64_t now_ns)
{
    uint64_t sent_ns = now_ns - send_window_age_ns(record.ticks, now_ns);

    return stamp == (uint16_t)(sent_ns / STAMP_UNIT_NS);
}
