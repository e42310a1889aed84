/* SPDX-License-Identifier: Apache-2.0 */
/* Runs several independent runs, each in its own process. */
#pragma once

#include "study/study_run.h"

/* Returns the results in the order of the runs; NULL: one has no result. At most manner->jobs run
 * at a time. */
json_t *study_jobs_run(struct study_run **, uint32_t run_count, const struct study_manner *);
