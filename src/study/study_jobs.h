/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of runs: it distributes independent runs over processes. Nothing else decides which run
 * begins next, and where. */
#pragma once

#include "study/study_run.h"

/* Takes ownership of the result of the run with this index; NULL: it has none, after an error
 * message. Returns false if no further run is to begin. */
struct study_sink {
    bool (*take)(void *context, uint32_t index, json_t *run);
    void *context;
};

/* Makes at most manner->jobs runs at a time, and fewer if memory is short. Results come in the
 * order in which runs end. An interrupt ends all runs; those that had begun have a result. */
void study_jobs_run(struct study_run **, uint32_t run_count, const struct study_manner *,
    const struct study_sink *);

/* Returns the results in the order of the runs; NULL: one has no result. A single run, and
 * runs of several ranks, are made in this process. */
json_t *study_jobs_gather(struct study_run **, uint32_t run_count, const struct study_manner *);
