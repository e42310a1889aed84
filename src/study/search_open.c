/* SPDX-License-Identifier: Apache-2.0 */
/* Checks everything that a search may try before its first run, and finds fronts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/search.h"

/* Times and losses of so little do not count, whatever the usual point has. */
#define TIME_STEP_US 1.0
#define OTHER_STEP   1e-6

/* ---- opening --------------------------------------------------------------------------------- */

static bool read_point(const struct search *search, const struct search_point *point,
    struct study_plan *plan, char problem[static YAML_PROBLEM_BYTES])
{
    const uint64_t seed = 1;
    bool is_read = search_point_plan(search->request, point, &seed, 1, plan);

    snprintf(problem, YAML_PROBLEM_BYTES, "%s", plan->yaml.problem);
    return is_read;
}

static bool take_cases(struct search *search, const struct study_plan *plan)
{
    struct search_request *request = search->request;

    if (plan->run_count > SEARCH_CASES_MAX)
        return yaml_complain(
            &request->yaml, request->experiment, "more than %d cases", SEARCH_CASES_MAX);
    search->case_count = plan->run_count;
    for (uint32_t i = 0; i < plan->run_count; i++)
        memcpy(search->cases[i], plan->runs[i]->set_label, EXPERIMENT_LABEL_BYTES);
    return search_point_check(request, plan);
}

/* The usual point must be possible, and every value on the usual topology. */
static bool check_point(struct search *search, const struct search_point *point)
{
    struct yaml *yaml = &search->request->yaml;
    struct study_plan plan;
    char problem[YAML_PROBLEM_BYTES];
    bool is_right = read_point(search, point, &plan, problem);

    if (!is_right)
        memcpy(yaml->problem, problem, sizeof(problem));
    else if (search->case_count == 0)
        is_right = take_cases(search, &plan);
    study_plan_fini(&plan);
    return is_right;
}

static bool check_values(struct search *search)
{
    const struct search_space *space = &search->request->space;
    struct search_point point = { 0 };

    if (!check_point(search, &point))
        return false;
    for (uint32_t i = 0; i < space->axis_count; i++) {
        for (uint32_t k = 1; k < space->axes[i].value_count; k++) {
            point.values[i] = (uint8_t)k;
            if (!check_point(search, &point))
                return false;
        }
        point.values[i] = 0;
    }
    return true;
}

/* A fault may name a component that some topologies do not have. */
static void drop_topologies(struct search *search)
{
    struct search_topologies *topologies = &search->request->topologies;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < topologies->count; i++) {
        struct search_point point = { .topology = i };
        struct search_refusal *refusal = &topologies->refused[topologies->refused_count];
        struct study_plan plan;
        char problem[YAML_PROBLEM_BYTES];

        if (read_point(search, &point, &plan, problem)) {
            topologies->at[kept++] = topologies->at[i];
        } else if (topologies->refused_count < SEARCH_REFUSALS_MAX) {
            topologies->refused_count++;
            memcpy(refusal->name, topologies->at[i].name, sizeof(refusal->name));
            snprintf(refusal->reason, sizeof(refusal->reason), "%s", problem);
        }
        study_plan_fini(&plan);
    }
    topologies->count = search->request->space.topology_count = kept;
}

bool search_open(struct search *search, struct search_request *request, const char *folder)
{
    *search = (struct search){ .request = request, .store.lock = -1 };
    if (!check_values(search))
        return false;
    drop_topologies(search);
    return search_store_open(&search->store, folder);
}

void search_close(struct search *search)
{
    for (uint32_t i = 0; i < search->count; i++)
        free(search->trials[i].checks);
    free(search->trials);
    search_store_close(&search->store);
}

/* ---- fronts ---------------------------------------------------------------------------------- */

static double least_step(int figure)
{
    return figure < COMPARISON_FIGURE_COUNT && comparison_figures[figure].unit == COMPARISON_TIME
               ? TIME_STEP_US
               : OTHER_STEP;
}

struct pareto_scale search_scale(const struct search *search, const struct pareto_value *usual)
{
    const struct search_request *request = search->request;
    struct pareto_scale scale = { .objective_count = request->objective_count };

    for (uint32_t i = 0; i < request->objective_count; i++) {
        double step = fabs(usual->at[i]) * request->objectives[i].tolerance / 1000;
        double least = least_step(request->objectives[i].figure);

        scale.steps[i] = isfinite(step) && step > least ? step : least;
    }
    return scale;
}

bool search_has(enum search_set set, const struct search_trial *trial)
{
    bool is_topology = search_space_has(SEARCH_TOPOLOGY, &trial->point);
    bool is_parameters = search_space_has(SEARCH_PARAMETERS, &trial->point);

    if (set == SEARCH_SET_TOPOLOGY)
        return is_topology;
    if (set == SEARCH_SET_PARAMETERS)
        return is_parameters;
    return set == SEARCH_SET_ALL || is_topology || is_parameters || trial->is_combined;
}

uint32_t search_front(const struct search *search, enum search_set set, bool *is_front)
{
    struct pareto_scale scale = search_scale(search, &search->trials[0].chosen);
    struct pareto_value *values = grow_take(search->count, sizeof(*values));
    uint32_t *indexes = grow_take(search->count, sizeof(*indexes));
    bool *are_best = grow_take(search->count, sizeof(*are_best));
    uint32_t count = 0;
    uint32_t found;

    memset(is_front, 0, search->count * sizeof(*is_front));
    for (uint32_t i = 0; i < search->count; i++)
        if (search->trials[i].is_possible && search_has(set, &search->trials[i])) {
            values[count] = search->trials[i].chosen;
            indexes[count++] = i;
        }
    found = pareto_front(&scale, values, count, are_best);
    for (uint32_t i = 0; i < count; i++)
        is_front[indexes[i]] = are_best[i];
    free(values);
    free(indexes);
    free(are_best);
    return found;
}
