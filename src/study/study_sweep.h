/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep: the runs of several experiments, in a folder with one file for each run. A sweep that
 * was interrupted continues with the runs that are missing. The folder has
 *
 *     runs/NAME.json  one run: mrc-result(5)
 *     runs.csv        all runs, a line per run and workload
 *     sets.csv        mean and spread, a line per set of values and workload
 *     sweep.json      the list of runs
 */
#pragma once

#include "study/study_plan.h"
#include "study/study_stored.h"

#define STUDY_SWEEP_PATH_BYTES 4096

struct study_sweep_entry {
    struct study_run *run;
    uint32_t plan_index;
    char name[STUDY_STORED_NAME_BYTES];
    json_t *result; /* the run without series and events; NULL: missing */
};

struct study_sweep {
    const char *folder;
    int lock; /* negative: none */
    struct study_stored_maker maker;
    struct study_plan *plans;
    uint32_t plan_count;
    struct study_sweep_entry *entries;
    uint32_t count;
    bool has_same_names;                 /* two runs would be one file */
    uint32_t kept_count;                 /* found in the folder */
    uint32_t stale_count;                /* made from other inputs, or by another program */
    uint32_t made_count;                 /* by study_sweep_run() */
    uint32_t failed_count;               /* runs without a result */
    char reason[STUDY_SWEEP_PATH_BYTES]; /* the first problem */
};

/* Creates and locks the folder, and finds the runs that it has. The plans are borrowed. Returns
 * false with a reason. The caller closes the sweep in either case. */
bool study_sweep_open(struct study_sweep *, const char *folder, struct study_plan *,
    uint32_t plan_count, uint32_t points);
void study_sweep_close(struct study_sweep *);

/* Makes the missing and the stale runs. `on_run` is called after each. Returns false if a file
 * cannot be written. */
struct study_sweep_watch {
    void (*on_run)(void *context, const struct study_sweep *);
    void *context;
};
bool study_sweep_run(
    struct study_sweep *, const struct study_manner *, const struct study_sweep_watch *);

/* Returns the runs of one plan that are there, without series and events. The caller releases them.
 */
json_t *study_sweep_runs(const struct study_sweep *, uint32_t plan_index);

/* Judges the criteria of all experiments. Returns the runs as a result for tables and CSV, which
 * the caller releases. */
struct study_sweep_verdict {
    json_t *result;
    bool all_hold;
};
struct study_sweep_verdict study_sweep_judge(struct study_sweep *);

/* Writes both tables and the list of runs. Returns false with a reason. */
bool study_sweep_write(struct study_sweep *, json_t *result);
