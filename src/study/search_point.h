/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a point of a search: the experiment with the topology and the values of the point. */
#pragma once

#include "study/search_file.h"
#include "study/study_plan.h"

/* Reads and checks all runs, for each case those with each of the seeds. Returns false with
 * plan->yaml.problem. The caller releases the plan in either case. */
bool search_point_plan(const struct search_request *, const struct search_point *,
    const uint64_t *seeds, uint32_t seed_count, struct study_plan *);

/* Returns the keys that do not have their usual values, with their values. */
json_t *search_point_settings(const struct search_request *, const struct search_point *);

/* Returns an objective of one seed as a cost: less is better. `runs`: one of each case, NULL where
 * a run has failed. INFINITY: a run does not have the figure. */
double search_point_cost(const struct search_request *, const struct search_objective *,
    const struct search_topology *, json_t *const *runs, uint32_t case_count);
/* Returns what users see for a cost, and the reverse. */
double search_point_shown(const struct search_objective *, double cost);

/* Checks that the experiment has the cases that the objectives name, and faults if recovery
 * counts. `plan`: of a point with one seed. Returns false with request->yaml.problem. */
bool search_point_check(struct search_request *, const struct study_plan *);
