/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of several plans, in one queue. */
#pragma once

#include "study/study_jobs.h"
#include "study/study_plan.h"

struct study_plans {
    const struct study_plan *const *at;
    uint32_t count;
    /* Called after each run. If it returns false, no further run begins. */
    bool (*on_run)(void *context, json_t *run, uint32_t done_count);
    void *context;
};

uint32_t study_plans_run_count(const struct study_plans *);

/* Makes all runs. Returns their results, in the order of the plans; NULL after an error message or
 * an interrupt. */
json_t **study_plans_run(const struct study_plans *, const struct study_manner *);
void study_plans_release(const struct study_plans *, json_t **results);
