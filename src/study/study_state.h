/* SPDX-License-Identifier: Apache-2.0 */
/* What changes during a run: the simulation and its measurements. */
#pragma once

#include "carrier/carrier.h"
#include "result/result.h"
#include "study/study_memory.h"
#include "study/study_run.h"

/* It is in the memory of the run, because a checkpoint has all of it. */
struct study_state {
    struct measure_record record;
    struct result_capacity capacity;
    struct sim *sim;
    uint64_t step_ps;
    uint64_t before_ps; /* when something was recorded last */
    uint64_t stop_ps;   /* when something must be recorded next, if later; 0: not begun */
    double took_s;      /* until the last checkpoint */
    struct carrier_times times;
};

/* Maps the memory that a run needs. Returns false after an error message. */
bool study_state_map(struct study_memory *, const struct sim_config *, const struct study_manner *);

/* Maps the memory, and sets up the run in it: at its beginning, or where its checkpoint ends. The
 * observer is what the record needs. Returns NULL after an error message. */
struct study_state *study_state_open(struct study_memory *, struct study_run *,
    const struct study_manner *, struct sim_observer *to_record);
void study_state_close(struct study_memory *, struct study_state *);
