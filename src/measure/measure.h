/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of a running simulation, and figures derived from them: completions and events as
 * they happen, a sample of everything else at the end of each interval; phases, fairness,
 * recovery from faults. All values are integers, so that every machine has the same results;
 * none is text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/allocator.h"
#include "sim/sim.h"
#include "topology/topology.h"

#define MEASURE_NONE UINT32_MAX

__extension__ typedef unsigned __int128 measure_wide;

/* ---- numbers --------------------------------------------------------------------------------- */

struct measure_numbers {
    uint64_t *at;
    size_t count;
    size_t room;
};

void measure_push(const struct allocator *, struct measure_numbers *, uint64_t number);
void measure_free(const struct allocator *, struct measure_numbers *);
uint64_t measure_last(const struct measure_numbers *); /* 0: none */

/* Of durations or other numbers, which it sorts. */
struct measure_distribution {
    size_t count; /* 0: the other members are undefined */
    uint64_t min;
    uint64_t p50;
    uint64_t p99;
    uint64_t p999;
    uint64_t max;
};
struct measure_distribution measure_distribution(struct measure_numbers *);

/* Returns the rate of payload bytes in a time, in bit/s, rounded down. */
uint64_t measure_bps(uint64_t bytes, uint64_t duration_ps);

/* ---- what is measured ------------------------------------------------------------------------ */

/* A named part of the run. */
struct measure_phase {
    char name[SIM_NAME_BYTES];
    uint64_t from_ps;
    uint64_t until_ps; /* SIM_NEVER_PS: the end */
};

/* The flow whose EVs are observed. */
struct measure_observe {
    uint32_t workload; /* MEASURE_NONE: none */
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
    uint32_t qp_series;  /* number of QPs with a series of their own */
    bool skips_capacity; /* does not compute the most that the fabric could carry */
    bool occupancy;      /* measures how long queues have which length */
};

/* All QPs from one rank to another, in the order of their flows. */
struct measure_pair {
    uint32_t workload;
    uint32_t first_flow;
    uint32_t flow_count;
};

/* The capacity so far. Its owner updates it. 0 pairs: unknown. */
struct measure_capacity {
    const struct measure_pair *pairs;
    uint32_t pair_count;
    const double *bits; /* by pair */
    uint64_t window_ps; /* window for judging recovery */
};

/* ---- optional measurements ------------------------------------------------------------------- */

/* A QP with a series of its own. QPs are chosen at equal distances from all flows. */
struct measure_qp {
    uint32_t flow;
    uint64_t before_bytes; /* placed until the last sample */
    struct measure_numbers bytes;
};

/* Lengths of data queues of switch ports, at every sample. Level i: more than 4^i KiB; level 0: not
 * empty. A port that has a length in some share of the samples has it in that share of the time. */
#define MEASURE_LEVELS 7
struct measure_occupancy {
    uint64_t look_count; /* samples times ports */
    uint64_t above[MEASURE_LEVELS];
    measure_wide bytes;     /* sum of all lengths */
    uint64_t *busy_of_port; /* samples with a queue, by switch port */
    uint64_t port_count;
    uint64_t sample_count;
};
/* Returns the length that a queue of a level exceeds. */
uint64_t measure_level_bytes(uint32_t level);

/* ---- the record ------------------------------------------------------------------------------ */

/* One training step of a workload; the slowest rank counts. */
struct measure_step {
    uint64_t end_ps;
    uint64_t duration_ps;
};

struct measure_workload {
    struct measure_numbers message_ps;    /* durations */
    struct measure_numbers collective_ps; /* durations of complete collectives of a rank */
    struct measure_step *steps;
    size_t step_count;
    size_t step_room;
    struct measure_numbers placed;        /* bytes in each interval */
    struct measure_numbers capacity_bits; /* in each interval */
    uint64_t done_ps;                     /* SIM_NEVER_PS: not yet */
};

/* All values that only grow, at one point in time. */
struct measure_moment {
    uint64_t time_ps;
    struct sim_totals totals;
    uint64_t plane_bytes[TOPOLOGY_PLANES_MAX];
    uint64_t *workload_bytes;
    uint64_t *workload_bits; /* of capacity */
    uint64_t active_evs;
    uint64_t bad_evs;
};

/* Values that are too large for every sample, at one point in time. */
struct measure_detail {
    uint64_t *flow_bytes;   /* placed, by flow */
    uint64_t *pair_bits;    /* of capacity, by pair */
    uint64_t *link_packets; /* by watched link: up, down */
};

/* The course of a phase. */
struct measure_span {
    struct measure_moment from; /* workload_bytes NULL: the run has not reached it */
    struct measure_moment until;
    struct measure_detail from_detail;
    struct measure_detail until_detail;
};

