/* SPDX-License-Identifier: Apache-2.0 */
/* All runs of an experiment: its sweep, its repetitions, what the caller changes. */
#pragma once

#include "study/study_run.h"

#define STUDY_RUNS_MAX 10000

/* What the caller changes. */
struct study_changes {
    const char *const *sets; /* KEY=VALUE */
    uint32_t set_count;
    bool has_seed;
    uint64_t seed;
    uint32_t repeat; /* 0: as the file says */
};

struct study_plan {
    struct yaml yaml; /* with the problem, if there is one */
    struct yaml_node *top;
    struct study_run **runs;
    uint32_t run_count;
};

/* Reads and checks all runs before any of them begins. False: plan->yaml.problem says what is
 * wrong. To be released in either case. */
bool study_plan_read(struct study_plan *, const char *path, const struct study_changes *);
void study_plan_fini(struct study_plan *);
