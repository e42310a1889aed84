/* SPDX-License-Identifier: Apache-2.0 */
/* Searches good settings for contenders: the same number of random choices from the tunables of
 * each protocol (tunables.def), on seeds that the comparison does not report. */
#pragma once

#include <jansson.h>

#include "study/study_entrant.h"

struct study_search_trial {
    struct study_entrant entrant;
    double score; /* mean of the shares of the ideal, of all its runs */
};

struct study_search {
    struct study_search_trial **trials; /* by contender: trial 0 has the usual settings */
    uint32_t *counts;                   /* of its trials; fewer if it has too few settings */
    uint32_t *best;                     /* the trial with the highest score; the first of equals */
    uint32_t contender_count;
};

/* Draws the settings, and reads and checks all runs. Settings that the experiment refuses are drawn
 * again. Returns false with a problem. The caller releases the search in either case. */
bool study_search_read(struct study_search *, const struct study_comparison *,
    char problem[static YAML_PROBLEM_BYTES]);
void study_search_fini(struct study_search *);

/* Writes the entrants of all trials, contender by contender. Returns their number. `out` NULL:
 * only counts. */
uint32_t study_search_list(const struct study_search *, struct study_entrant **out);

/* Takes the runs of all trials, in the order of study_search_list() and of their plans, and finds
 * the best of each contender. */
void study_search_judge(struct study_search *, json_t *const *runs);

/* Returns the settings that were found for a contender, "" if its usual ones are the best. */
const char *study_search_found(const struct study_search *, uint32_t contender);
/* Returns "trials", "usual_score", "best_score" and "found". */
json_t *study_search_json(const struct study_search *, uint32_t contender);
