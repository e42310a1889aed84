/* SPDX-License-Identifier: Apache-2.0 */
/* Distributes independent runs over MPI ranks, in rounds: in each, a rank makes some of the runs
 * like study_jobs_run(), and rank 0 gets all results at the end. */
#pragma once

#include "study/study_jobs.h"

/* Rank 0: makes all runs together with the others. `numbers` has the index of each run in the list
 * that the others have. Results come in any order. */
void study_rounds_run(struct study_run **, const uint32_t *numbers, uint32_t run_count,
    const struct study_manner *, const struct study_sink *);

/* Other ranks: make runs of this list until rank 0 ends. */
void study_rounds_follow(struct study_run **, uint32_t run_count, const struct study_manner *);
