/* SPDX-License-Identifier: Apache-2.0 */
/* A small experiment drawn at random: a fabric, work to do, faults to survive. It is run in a
 * process of its own with all checkers on; one that fails is made smaller as long as it still
 * fails, and printed as an experiment file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/sim.h"

enum { /* of what a trial can hold */
    TRIAL_NICS_MAX = 24,
    TRIAL_WORKLOADS_MAX = 3,
    TRIAL_FAULTS_MAX = 6,
    TRIAL_WHERE_MAX = 3,
    TRIAL_GENERATORS_MAX = 2,
    TRIAL_EXCEPTIONS_MAX = 3,
    TRIAL_PARAMETERS_MAX = 9,
    TRIAL_TIMERS = 5, /* its first parameters: with others a run may be too short for its work */
    TRIAL_TEXT_BYTES = 8192,
};

struct trial_parameter {
    const char *name;
    const char *value;
};

/* Plain values: may be copied; trial_config() ties its parts together. */
struct trial {
    uint64_t seed;
    uint64_t duration_ps;
    struct fabric_config wiring; /* without exceptions */
    struct fabric_exception exceptions[TRIAL_EXCEPTIONS_MAX];
    struct trial_parameter parameters[TRIAL_PARAMETERS_MAX];
    struct sim_workload workloads[TRIAL_WORKLOADS_MAX];
    uint32_t nics[TRIAL_WORKLOADS_MAX][TRIAL_NICS_MAX];
    struct sim_fault faults[TRIAL_FAULTS_MAX];
    struct fabric_element where[TRIAL_FAULTS_MAX][TRIAL_WHERE_MAX];
    struct sim_fault_generator generators[TRIAL_GENERATORS_MAX];
    uint32_t exception_count;
    uint32_t parameter_count;
    uint32_t workload_count;
    uint32_t fault_count;
    uint32_t generator_count;
};

/* The same seed, the same trial. */
void trial_draw(struct trial *, uint64_t seed);

/* The configuration of a run; it lives in the trial and in `room`. False: it makes no sense, and
 * `reason` says why. */
struct trial_room {
    struct fabric fabric;
    struct fabric_exception exceptions[TRIAL_EXCEPTIONS_MAX];
    struct fabric_exception sorted[TRIAL_EXCEPTIONS_MAX];
};
bool trial_config(
    struct trial *, struct trial_room *room, struct sim_config *, char reason[static 256]);

/* Everything that is broken is mended long before the end, and a way is left at all times: the work
 * must get done. */
bool trial_must_finish(const struct trial *);

/* ---- running --------------------------------------------------------------------------------- */

enum trial_verdict {
    TRIAL_GOOD,
    TRIAL_STUCK,    /* the work was not done although it could be */
    TRIAL_VIOLATED, /* a checker */
    TRIAL_OUT_OF_MEMORY,
    TRIAL_CRASHED,
    TRIAL_DISAGREES, /* two engines, or with and without bytes on the wire */
    TRIAL_VERDICT_COUNT,
};

struct trial_outcome {
    enum trial_verdict verdict;
    uint64_t hash;
    uint64_t packet_hops;
    uint64_t ended_ps;
    enum sim_status status;
    uint64_t lost; /* packets, for whatever reason */
    char reason[256];
};

/* How much is compared with the plain run. */
enum trial_depth {
    TRIAL_ONCE,
    TRIAL_BOTH_ENGINES,
    TRIAL_ALL_WAYS, /* and every hop through bytes */
};

void trial_run(const struct trial *, enum trial_depth, struct trial_outcome *);

/* ---- telling --------------------------------------------------------------------------------- */

/* As small as it can be made with the same verdict; yields how many runs that took. */
uint32_t trial_shrink(struct trial *, enum trial_depth, enum trial_verdict);

/* As an experiment file; yields its length. */
uint32_t trial_write(const struct trial *, char out[static TRIAL_TEXT_BYTES]);
/* The same as a comment of the test's output. */
void trial_print(const struct trial *, const struct trial_outcome *);
