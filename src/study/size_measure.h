/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a failure of each element on a small fabric, with packets, and measures what it takes
 * away: the rate from 0.4 to 0.8 ms after the failure, compared with that of a run without it.
 * Pairs of NICs far from each other send as fast as they can. */
#pragma once

#include "study/size_failures.h"
#include "study/study_contender.h"
#include "study/study_jobs.h"
#include "study/study_plan.h"

enum { SIZE_SCENES_MAX = 16 };

/* An element of the small fabric fails. */
struct size_scene {
    enum size_element element;
    uint32_t tier;
    uint32_t nics;      /* that the failure affects */
    double share;       /* of their rate that they lose, calculated for the small fabric */
    uint32_t pairs;     /* of NICs with at least one that is affected */
    uint32_t run;       /* of each contender */
    uint32_t quiet_run; /* without the failure, which scenes with the same NICs share */
};

#define SIZE_MEASURED_NOTHING (-1.0)

struct size_measured {
    double share;      /* of the rate of affected pairs that they lose */
    double others;     /* likewise, of the other pairs; 0: there are none */
    double settles_us; /* after the failure, until the rate stays at what remains; 0: at once;
                          SIZE_MEASURED_NOTHING: nothing remains */
    uint64_t timeouts; /* of all NICs */
};

struct size_measure {
    const struct study_contender_choice *choice;
    struct size_fabric small;
    struct size_scene scenes[SIZE_SCENES_MAX];
    uint32_t scene_count;
    struct study_plan plans[STUDY_CONTENDERS_MAX]; /* by contender */
    uint32_t plan_count;
    uint32_t run_count;
    uint32_t done_count;
    struct size_measured results[STUDY_CONTENDERS_MAX][SIZE_SCENES_MAX];
    char problem[YAML_PROBLEM_BYTES]; /* if reading fails */
};

/* Finds the small fabric and reads the runs. Returns false with a problem. The caller releases the
 * struct in either case. */
bool size_measure_read(struct size_measure *, const struct study_contender_choice *,
    const struct size_fabric *, const struct size_site *, const struct job *);
void size_measure_fini(struct size_measure *);

/* Makes all runs, and calls `on_run` after each. Returns false after an error message or an
 * interrupt. */
bool size_measure_run(struct size_measure *, const struct study_manner *,
    void (*on_run)(void *context, const struct size_measure *), void *context);

/* Returns the scene of this failure, NULL: it is not simulated. */
const struct size_scene *size_measure_scene(
    const struct size_measure *, const struct size_failure *);
