/* SPDX-License-Identifier: Apache-2.0 */
/* One experiment with several contenders on the same fabric, with the same work, faults and seeds.
 */
#pragma once

#include "study/study_contender.h"
#include "study/study_jobs.h"
#include "study/study_plan.h"

struct study_compare {
    const struct study_contender_choice *choice;
    struct study_plan plans[STUDY_CONTENDERS_MAX]; /* by contender */
    uint32_t plan_count;
    uint32_t run_count; /* of all contenders */
    uint32_t done_count;
    char problem[YAML_PROBLEM_BYTES]; /* if reading fails */
};

/* Reads and checks all runs. `path`: an experiment; NULL: the built-in one. The sets of `changes`
 * apply before those of a contender. Returns false with a problem. The caller releases the struct
 * in either case. */
bool study_compare_read(struct study_compare *, const struct study_contender_choice *,
    const char *path, const struct study_changes *changes);
void study_compare_fini(struct study_compare *);

/* Makes all runs, and calls `on_run` after each. Returns the document of mrc-compare(1); NULL after
 * an error message or an interrupt. */
json_t *study_compare_run(struct study_compare *, const struct study_manner *,
    void (*on_run)(void *context, const struct study_compare *), void *context);
