/* SPDX-License-Identifier: Apache-2.0 */
/* The observations during the run of a case. */
#pragma once

#include "capacity/capacity.h"
#include "study/hunt.h"

/* A pair of ranks, measured until there is enough to judge. */
struct hunt_watch_pair {
    uint64_t since_ps;
    uint64_t since_bytes; /* placed */
    double since_bits;    /* of capacity */
    uint64_t below_ps;    /* time below half of its share */
    bool was_idle;        /* at some look since then; the pair is not judged */
    uint64_t settled_bytes;
    double settled_bits;
};

/* An EV of a QP, or a port of a NIC, that is failed. */
struct hunt_watch_failed {
    uint64_t since_ps;
    uint64_t name;
};

struct hunt_watch {
    const struct study_trial *trial;
    struct capacity_track *track;
    struct hunt_watch_pair *pairs;
    uint64_t window_ps;
    uint64_t starved_ps;
    bool is_settled;
    struct hunt_watch_failed *failed;
    uint32_t failed_count;
    uint32_t failed_room;
    uint64_t failed_ps; /* longest of those that recovered */
};

/* Called before the simulation is set up. The watch must be zero. */
void hunt_watch_observe(struct hunt_watch *, const struct study_trial *, struct sim_observer *);
/* Called after the simulation is set up. Returns false if there is no memory. */
bool hunt_watch_init(struct hunt_watch *, struct capacity_track *);
void hunt_watch_fini(struct hunt_watch *);

/* Called after each capacity_track_look(). */
void hunt_watch_look(struct hunt_watch *);
/* Called at the end. */
void hunt_watch_figures(const struct hunt_watch *, struct hunt_figures *);
