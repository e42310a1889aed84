/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments and their runs (study_run.h); and cases that are drawn at random, judged, made
 * smaller and written as files.
 *
 * A case consists of a fabric, workloads and faults. The hunt draws cases from the whole range that
 * the transport is made for, and compares goodput with the max-min capacity. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/sim.h"
#include "study/job_events.h"
#include "study/job_file.h"
#include "study/job_measure.h"
#include "study/job_model.h"
#include "study/search.h"
#include "study/search_json.h"
#include "study/search_table.h"
#include "study/size_candidates.h"
#include "study/size_growth.h"
#include "study/size_json.h"
#include "study/size_measure.h"
#include "study/size_scale.h"
#include "study/size_text.h"
#include "study/study_checkpoint.h"
#include "study/study_claims.h"
#include "study/study_compare.h"
#include "study/study_jobs.h"
#include "study/study_plan.h"
#include "study/study_ranks.h"
#include "study/study_rounds.h"
#include "study/study_run.h"
#include "study/study_seeds.h"
#include "study/study_sweep.h"
#include "study/study_view.h"

/* ---- cases ----------------------------------------------------------------------------------- */

enum { /* limits of a case */
    STUDY_NICS_MAX = 128,
    STUDY_WORKLOADS_MAX = 3,
    STUDY_FAULTS_MAX = 6,
    STUDY_WHERE_MAX = 4,
    STUDY_GENERATORS_MAX = 2,
    STUDY_EXCEPTIONS_MAX = 48,
    STUDY_PARAMETERS_MAX = 48,
    STUDY_NAME_BYTES = 40,
    STUDY_VALUE_BYTES = 24,
    STUDY_REASON_BYTES = 256,
};

struct study_parameter {
    char name[STUDY_NAME_BYTES];
    char value[STUDY_VALUE_BYTES];
};

/* Plain values that may be copied; study_config() connects the parts. */
struct study_trial {
    uint64_t seed;
    uint64_t duration_ps;
    uint64_t sample_ps;            /* 0: default */
    uint64_t settled_ps;           /* a phase "settled" begins here; 0: none */
    struct topology_config wiring; /* without exceptions */
    struct topology_exception exceptions[STUDY_EXCEPTIONS_MAX];
    struct study_parameter parameters[STUDY_PARAMETERS_MAX];
    struct sim_workload workloads[STUDY_WORKLOADS_MAX];
    uint32_t nics[STUDY_WORKLOADS_MAX][STUDY_NICS_MAX];
    struct fault faults[STUDY_FAULTS_MAX];
    struct topology_element where[STUDY_FAULTS_MAX][STUDY_WHERE_MAX];
    struct fault_generator generators[STUDY_GENERATORS_MAX];
    uint32_t exception_count;
    uint32_t parameter_count;
    uint32_t kept_parameters; /* number of parameters, from the first, that shrinking must keep */
    uint32_t workload_count;
    uint32_t fault_count;
    uint32_t generator_count;
};

/* Gives a link another rate, or removes it (0). Does nothing if the link already has an exception,
 * there is no room, or a NIC or leaf would lose its last link. */
void study_add_exception(
    struct study_trial *, const struct topology_element *link, uint64_t rate_bps);
bool study_is_missing(const struct study_trial *, const struct topology_element *link);

/* Returns false if there is no room. */
bool study_set_parameter(struct study_trial *, const char *name, const char *value);

/* Makes the configuration of a run; it refers to the case and to `room`. Returns false with a
 * reason if the case is invalid. */
struct study_room {
    struct plan fabric;
    struct topology_exception exceptions[STUDY_EXCEPTIONS_MAX];
    struct topology_exception sorted[STUDY_EXCEPTIONS_MAX];
};
bool study_config(struct study_trial *, struct study_room *, struct sim_config *,
    char reason[static STUDY_REASON_BYTES]);

/* Writes an experiment file: mrc-experiment(5). */
void study_write(const struct study_trial *, FILE *);

/* Makes the case as small as possible while it is still bad. is_bad() is called at most `runs_max`
 * times and may modify the case. Returns the number of calls. */
uint32_t study_shrink(struct study_trial *, bool (*is_bad)(void *context, struct study_trial *),
    void *context, uint32_t runs_max);
