/* SPDX-License-Identifier: Apache-2.0 */
/* Several independent runs, each in a process of its own. */
#pragma once

#include "cmd/sim_runner.h"

/* The runs in their order; NULL when one yielded nothing. At most options->jobs at a time. */
json_t *sim_jobs_run(struct sim_plan_run **, uint32_t run_count, const struct sim_options *);
