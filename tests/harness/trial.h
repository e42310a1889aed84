/* SPDX-License-Identifier: Apache-2.0 */
/* Small experiments drawn at random (study/study.h): each is run in a process of its own with all
 * checkers on; one that fails is made smaller as long as it still fails, and printed as an
 * experiment file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "study/study.h"

enum { /* of what is drawn */
    TRIAL_NICS_MAX = 24,
    TRIAL_WORKLOADS_MAX = 3,
    TRIAL_FAULTS_MAX = 6,
    TRIAL_WHERE_MAX = 3,
    TRIAL_GENERATORS_MAX = 2,
    TRIAL_EXCEPTIONS_MAX = 3,
};

/* The same seed, the same trial. Its timers are kept when it is made smaller: with others a run may
 * be too short for its work. */
void trial_draw(struct study_trial *, uint64_t seed);

/* Everything that is broken is mended long before the end, and a way is left at all times: the work
 * must get done. */
bool trial_must_finish(const struct study_trial *);

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

void trial_run(const struct study_trial *, enum trial_depth, struct trial_outcome *);

/* ---- telling --------------------------------------------------------------------------------- */

/* As small as it can be made with the same verdict; returns how many runs that took. */
uint32_t trial_shrink(struct study_trial *, enum trial_depth, enum trial_verdict);

/* As a comment of the test's output, an experiment file. */
void trial_print(const struct study_trial *, const struct trial_outcome *);
