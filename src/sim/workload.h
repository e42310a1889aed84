/* SPDX-License-Identifier: Apache-2.0 */
/* The behaviour of the ranks of a workload. Each rank reacts only to events at its own NIC, so that
 * NICs can be simulated one by one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/deadline_heap.h"
#include "sim/sim.h"

#define WORKLOAD_QPS_MAX 131072

/* ---- pairs of ranks: known before the run ---------------------------------------------------- */

struct workload_layout {
    const struct sim_workload *workload;
    uint32_t *nic_of_rank;
    uint32_t *to_rank; /* permutation: the rank that each rank writes to */
    uint32_t *scratch;
    struct workload_script *scripts; /* schedule: of each rank */
};

/* With an arena without memory it only measures, and the layout is not usable yet. Random choices
 * depend on the seed and the name of the workload. `nics` are those of its job; NULL: it is in
 * none. */
struct workload_place {
    const struct topology *topology;
    const uint32_t *nics;
    uint64_t seed;
};
void workload_layout_init(struct workload_layout *, struct arena *, const struct sim_workload *,
    const struct workload_place *);

/* One direction of one QP between two ranks. A rank numbers its outgoing flows 0, 1, ... in the
 * order of the layout, and its incoming flows in the same way. */
struct workload_flow {
    uint32_t from_rank;
    uint32_t to_rank;
    bool tells; /* messages carry an immediate, which is reported to the receiving rank */
};

/* The count needs no layout; the flow with each number is computed. */
uint32_t workload_flow_count(const struct sim_workload *);
struct workload_flow workload_flow_at(const struct workload_layout *, uint32_t index);
/* Returns the number of flows that send at a time. */
uint32_t workload_flows_at_once(const struct sim_workload *);
/* Returns the maximum number of messages that wait on one flow. */
uint32_t workload_outstanding_max(const struct sim_workload *);
/* Returns the bytes of the largest message. */
uint64_t workload_largest_bytes(const struct sim_workload *);
/* Returns the maximum number of messages that one flow sends in total; 0: not known. */
uint32_t workload_flow_messages(const struct sim_workload *);

/* Returns the payload rate of all its flows in bit/s without other workloads and faults: limited by
 * the NICs and the uplinks of leaves, with `payload_bytes` of payload in every `wire_bytes`; 0: not
 * known, of a schedule. */
uint64_t workload_ideal_bps(const struct workload_layout *, const struct topology *,
    uint32_t payload_bytes, uint32_t wire_bytes);

/* ---- a rank ---------------------------------------------------------------------------------- */

/* The actions of a rank, provided by the simulator of its NIC. None of them may call the rank
 * back. */
struct workload_world {
    /* Posts a message on outgoing flow `flow`; `tag` is its immediate if the flow has `tells`. */
    void (*send)(void *context, uint32_t flow, uint64_t bytes, uint32_t tag, uint64_t now_ps);
    /* Requests a call of workload_on_wake(). A later request replaces an earlier one. */
    void (*wake_at)(void *context, uint64_t time_ps);
    /* Reports that a collective or round trip of this rank took from `since_ps` to now. */
    void (*completed)(void *context, uint64_t bytes, uint64_t since_ps, uint64_t now_ps);
    /* Reports a training step, counted from 0. */
    void (*stepped)(void *context, uint32_t step, uint64_t since_ps, uint64_t now_ps);
    /* Reports that the rank has finished all its work. */
    void (*finished)(void *context, uint64_t now_ps);
    void *context;
};

/* Messages of a ring since the beginning: on one QP from the previous rank and on one to the
 * next. In a tree: on a QP from a neighbour and on one to it. */
struct workload_lane {
    uint32_t posted;
    uint32_t sent; /* and acknowledged */
    uint32_t arrived;
};

/* Schedule: an operation of a rank. */
struct workload_operation {
    uint32_t waits; /* operations that it still waits for; WORKLOAD_BEGUN */
    uint32_t next;  /* the next operation of its lane; WORKLOAD_NO_OPERATION */
};
#define WORKLOAD_BEGUN        UINT32_MAX
#define WORKLOAD_NO_OPERATION UINT32_MAX

/* Schedule: the messages of a flow that are not acknowledged, by number of the operation. */
struct workload_queue {
    uint32_t first;    /* the oldest */
    uint32_t unposted; /* the first that is not posted */
    uint32_t last;
    uint32_t posted;
    uint32_t waiting; /* not posted */
};

/* Schedule: what a rank has done of it. Numbers of operations begin at 0 for each rank. */
struct workload_script {
    struct deadline_heap times; /* when operations begin, or have computed */
    struct workload_operation *operations;
    struct workload_queue *queues; /* of each flow to another rank */
    uint64_t *free_ps;             /* when each of its processors has computed */
    uint32_t left;                 /* operations that have not ended */
};

/* State of one rank: small, the same size for every kind. */
struct workload_rank {
    const struct sim_workload *workload;
    uint64_t began_ps;      /* of this round trip, collective or step */
    uint64_t collective_ps; /* training: the beginning of its collective */
    uint32_t rank;
    uint32_t iteration; /* completed iterations */
    uint32_t posted;    /* messages, except with lanes: of a collective, else since the beginning */
    uint32_t sent;      /* of these, acknowledged */
    bool is_started;
    bool is_communicating; /* a collective is running */
    bool is_computing;
    bool may_overlap; /* training: the collective of this step has begun */
    bool is_finished;
    uint8_t phase;          /* parallel training: what the rank does */
    uint32_t pass;          /* likewise: of this step */
    uint32_t segment;       /* likewise: of this pass */
    uint32_t exchange;      /* likewise: with experts, since the beginning */
    uint64_t busy_until_ps; /* likewise: it computes */
    uint8_t stage;          /* hierarchical all-reduce: the part of it that is running */
    uint64_t until_ps;      /* and, if that part does not use the network, its end */
    union {
        struct workload_lane *lanes;    /* of each QP to each neighbour; all-to-all: `arrived` of
                                           even and of odd iterations */
        struct workload_script *script; /* schedule */
    };
};

/* Returns the number of lanes of each rank. */
uint32_t workload_lane_count(const struct sim_workload *);
/* The lanes must be zero; the rank keeps them. */
void workload_rank_init(struct workload_rank *, const struct workload_layout *, uint32_t rank,
    struct workload_lane *lanes);
/* Returns the start time of a rank (start, stagger, jitter). */
uint64_t workload_start_ps(const struct sim_workload *, uint32_t rank, uint64_t seed);

/* Returns true if an outgoing flow on which this many messages are acknowledged, and none waits,
 * will have no other. */
bool workload_flow_is_over(
    const struct workload_rank *, uint32_t flow, uint32_t acknowledged_count);

/* Messages may arrive before the start. Those of one flow arrive in the order in which they were
 * sent. */
void workload_on_start(struct workload_rank *, const struct workload_world *, uint64_t now_ps);
void workload_on_sent(
    struct workload_rank *, const struct workload_world *, uint32_t flow, uint64_t now_ps);
void workload_on_received(struct workload_rank *, const struct workload_world *, uint32_t flow,
    uint32_t tag, uint64_t now_ps);
void workload_on_wake(struct workload_rank *, const struct workload_world *, uint64_t now_ps);

/* ---- before the run -------------------------------------------------------------------------- */

/* Checks all workloads for this fabric. Returns false with the first problem. */
bool workload_check(const struct sim_config *, struct problem *);
