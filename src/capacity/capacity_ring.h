/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of rings. A rank forwards what it receives, so its pair cannot carry more than its rank
 * began with and what the pair before it carried, however fast its own links are.
 *
 * A pair is due its rate while its rank holds bits that the pair was not due before. When these are
 * spent, the pair is *tied*: it is due no more than the pair before it, and others have what it
 * leaves. What a rank holds is reckoned from what pairs were due, so that a slow transport excuses
 * no pair, but stays near what the rank really holds: bits that a slow pair did not carry are still
 * there, and bits that never arrived are not. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capacity/capacity.h"

/* What a pair may forward. */
struct capacity_forward {
    uint32_t feeder;    /* the pair whose bits it forwards, plus 1; 0: it forwards nothing */
    bool is_tied;       /* it is due no more than its feeder */
    bool is_shared;     /* it shares a flow with pairs of other workloads, and is never tied */
    double chunk_bits;  /* what its rank began with */
    double slack_bits;  /* that a rank may hold although its pair does well: slices, under way */
    double step_bits;   /* the most that its NIC sends between two looks */
    double placed_bits; /* what the pair has carried */
    double fluid_bits;  /* what it would have carried if it had never waited for a slow transport */
    double before_bits; /* the same at the last look */
    double given_bits;  /* what its rank holds beyond what it received, and what was due */
};

/* Fills `forwards`, one for each pair. Only rings are followed whose ranks begin with much more
 * than a NIC sends between two looks: otherwise looks are too rare. A pair whose feeder shares a
 * flow with other workloads may have the rate of the whole flow. Returns true if there is any ring.
 */
bool capacity_ring_find(struct capacity_forward *forwards, const struct capacity_pair *,
    uint32_t pair_count, const struct sim_config *);

/* Advances fluid_bits: every pair has `rate_bps`, as long as its rank holds bits. `due_bits`: what
 * each pair was due. */
void capacity_ring_flow(struct capacity_forward *forwards, uint32_t pair_count,
    const double *rate_bps, const double *due_bits, double time_s);

/* Ties and unties pairs, after placed_bits and fluid_bits have changed. */
void capacity_ring_tie(
    struct capacity_forward *forwards, uint32_t pair_count, const double *due_bits);

/* A tied pair whose feeder has nothing outstanding is due nothing, and counts as if it had nothing
 * outstanding. */
void capacity_ring_starve(
    const struct capacity_forward *forwards, uint32_t pair_count, bool *is_outstanding);

/* Limits the rates of tied pairs to those of their feeders, as far as possible without a
 * solution. */
void capacity_ring_limit(
    const struct capacity_forward *forwards, uint32_t pair_count, double *rate_bps);

/* Sets `forwards` of a track whose pairs are known. Returns 0 or -ENOMEM. */
int capacity_ring_init(struct capacity_track *);
/* Does the above, after the track has looked at its pairs. Only if it has rings. */
void capacity_ring_look(struct capacity_track *);
