/* SPDX-License-Identifier: Apache-2.0 */
/* A search over topologies and parameters together (mrc-search(1)).
 *
 * Three searches try points: one over all topologies with usual values, one over values on the
 * usual topology, and one over both. Before the last one, what the first two found is combined.
 * What was found is then run again with seeds that had no part in choosing it. */
#pragma once

#include "study/search_point.h"
#include "study/search_store.h"
#include "study/study_jobs.h"

struct search_trial {
    struct search_point point;
    bool is_possible; /* the experiment accepts it */
    bool is_combined; /* topology and values are those of points that were found separately */
    uint32_t parts;   /* a bit for each search that tried it: 1 << enum search_part */
    struct pareto_value chosen; /* means over the seeds of the search, as costs */
    bool is_checked;
    struct pareto_value *checks; /* by check seed, as costs; NULL: not checked */
    struct pareto_value checked; /* their means */
};

enum search_stage {
    SEARCH_STAGE_TOPOLOGY,
    SEARCH_STAGE_PARAMETERS,
    SEARCH_STAGE_COMBINED,
    SEARCH_STAGE_JOINT,
    SEARCH_STAGE_CHECK,
    SEARCH_STAGE_COUNT,
};
extern const char *const search_stage_words[SEARCH_STAGE_COUNT + 1];

struct search {
    struct search_request *request;
    struct search_store store;
    struct search_trial *trials; /* the first is the usual point */
    size_t room;
    uint32_t count;
    uint32_t case_count;
    char cases[SEARCH_CASES_MAX][EXPERIMENT_LABEL_BYTES];
    enum search_stage stage;            /* in which it is */
    uint32_t run_count;                 /* of all points so far, those that were kept included */
    uint32_t made_count;                /* of them, in this process */
    uint32_t tried[SEARCH_STAGE_COUNT]; /* points */
    bool is_whole[SEARCH_PART_COUNT];   /* all points of the part were tried */
    bool is_out_of_time;
    void (*on_run)(void *context, const struct search *); /* NULL: none */
    void *context;
};

/* Reads the usual point, every topology and every value, and opens the folder (NULL: none).
 * Topologies that the experiment refuses are moved to the refusals. Returns false with
 * request->yaml.problem or store.reason. The caller closes the search in either case. */
bool search_open(struct search *, struct search_request *, const char *folder);
void search_close(struct search *);

/* Makes the search. Returns false after an interrupt or an error message. */
bool search_run(struct search *, const struct study_manner *);

/* Trials that belong together. */
enum search_set {
    SEARCH_SET_TOPOLOGY,   /* usual values */
    SEARCH_SET_PARAMETERS, /* the usual topology */
    SEARCH_SET_SEPARATE,   /* both, and their combinations */
    SEARCH_SET_ALL,
    SEARCH_SET_COUNT,
};
bool search_has(enum search_set, const struct search_trial *);

/* Fills the scale with the tolerances as shares of the costs of the usual point. */
struct pareto_scale search_scale(const struct search *, const struct pareto_value *usual);

/* Marks the trials of a set that are on its front, by the seeds of the search. Returns how many.
 * `is_front` has room for all trials. */
uint32_t search_front(const struct search *, enum search_set, bool *is_front);
