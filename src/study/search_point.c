/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the tree of the experiment, and reads figures of its runs. */
#include "study/search_point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the tree -------------------------------------------------------------------------------- */

struct change {
    const struct search_request *request;
    const struct search_point *point;
};

static bool put_experiment(
    const struct search_request *request, struct yaml *yaml, struct yaml_node *top)
{
    for (const struct yaml_node *node = request->experiment->first; node; node = node->next)
        yaml_adopt(top, yaml_copy(yaml, node));
    for (uint32_t i = 0; i < request->set_count; i++)
        if (!experiment_set(yaml, top, request->sets[i]))
            return false;
    return true;
}

static bool put_values(const struct change *change, struct yaml *yaml, struct yaml_node *top)
{
    const struct search_space *space = &change->request->space;

    for (uint32_t i = 0; i < space->axis_count; i++) {
        const struct yaml_node *value = change->request->values[i][change->point->values[i]];

        if (!value)
            continue;
        if (experiment_sweep_has(top, space->axes[i].key))
            return yaml_complain(yaml, value,
                "the cases of the experiment give this key its values; remove one of them");
        if (!yaml_put(yaml, top, space->axes[i].key, yaml_copy(yaml, value)))
            return false;
    }
    return true;
}

/* A topology may have more places than GPUs; workloads use as many NICs on all topologies. */
static void limit_ranks(struct yaml *yaml, struct yaml_node *list, uint64_t gpus)
{
    static const char source[] = "gpus";
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)gpus);
    for (struct yaml_node *node = list->first; node; node = node->next) {
        struct yaml_node *ranks;

        if (node->kind != YAML_MAPPING || yaml_member(node, "ranks") || yaml_member(node, "nics"))
            continue;
        ranks = yaml_parse(yaml, source, text, strlen(text), false);
        if (ranks)
            yaml_put(yaml, node, "ranks", ranks);
    }
}

static bool is_workloads(const struct yaml_node *node)
{
    return node->key && strcmp(node->key, "workloads") == 0 && node->kind == YAML_SEQUENCE;
}

/* Jobs say how many NICs they have. */
static void limit_workloads(struct yaml *yaml, struct yaml_node *node, uint64_t gpus)
{
    if (is_workloads(node))
        limit_ranks(yaml, node, gpus);
    else if (!node->key || strcmp(node->key, "jobs") != 0)
        for (struct yaml_node *child = node->first; child; child = child->next)
            limit_workloads(yaml, child, gpus);
}

static bool change_tree(void *context, struct yaml *yaml, struct yaml_node *top)
{
    const struct change *change = context;
    const struct search_request *request = change->request;

    if (!put_experiment(request, yaml, top) || !put_values(change, yaml, top) ||
        !search_topology_put(&request->topologies.at[change->point->topology], yaml, top))
        return false;
    limit_workloads(yaml, top, request->size.gpus);
    return true;
}

bool search_point_plan(const struct search_request *request, const struct search_point *point,
    const uint64_t *seeds, uint32_t seed_count, struct study_plan *plan)
{
    struct change change = { request, point };
    struct study_changes changes = {
        .change_tree = change_tree, .context = &change, .seeds = seeds, .seed_count = seed_count
    };

    return study_plan_parse(plan, request->name, "{}", &changes);
}

json_t *search_point_settings(
    const struct search_request *request, const struct search_point *point)
{
    json_t *settings = json_object();

    for (uint32_t i = 0; i < request->space.axis_count; i++)
        if (point->values[i])
            json_object_set_new(settings, request->space.axes[i].key,
                json_of_yaml(request->values[i][point->values[i]]));
    return settings;
}

/* ---- figures --------------------------------------------------------------------------------- */

static bool is_listed(const struct yaml_node *cases, const char *label)
{
    for (const struct yaml_node *node = cases->first; node; node = node->next)
        if (node->kind == YAML_SCALAR && strcmp(node->text, label) == 0)
            return true;
    return false;
}

static bool needs_faults(const struct search_objective *objective)
{
    return objective->figure == COMPARISON_FIGURE_recovery_us ||
           objective->figure == COMPARISON_FIGURE_stood_us;
}

static bool has_faults(const json_t *run)
{
    return json_array_size(json_object_get(json_object_get(run, "recovery"), "faults")) > 0;
}

static bool counts_in(const struct search_objective *objective, const json_t *run)
{
    const char *label = json_string_value(json_object_get(run, "case"));

    if (objective->cases)
        return is_listed(objective->cases, label ? label : "");
    return !needs_faults(objective) || has_faults(run);
}

double search_point_shown(const struct search_objective *objective, double cost)
{
    return objective->goal == SEARCH_MOST ? -cost : cost;
}

static double cost_of_topology(const struct search_request *request,
    const struct search_objective *objective, const struct search_topology *topology)
{
    struct price_range range =
        objective->figure == SEARCH_FIGURE_COST ? topology->usd : topology->watts;
    double middle = (range.least + range.most) / 2 / (double)request->size.gpus;

    return search_point_shown(objective, middle);
}

double search_point_cost(const struct search_request *request,
    const struct search_objective *objective, const struct search_topology *topology,
    json_t *const *runs, uint32_t case_count)
{
    double sum = 0;
    uint32_t count = 0;

    if (objective->figure >= COMPARISON_FIGURE_COUNT)
        return cost_of_topology(request, objective, topology);
    for (uint32_t i = 0; i < case_count; i++) {
        if (!runs[i])
            return INFINITY;
        if (!counts_in(objective, runs[i]))
            continue;
        sum += comparison_value(runs[i], objective->figure);
        count++;
    }
    return count && isfinite(sum) ? search_point_shown(objective, sum / count) : INFINITY;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool has_case(const struct study_plan *plan, const char *label)
{
    for (uint32_t i = 0; i < plan->run_count; i++)
        if (strcmp(plan->runs[i]->set_label, label) == 0)
            return true;
    return false;
}

static bool case_has_faults(const struct study_plan *plan, const struct search_objective *objective)
{
    for (uint32_t i = 0; i < plan->run_count; i++) {
        const struct study_run *run = plan->runs[i];

        if (run->experiment.sim.fault_count + run->experiment.sim.generator_count > 0 &&
            (!objective->cases || is_listed(objective->cases, run->set_label)))
            return true;
    }
    return false;
}

bool search_point_check(struct search_request *request, const struct study_plan *plan)
{
    for (uint32_t i = 0; i < request->objective_count; i++) {
        const struct search_objective *objective = &request->objectives[i];
        const struct yaml_node *node = objective->cases ? objective->cases->first : NULL;

        for (; node; node = node->next)
            if (node->kind != YAML_SCALAR || !has_case(plan, node->text))
                return yaml_complain(&request->yaml, node,
                    "the experiment has no such case; name a label of its sweep");
        if (needs_faults(objective) && !case_has_faults(plan, objective))
            return yaml_complain(&request->yaml, request->experiment,
                "the objective '%s' needs a case with faults; add faults, or remove it",
                objective->name);
    }
    return true;
}
