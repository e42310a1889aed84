/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what one failure of each class costs a job, with packets, for each contender.
 *
 * The sweep of the experiment has a run "quiet" without faults, and for each class a run with one
 * fault. Its label is the name of the class, with _ for a blank. The first workload trains, and
 * ends after some steps. With several seeds, costs are means. RoCEv2 and InfiniBand have the retry
 * timers of NCCL. */
#pragma once

#include "study/study_contender.h"
#include "study/study_jobs.h"
#include "study/study_plan.h"

/* The text of experiments/job-events.yaml, embedded at build time by tools/embed. */
extern const char job_measure_default[];

struct job_measure {
    const struct study_contender_choice *choice;
    struct study_plan plans[STUDY_CONTENDERS_MAX]; /* by contender */
    uint32_t plan_count;
    uint32_t run_count; /* of all contenders */
    uint32_t done_count;
    char problem[YAML_PROBLEM_BYTES]; /* if reading fails */
};

/* Reads and checks all runs. `path`: an experiment; NULL: the built-in one. The sets of `changes`
 * apply after those of contenders. Returns false with a problem. The caller releases the struct in
 * either case. */
bool job_measure_read(struct job_measure *, const struct study_contender_choice *, const char *path,
    const struct study_changes *);
void job_measure_fini(struct job_measure *);

/* Makes all runs, and calls `on_run` after each. Returns the document that job_events_apply()
 * reads; NULL after an error message or an interrupt. */
json_t *job_measure_run(struct job_measure *, const struct study_manner *,
    void (*on_run)(void *context, const struct job_measure *), void *context);
