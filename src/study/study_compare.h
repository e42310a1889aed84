/* SPDX-License-Identifier: Apache-2.0 */
/* One experiment with several contenders, on the same fabric or on comparable ones, with the same
 * work, faults and seeds. */
#pragma once

#include "study/study_jobs.h"
#include "study/study_search.h"

struct study_compare {
    const struct study_comparison *comparison;
    struct study_search search;
    /* Each contender, followed by itself with the settings that were found for it. */
    struct study_entrant entrants[2 * STUDY_CONTENDERS_MAX];
    uint32_t entrant_count;
    bool is_searching;  /* the runs are those of the search */
    uint32_t run_count; /* of all contenders */
    uint32_t done_count;
    char problem[YAML_PROBLEM_BYTES]; /* if reading fails */
};

/* Reads and checks all runs, but those with settings that a search is to find. `comparison` must
 * outlive the struct. Returns false with a problem. The caller releases the struct in either case.
 */
bool study_compare_read(struct study_compare *, const struct study_comparison *comparison);
void study_compare_fini(struct study_compare *);

/* Makes all runs, and calls `on_run` after each. Returns the document of mrc-compare(1); NULL after
 * an error message or an interrupt. */
json_t *study_compare_run(struct study_compare *, const struct study_manner *,
    void (*on_run)(void *context, const struct study_compare *), void *context);

/* Returns the document. `runs`: of all entrants, in the order of their plans. */
json_t *study_compare_json(const struct study_compare *, json_t *const *runs);
