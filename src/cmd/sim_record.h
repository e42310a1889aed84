/* SPDX-License-Identifier: Apache-2.0 */
/* What is written down while a simulation runs: completions and events as they happen, a sample of
 * everything else at the end of each interval. Integers only; the JSON comes later. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmd/sim_list.h"
#include "files/files.h"
#include "sim/sim.h"

/* One training step of a workload: the slowest rank decides. */
struct sim_step {
    uint64_t end_ps;
    uint64_t duration_ps;
};

struct sim_record_workload {
    struct sim_numbers message_ps;    /* durations */
    struct sim_numbers collective_ps; /* of whole collectives of a rank */
    struct sim_step *steps;
    size_t step_count;
    size_t step_room;
    struct sim_numbers placed; /* bytes in each interval */
    uint64_t placed_before;
    uint64_t done_ps; /* SIM_NEVER_PS: not yet */
};

/* Everything that only grows, at one moment. */
struct sim_moment {
    uint64_t time_ps;
    struct sim_totals totals;
    uint64_t plane_bytes[FABRIC_PLANES_MAX];
    uint64_t *workload_bytes;
    uint64_t active_evs;
    uint64_t bad_evs;
};

/* What is too much for every sample, at one moment. */
struct sim_detail {
    uint64_t *flow_bytes;   /* placed, by flow */
    uint64_t *link_packets; /* by watched link: up, down */
};

/* A phase of the experiment, as it went. */
struct sim_span {
    struct sim_moment from; /* workload_bytes NULL: the run has not come so far */
    struct sim_moment until;
    struct sim_detail from_detail;
    struct sim_detail until_detail;
};

/* Losses of one link, in the samples that had any. */
struct sim_link_losses {
    struct fabric_element link;
    uint64_t total;
    struct sim_numbers samples; /* index, count, index, count, ... */
};

struct sim_events {
    struct sim_event *at;
    size_t count;
    size_t room;
};

struct sim_record {
    const struct experiment *experiment;
    struct sim *sim;
    struct sim_record_workload *workloads;
    uint32_t flow_count;

    struct sim_events fresh; /* of this interval, in no order */
    struct sim_events kept;
    uint64_t kept_of[SIM_EVENT_KIND_COUNT];
    uint64_t left_out;
    uint64_t transitions[EV_STATE_COUNT][EV_STATE_COUNT][PATH_SIGNAL_COUNT];

    struct sim_moment last;
    struct sim_numbers time_ps;
    struct sim_numbers plane_bytes[FABRIC_PLANES_MAX];
    struct sim_numbers queue_peak;
    struct sim_numbers queue_where; /* struct fabric_end, packed by sim_record_pack() */
    struct sim_numbers active_evs;
    struct sim_numbers bad_evs;
    struct sim_numbers trimmed;
    struct sim_numbers marked;
    struct sim_numbers retransmitted;

    uint64_t *lost_of_port; /* so far, by NIC port, then switch port; NULL until there is a loss */
    uint32_t *loss_of_link; /* index in `links`, from 1, by number of the link; 0: none */
    struct sim_link_losses *links;
    size_t link_count;
    size_t link_room;

    uint32_t observed_flow; /* EXPERIMENT_NONE */
    char *ev_states;        /* observed EVs, sample by sample */
    size_t ev_states_bytes;
    size_t ev_states_room;

    struct sim_span *spans; /* of the phases */
};

/* The observer must be set before sim_init(): begin first, attach the simulation afterwards. */
void sim_record_init(struct sim_record *, const struct experiment *, struct sim_observer *);
void sim_record_attach(struct sim_record *, struct sim *);
void sim_record_fini(struct sim_record *);

/* Takes a sample: the run has come to the end of an interval, or to its end. */
void sim_record_sample(struct sim_record *);
/* A phase begins or ends now. */
void sim_record_phases(struct sim_record *);
/* As of now, for a phase that lasts to the end. */
struct sim_detail sim_record_detail(const struct sim_record *);
void sim_record_detail_fini(struct sim_detail *);

struct fabric_end sim_record_unpack(uint64_t packed);

/* When a workload began, and ended or was interrupted; false: it never began. */
bool sim_record_span_of(
    const struct sim_record *, uint32_t workload, uint64_t *from_ps, uint64_t *until_ps);
