/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranks of a workload do: each reacts to what happens at its own NIC and to nothing else,
 * so that NICs can be simulated one by one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "sim/sim.h"

#define WORKLOAD_QPS_MAX 64

/* ---- pairs of ranks: known before the run ---------------------------------------------------- */

struct workload_layout {
    const struct sim_workload *workload;
    uint32_t *nic_of_rank;
    uint32_t *to_rank; /* permutation: the rank that each rank writes to */
    uint32_t *scratch;
};

/* Measures with an arena without memory; then the layout is of no use yet. What is drawn at random
 * depends on the seed and the workload's name. */
void workload_layout_init(struct workload_layout *, struct arena *, const struct sim_workload *,
    const struct topology *, uint64_t seed);

/* One direction of one QP between two ranks. A rank numbers its flows out 0, 1, ... in the order in
 * which the layout lists them, and likewise its flows in. */
struct workload_flow {
    uint32_t from_rank;
    uint32_t to_rank;
    bool tells; /* messages carry an immediate: the receiver's rank is told of each */
};

/* The number needs no layout; the flow with each number is arithmetic. */
uint32_t workload_flow_count(const struct sim_workload *);
struct workload_flow workload_flow_at(const struct workload_layout *, uint32_t index);
/* The most messages that wait on one flow at once. */
uint32_t workload_outstanding_max(const struct sim_workload *);

/* Payload of all its flows together in bit/s, were it alone and nothing broken: what the NICs and
 * the links up from leaves leave when `payload_bytes` of every `wire_bytes` are payload. */
uint64_t workload_ideal_bps(const struct workload_layout *, const struct topology *,
    uint32_t payload_bytes, uint32_t wire_bytes);

/* ---- what a rank does ------------------------------------------------------------------------ */

/* What a rank may do, given by the simulator of its NIC. None of these may call the rank back. */
struct workload_world {
    /* Posts a message on flow out number `flow`; `tag` comes with it where the flow tells. */
    void (*send)(void *context, uint32_t flow, uint64_t bytes, uint32_t tag, uint64_t now_ps);
    /* Calls workload_on_wake() then; one at a time, a later call replaces an earlier one. */
    void (*wake_at)(void *context, uint64_t time_ps);
    /* A collective or round trip of this rank took from `since_ps` to now. */
    void (*completed)(void *context, uint64_t bytes, uint64_t since_ps, uint64_t now_ps);
    /* A training step, counted from 0. */
    void (*stepped)(void *context, uint32_t step, uint64_t since_ps, uint64_t now_ps);
    /* Has nothing more to do, ever. */
    void (*finished)(void *context, uint64_t now_ps);
    void *context;
};

/* Messages of a ring on one QP from the one before, and on one to the next, since the beginning. */
struct workload_lane {
    uint32_t posted;
    uint32_t sent; /* and acknowledged */
    uint32_t arrived;
};

/* State of one rank: small, the same size for every kind. */
struct workload_rank {
    const struct sim_workload *workload;
    uint64_t began_ps;      /* this round trip, collective or step */
    uint64_t collective_ps; /* training: when its collective began */
    uint32_t rank;
    uint32_t iteration; /* finished so far */
    uint32_t posted;    /* messages, but for rings: of a collective, else since the beginning */
    uint32_t sent;      /* of them, acknowledged */
    bool is_started;
    bool is_communicating; /* a collective is under way */
    bool is_computing;
    bool may_overlap; /* training: the collective of this step has begun */
    bool is_finished;
    struct workload_lane
        *lanes; /* of each QP; all-to-all: `arrived` of even and of odd iterations */
};

/* How many lanes each rank needs. */
uint32_t workload_lane_count(const struct sim_workload *);
/* The lanes are zero and stay the rank's. */
void workload_rank_init(struct workload_rank *, const struct sim_workload *, uint32_t rank,
    struct workload_lane *lanes);
/* When it begins (start, stagger, jitter). */
uint64_t workload_start_ps(const struct sim_workload *, uint32_t rank, uint64_t seed);

/* Messages may come in before the start; those of one flow come in the order they were sent. */
void workload_on_start(struct workload_rank *, const struct workload_world *, uint64_t now_ps);
void workload_on_sent(
    struct workload_rank *, const struct workload_world *, uint32_t flow, uint64_t now_ps);
void workload_on_received(struct workload_rank *, const struct workload_world *, uint32_t flow,
    uint32_t tag, uint64_t now_ps);
void workload_on_wake(struct workload_rank *, const struct workload_world *, uint64_t now_ps);

/* ---- before the run -------------------------------------------------------------------------- */

/* All workloads make sense on this fabric; false: says which does not, and why. */
bool workload_check(const struct sim_config *, struct problem *);
