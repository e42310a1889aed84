/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of feedback processing that SACK, NACK and Transport ACK share at the requester. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/requester.h"
#include "wire/psn.h"
#include "wire/stamp.h"

/* Acknowledges the PSN `base` + i for every bit i that is set in the bitmap. */
void feedback_acknowledge_bitmap(
    struct requester *, const struct env *, struct psn base, uint64_t bitmap, uint64_t now_ns);

/* Acknowledges all PSNs up to and including `cack`. */
void feedback_acknowledge_up_to(
    struct requester *, const struct env *, struct psn cack, uint64_t now_ns);

/* Removes acknowledged PSNs from the window and updates what depends on its progress. Called after
 * acknowledgements. */
void feedback_advance(struct requester *, const struct env *, uint64_t now_ns);

/* True if `cack` may be the cumulative acknowledgement of a packet in flight: not older than a full
 * window, and not of a PSN that was never sent. SACKs overtake each other, but not by more than can
 * be in flight. */
static inline bool feedback_cack_is_plausible(const struct requester *requester, struct psn cack)
{
    const struct send_window *window = &requester->window;

    return psn_distance(cack, window->oldest) <= (int32_t)window->psn_count + 1 &&
           psn_distance(cack, window->next) > 0;
}

/* Returns the index of the EV that feedback concerns: the recorded one (PATH_NONE: there is none)
 * if the echoed entropy confirms it, otherwise the EV with the echoed value. */
uint32_t feedback_ev(const struct env *, uint32_t ev_index, uint32_t entropy);

/* Raises the round trip of a probe, short or trimmed packet to the base RTT. Such packets take less
 * time at each hop than a full one. If they lowered the base RTT, the sender would see longer
 * queues than other senders. */
uint64_t feedback_base_sample(const struct env *, uint64_t sample_ns);

/* True if the echoed stamp is that of the newest copy. Record and stamp are taken at the same
 * time. */
static inline bool feedback_is_newest(struct send_record record, uint16_t stamp, uint64_t now_ns)
{
    uint64_t sent_ns = now_ns - send_window_age_ns(record.ticks, now_ns);

    return stamp == (uint16_t)(sent_ns / STAMP_UNIT_NS);
}
