/* SPDX-License-Identifier: Apache-2.0 */
/* All runs of an experiment: its sweep, its repetitions, and the changes of the caller. */
#pragma once

#include "study/study_run.h"

#define STUDY_RUNS_MAX 10000

/* Changes that the caller makes. */
struct study_changes {
    const char *const *sets; /* KEY=VALUE */
    uint32_t set_count;
    const char *const *sweeps; /* KEY=VALUE,VALUE,... */
    uint32_t sweep_count;
    const char *protocol; /* NULL: that of the file */
    /* Changes the tree after the sets; NULL: it remains. Returns false with yaml->problem. */
    bool (*change_tree)(void *context, struct yaml *yaml, struct yaml_node *top);
    void *context;
    bool has_seed;
    uint64_t seed;
    uint32_t repeat;       /* 0: the number in the file */
    uint64_t seed_offset;  /* added to seeds that count from a first one */
    const uint64_t *seeds; /* instead of seed and repeat */
    uint32_t seed_count;   /* 0: none */
};

struct study_plan {
    struct yaml yaml; /* contains the problem, if there is one */
    struct yaml_node *top;
    struct study_run **runs;
    uint32_t run_count;
};

/* Reads and checks all runs before the first begins. Returns false with plan->yaml.problem. The
 * caller releases the plan in either case. */
bool study_plan_read(struct study_plan *, const char *path, const struct study_changes *);
/* Likewise from the text of an experiment. `source` stands for the name of its file. */
bool study_plan_parse(
    struct study_plan *, const char *source, const char *text, const struct study_changes *);
/* Computes a hash of everything that the runs are made from. */
void study_plan_hash(const struct study_plan *, char out[static JSON_HASH_BYTES]);

void study_plan_fini(struct study_plan *);
