/* SPDX-License-Identifier: Apache-2.0 */
/* A search file, mrc-search(1): what a search chooses from, what it runs, and what counts. */
#pragma once

#include "result/result.h"
#include "study/pareto.h"
#include "study/search_space.h"
#include "study/search_topology.h"

enum { SEARCH_FILE_VERSION = 1, SEARCH_TITLE_BYTES = 200, SEARCH_CASES_MAX = 32 };

/* The text of experiments/search/default.yaml, embedded at build time by tools/embed. It has what a
 * search file does not say. */
extern const char search_file_default[];

/* Figures of an objective: those of runs, and those of the topology. */
enum {
    SEARCH_FIGURE_COST = COMPARISON_FIGURE_COUNT, /* USD for each GPU, middle of the range */
    SEARCH_FIGURE_POWER,                          /* W for each GPU, likewise */
    SEARCH_FIGURE_COUNT,
};
extern const char *const search_figure_words[SEARCH_FIGURE_COUNT + 1];

struct search_objective {
    char name[32];
    int figure;
    int goal;                      /* SEARCH_LEAST or SEARCH_MOST */
    uint32_t tolerance;            /* permille of the value of the usual point */
    const struct yaml_node *cases; /* labels; NULL: all, or for recovery all that have faults */
};

enum { SEARCH_LEAST, SEARCH_MOST };

struct search_request {
    struct yaml yaml; /* contains the problem, if there is one */
    char name[EXPERIMENT_NAME_BYTES];
    char title[SEARCH_TITLE_BYTES];
    struct size_request size;
    struct prices prices;
    struct search_topologies topologies;
    struct search_space space;
    const struct yaml_node *values[SEARCH_AXES_MAX][SEARCH_VALUES_MAX]; /* the first is NULL */
    struct search_objective objectives[PARETO_OBJECTIVES_MAX];
    uint32_t objective_count;
    const struct yaml_node *experiment;
    const char *const *sets; /* KEY=VALUE of the caller */
    uint32_t set_count;
    uint64_t seed;
    uint32_t seeds;       /* runs of each case of a point, to choose */
    uint32_t check_seeds; /* to report */
    uint32_t points;      /* tried by the search over parameters, and by that over both */
    uint64_t time_ps;     /* of wall clock; 0: no limit */
};

/* What the caller gives instead of the file; 0 or NULL: what the file has. */
struct search_changes {
    uint64_t gpus;
    uint64_t nic_bps;
    uint64_t switch_bps;
    uint32_t points;
    uint32_t seeds;
    uint32_t check_seeds;
    bool has_seed;
    uint64_t seed;
    uint64_t time_ps;
    const char *prices_path;
    const char *const *sets;
    uint32_t set_count;
};

/* Reads the file; NULL: the built-in one. Returns false with request->yaml.problem. The caller
 * releases the request in either case. */
bool search_file_read(struct search_request *, const char *path, const struct search_changes *);
void search_file_fini(struct search_request *);
