/* SPDX-License-Identifier: Apache-2.0 */
/* What is written down while a simulation runs, and what follows from it: completions and events as
 * they happen, a sample of everything else at the end of each interval; phases, fairness, recovery
 * from faults. Integers, so that every machine finds the same; nothing here is text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim.h"
#include "topology/topology.h"

#define MEASURE_NONE UINT32_MAX

__extension__ typedef unsigned __int128 measure_wide;

/* ---- memory ---------------------------------------------------------------------------------- */

/* Gives memory of another size, with the old contents as far as they fit; 0 bytes: gives it back.
 * Never fails: a program that has no more ends there. */
struct measure_memory {
    void *(*resize)(void *context, void *memory, size_t bytes);
    void *context;
};

struct measure_numbers {
    uint64_t *at;
    size_t count;
    size_t room;
};

void measure_push(const struct measure_memory *, struct measure_numbers *, uint64_t number);
void measure_free(const struct measure_memory *, struct measure_numbers *);
uint64_t measure_last(const struct measure_numbers *); /* 0: none */

/* Of durations or the like. Sorts the numbers. */
struct measure_distribution {
    size_t count; /* 0: the others mean nothing */
    uint64_t min;
    uint64_t p50;
    uint64_t p99;
    uint64_t p999;
    uint64_t max;
};
struct measure_distribution measure_distribution(struct measure_numbers *);

/* Payload bytes in a time, as bit/s, rounded down. */
uint64_t measure_bps(uint64_t bytes, uint64_t duration_ps);

/* ---- what to measure ------------------------------------------------------------------------- */

/* A named span of the run. */
struct measure_phase {
    char name[SIM_NAME_BYTES];
    uint64_t from_ps;
    uint64_t until_ps; /* SIM_NEVER_PS: the end */
};

/* Whose EVs are watched. */
struct measure_observe {
    uint32_t workload; /* MEASURE_NONE: no workload's */
    uint32_t from_rank;
    uint32_t to_rank; /* MEASURE_NONE: any */
};

/* A link whose packets are counted, phase by phase. */
struct measure_watch {
    char name[SIM_NAME_BYTES];
    struct topology_element link;
};

struct measure_plan {
    const struct sim_config *sim;
    uint64_t sample_ps;
    struct measure_observe observe;
    const struct measure_watch *watches;
    uint32_t watch_count;
    const struct measure_phase *phases;
    uint32_t phase_count;
};

/* All QPs from one rank to another, in the order of their flows. */
struct measure_pair {
    uint32_t workload;
    uint32_t first_flow;
    uint32_t flow_count;
};

/* What could have been carried so far. The owner keeps it up to date; 0 pairs: it is not known. */
struct measure_capacity {
    const struct measure_pair *pairs;
    uint32_t pair_count;
    const double *bits; /* by pair */
    uint64_t window_ps; /* recovery is judged by */
};

/* ---- the record ------------------------------------------------------------------------------ */

/* One training step of a workload: the slowest rank decides. */
struct measure_step {
    uint64_t end_ps;
    uint64_t duration_ps;
};

struct measure_workload {
    struct measure_numbers message_ps;    /* durations */
    struct measure_numbers collective_ps; /* of whole collectives of a rank */
    struct measure_step *steps;
    size_t step_count;
    size_t step_room;
    struct measure_numbers placed;        /* bytes in each interval */
    struct measure_numbers capacity_bits; /* in each interval */
    uint64_t done_ps;                     /* SIM_NEVER_PS: not yet */
};

/* Everything that only grows, at one moment. */
struct measure_moment {
    uint64_t time_ps;
    struct sim_totals totals;
    uint64_t plane_bytes[TOPOLOGY_PLANES_MAX];
    uint64_t *workload_bytes;
    uint64_t *workload_bits; /* of capacity */
    uint64_t active_evs;
    uint64_t bad_evs;
};

/* What is too much for every sample, at one moment. */
struct measure_detail {
    uint64_t *flow_bytes;   /* placed, by flow */
    uint64_t *pair_bits;    /* of capacity, by pair */
    uint64_t *link_packets; /* by watched link: up, down */
};

/* A phase, as it went. */
struct measure_span {
    struct measure_moment from; /* workload_bytes NULL: the run has not come so far */
    struct measure_moment until;
    struct measure_detail from_detail;
    struct measure_detail until_detail;
};

/* Losses of one link, in the samples that had any. */
struct measure_losses {
    struct topology_element link;
    uint64_t total;
    struct measure_numbers samples; /* index, count, index, count, ... */
};

struct measure_event_list {
    struct sim_event *at;
    size_t count;
    size_t room;
};

struct measure_record {
    const struct measure_plan *plan;
    const struct measure_capacity *capacity;
    struct measure_memory memory;
    struct sim *sim;
    struct measure_workload *workloads;
    uint32_t flow_count;

    struct measure_event_list fresh; /* of this interval, in no order */
    struct measure_event_list kept;
    uint64_t kept_of[SIM_EVENT_KIND_COUNT];
    uint64_t left_out;
    uint64_t transitions[EV_STATE_COUNT][EV_STATE_COUNT][PATH_SIGNAL_COUNT];

