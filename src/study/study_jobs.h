/* SPDX-License-Identifier: Apache-2.0 */
/* Several independent runs, each in a process of its own. */
#pragma once

#include "study/study_run.h"

/* The runs in their order; NULL: one of them has no result. At most manner->jobs at a time. */
json_t *study_jobs_run(struct study_run **, uint32_t run_count, const struct study_manner *);