/* Losses of one link, in the samples with losses. */
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
    struct allocator memory; /* never fails */
    struct sim *sim;
    struct measure_workload *workloads;
    uint32_t flow_count;

    struct measure_event_list fresh; /* events of this interval, unsorted */
    struct measure_event_list kept;
    uint64_t kept_of[SIM_EVENT_KIND_COUNT];
    uint64_t left_out;
    uint64_t transitions[EV_STATE_COUNT][EV_STATE_COUNT][PATH_SIGNAL_COUNT];

    struct measure_moment last;
    struct measure_numbers time_ps;
    struct measure_numbers plane_bytes[TOPOLOGY_PLANES_MAX];
    struct measure_numbers queue_peak;
    struct measure_numbers queue_where; /* struct topology_end, packed; see measure_unpack() */
    struct measure_numbers active_evs;
    struct measure_numbers bad_evs;
    struct measure_numbers trimmed;
    struct measure_numbers marked;
    struct measure_numbers retransmitted;

    /* at every look, since the beginning */
    struct measure_numbers look_ps;
    struct measure_numbers look_bytes;
    struct measure_numbers look_bits;

    struct sim_deadlock deadlock; /* the first that a sample has seen; link_count 0: none */
    uint64_t deadlock_ps;         /* the time of that sample */

    uint64_t *lost_of_port; /* so far, by NIC port, then switch port; NULL before the first loss */
    uint64_t lost_data;     /* so far, of all ports: packets of the data classes */
    struct measure_numbers data_losses; /* indexes of the samples with such losses */
    uint32_t *loss_of_link; /* by number of the link: index in `links` plus 1; 0: none */
    struct measure_losses *links;
    size_t link_count;
    size_t link_room;

    uint32_t observed_flow; /* MEASURE_NONE */
    char *ev_states;        /* observed EVs, sample by sample */
    size_t ev_states_bytes;
    size_t ev_states_room;

    struct measure_span *spans; /* of the phases */

    struct measure_qp *qps; /* NULL: none */
    uint32_t qp_count;
    struct measure_occupancy occupancy;
};

/* The observer must be set before sim_init(): call measure_init() first, then attach the
 * simulation. */
void measure_init(struct measure_record *, const struct measure_plan *, const struct allocator *,
    struct sim_observer *);
void measure_attach(struct measure_record *, struct sim *, const struct measure_capacity *);
void measure_fini(struct measure_record *);

/* Called after the capacity was updated. */
void measure_look(struct measure_record *);
/* Takes a sample, at the end of an interval or of the run. */
void measure_sample(struct measure_record *);
/* Called when a phase begins or ends. */
void measure_phases(struct measure_record *);
/* Returns the current details, for a phase that lasts to the end. */
struct measure_detail measure_detail(const struct measure_record *);
void measure_detail_fini(const struct measure_record *, struct measure_detail *);

struct topology_end measure_unpack(uint64_t packed);

/* Returns when a workload began, and when it ended or was interrupted. False: it never began. */
bool measure_span_of(
    const struct measure_record *, uint32_t workload, uint64_t *from_ps, uint64_t *until_ps);

/* ---- fairness -------------------------------------------------------------------------------- */

/* Fairness of flows: Jain's index, the slowest and the fastest. */
struct measure_fairness {
    measure_wide sum; /* in kb/s, so that squares stay small */
    measure_wide sum_of_squares;
    uint64_t count;
    uint64_t least_bps;
    uint64_t most_bps;
};

void measure_fairness_init(struct measure_fairness *);
void measure_fairness_add(struct measure_fairness *, uint64_t flow_bps);
/* Returns Jain's index in millionths; 1,000,000: all equal. */
uint64_t measure_jain_millionths(const struct measure_fairness *);
/* Computes the fairness of a workload's flows over their whole lifetime. */
struct measure_fairness measure_fairness_of(const struct measure_record *, uint32_t workload);

/* ---- phases ---------------------------------------------------------------------------------- */

/* Two points in time. */
struct measure_between {
    const struct measure_moment *from;
    const struct measure_moment *until;
    const struct measure_detail *from_detail;
    const struct measure_detail *until_detail;
};

/* Payload carried and capacity. */
struct measure_share {
    uint64_t bits;
    uint64_t capacity_bits;
};

/* The figures of one workload in a phase. */
struct measure_phase_work {
    uint64_t bytes;
    uint64_t duration_ps;             /* time at work in the phase; 0: none */
    uint64_t least_bps;               /* in the worst sample; UINT64_MAX: no sample */
    uint64_t stall_ps;                /* longest time without a byte placed */
    struct measure_fairness fairness; /* of the flows that existed when it began */
    struct measure_share share;
    struct measure_share worst; /* pair with the lowest share; capacity_bits 0: none */
    uint32_t worst_pair;
};
struct measure_phase_work measure_phase_work(
    const struct measure_record *, uint32_t workload, const struct measure_between *);

/* Returns the share of all workloads together. */
struct measure_share measure_phase_share(
    const struct measure_record *, const struct measure_between *);
uint64_t measure_queue_peak(const struct measure_record *, const struct measure_between *);
/* Returns the time from the first loss of a data packet, at most one sample too early, to the first
 * EV that becomes SUSPECT or ASSUMED_BAD because of it; SIM_NEVER_PS: there is none. A lost answer
 * shows nothing of its path. */
uint64_t measure_ev_reaction_ps(const struct measure_record *, const struct measure_between *);

/* ---- faults ---------------------------------------------------------------------------------- */

/* How goodput returned to capacity after a change, judged in windows that begin with the change.
 * Windows without capacity are omitted. Goodput has recovered with the first of three consecutive
 * windows at 95 %. */
struct measure_recovery {
    uint32_t window_count; /* windows judged; 0: the other members are undefined */
    struct measure_share lowest;
    uint64_t below_ps; /* total time of windows below 95 % until then */
    bool has_recovered;
    uint64_t after_ps; /* has_recovered: time since the change */
};
struct measure_recovery measure_recovery(const struct measure_record *, uint64_t change_ps);