    struct measure_moment last;
    struct measure_numbers time_ps;
    struct measure_numbers plane_bytes[TOPOLOGY_PLANES_MAX];
    struct measure_numbers queue_peak;
    struct measure_numbers queue_where; /* struct topology_end, packed by measure_unpack() */
    struct measure_numbers active_evs;
    struct measure_numbers bad_evs;
    struct measure_numbers trimmed;
    struct measure_numbers marked;
    struct measure_numbers retransmitted;

    /* at every look, since the beginning */
    struct measure_numbers look_ps;
    struct measure_numbers look_bytes;
    struct measure_numbers look_bits;

    uint64_t *lost_of_port; /* so far, by NIC port, then switch port; NULL until there is a loss */
    uint32_t *loss_of_link; /* index in `links`, from 1, by number of the link; 0: none */
    struct measure_losses *links;
    size_t link_count;
    size_t link_room;

    uint32_t observed_flow; /* MEASURE_NONE */
    char *ev_states;        /* observed EVs, sample by sample */
    size_t ev_states_bytes;
    size_t ev_states_room;

    struct measure_span *spans; /* of the phases */
};

/* The observer must be set before sim_init(): begin first, attach the simulation afterwards. */
void measure_init(struct measure_record *, const struct measure_plan *,
    const struct measure_memory *, struct sim_observer *);
void measure_attach(struct measure_record *, struct sim *, const struct measure_capacity *);
void measure_fini(struct measure_record *);

/* The capacity was brought up to date. */
void measure_look(struct measure_record *);
/* Takes a sample: the run has come to the end of an interval, or to its end. */
void measure_sample(struct measure_record *);
/* A phase begins or ends now. */
void measure_phases(struct measure_record *);
/* As of now, for a phase that lasts to the end. */
struct measure_detail measure_detail(const struct measure_record *);
void measure_detail_fini(const struct measure_record *, struct measure_detail *);

struct topology_end measure_unpack(uint64_t packed);

/* When a workload began, and ended or was interrupted; false: it never began. */
bool measure_span_of(
    const struct measure_record *, uint32_t workload, uint64_t *from_ps, uint64_t *until_ps);

/* ---- fairness -------------------------------------------------------------------------------- */

/* How evenly flows share: Jain's index, the slowest and the fastest. */
struct measure_fairness {
    measure_wide sum; /* of kb/s, so that squares stay small */
    measure_wide sum_of_squares;
    uint64_t count;
    uint64_t least_bps;
    uint64_t most_bps;
};

void measure_fairness_init(struct measure_fairness *);
void measure_fairness_add(struct measure_fairness *, uint64_t flow_bps);
/* 1,000,000: fair. */
uint64_t measure_jain_millionths(const struct measure_fairness *);
/* Of a workload's flows, over their whole lives. */
struct measure_fairness measure_fairness_of(const struct measure_record *, uint32_t workload);

/* ---- phases ---------------------------------------------------------------------------------- */

/* Between two moments. */
struct measure_between {
    const struct measure_moment *from;
    const struct measure_moment *until;
    const struct measure_detail *from_detail;
    const struct measure_detail *until_detail;
};

/* What was carried of what could have been. */
struct measure_share {
    uint64_t bits;
    uint64_t capacity_bits;
};

/* The figures of one workload in a phase. */
struct measure_phase_work {
    uint64_t bytes;
    uint64_t duration_ps;             /* of it, at work; 0: not at all */
    uint64_t least_bps;               /* of the worst sample; UINT64_MAX: there is none */
    uint64_t stall_ps;                /* the longest time without a byte */
    struct measure_fairness fairness; /* of the flows that were there when it began */
    struct measure_share share;
    struct measure_share worst; /* the pair with the smallest share; capacity_bits 0: none */
    uint32_t worst_pair;
};
struct measure_phase_work measure_phase_work(
    const struct measure_record *, uint32_t workload, const struct measure_between *);

/* Of all workloads together. */
struct measure_share measure_phase_share(
    const struct measure_record *, const struct measure_between *);
uint64_t measure_queue_peak(const struct measure_record *, const struct measure_between *);
/* From the first loss, at most a sample too early, to the first EV that is suspect or bad for it;
 * SIM_NEVER_PS: there is none. */
uint64_t measure_ev_reaction_ps(const struct measure_record *, const struct measure_between *);

/* ---- faults ---------------------------------------------------------------------------------- */

/* How goodput came back to capacity after something changed: in windows from then on, those without
 * any capacity left out. It is back with the first of three windows in a row at 95 %. */
struct measure_recovery {
    uint32_t window_count; /* that were looked at; 0: the rest means nothing */
    struct measure_share lowest;
    uint64_t below_ps; /* windows below 95 % until then, all together */
    bool has_recovered;
    uint64_t after_ps; /* has_recovered: time since the change */
};
struct measure_recovery measure_recovery(const struct measure_record *, uint64_t change_ps);
