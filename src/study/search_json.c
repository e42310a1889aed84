/* SPDX-License-Identifier: Apache-2.0 */
/* Composes the document of mrc-search(1). */
#include "study/search_json.h"

#include <math.h>
#include <stdlib.h>

#include "study/search_chance.h"

#define SEARCH_VERSION 1

static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* ---- the space ------------------------------------------------------------------------------- */

static json_t *range_json(struct price_range range)
{
    return json_pack("{s:f,s:f}", "least", range.least, "most", range.most);
}

static json_t *topology_json(const struct search_topology *topology)
{
    const struct size_fabric *fabric = &topology->fabric;

    return json_pack("{s:s,s:s,s:i,s:i,s:I,s:I,s:I,s:I,s:f,s:I,s:o,s:o}", "name", topology->name,
        "shape", size_kind_words[fabric->request.kind], "nic_ports", (int)fabric->nic_ports,
        "tiers", (int)fabric->tier_count, "port_bps", (json_int_t)fabric->port_bps, "switch_bps",
        (json_int_t)fabric->request.switch_bps, "switches", (json_int_t)size_switches(fabric),
        "links", (json_int_t)size_links(fabric), "oversubscription", size_oversubscription(fabric),
        "places", (json_int_t)fabric->places, "usd", range_json(topology->usd), "watts",
        range_json(topology->watts));
}

static json_t *axis_json(const struct search_request *request, uint32_t index)
{
    const struct search_axis *axis = &request->space.axes[index];
    json_t *values = json_array();

    for (uint32_t i = 1; i < axis->value_count; i++)
        json_array_append_new(values, json_of_yaml(request->values[index][i]));
    return json_pack("{s:s,s:o}", "key", axis->key, "values", values);
}

json_t *search_json_space(const struct search *search)
{
    const struct search_request *request = search->request;
    const struct search_topologies *topologies = &request->topologies;
    json_t *list = json_array();
    json_t *refused = json_array();
    json_t *parameters = json_array();

    for (uint32_t i = 0; i < topologies->count; i++)
        json_array_append_new(list, topology_json(&topologies->at[i]));
    for (uint32_t i = 0; i < topologies->refused_count; i++)
        json_array_append_new(refused, json_pack("{s:s,s:s}", "name", topologies->refused[i].name,
                                           "reason", topologies->refused[i].reason));
    for (uint32_t i = 0; i < request->space.axis_count; i++)
        json_array_append_new(parameters, axis_json(request, i));
    return json_pack("{s:o,s:o,s:o,s:I}", "topologies", list, "refused", refused, "parameters",
        parameters, "points", (json_int_t)search_space_size(&request->space, SEARCH_JOINT));
}

/* ---- objectives ------------------------------------------------------------------------------ */

static const char *unit_of(int figure)
{
    static const char *const units[] = {
        [COMPARISON_RATE] = "rate",
        [COMPARISON_FRACTION] = "fraction",
        [COMPARISON_TIME] = "time",
        [COMPARISON_COUNT] = "count",
    };

    if (figure == SEARCH_FIGURE_COST)
        return "usd";
    return figure == SEARCH_FIGURE_POWER ? "watts" : units[comparison_figures[figure].unit];
}

static json_t *objectives_json(
    const struct search_request *request, const struct search_judgement *judgement)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < request->objective_count; i++) {
        const struct search_objective *objective = &request->objectives[i];

        json_array_append_new(
            list, json_pack("{s:s,s:s,s:s,s:s,s:f,s:f,s:o}", "name", objective->name, "figure",
                      search_figure_words[objective->figure], "unit", unit_of(objective->figure),
                      "goal", objective->goal == SEARCH_MOST ? "most" : "least", "tolerance",
                      objective->tolerance / 1000.0, "step", judgement->scale.steps[i], "cases",
                      objective->cases ? json_of_yaml(objective->cases) : json_null()));
    }
    return list;
}

/* ---- points ---------------------------------------------------------------------------------- */

static json_t *chosen_json(const struct search_request *request, const struct search_trial *trial)
{
    json_t *values = json_object();

    for (uint32_t i = 0; i < request->objective_count; i++)
        json_object_set_new(values, request->objectives[i].name,
            number_json(search_point_shown(&request->objectives[i], trial->chosen.at[i])));
    return values;
}

static json_t *interval_json(
    const struct search_request *request, const struct search_trial *trial, uint32_t objective)
{
    double *costs = grow_take(request->check_seeds, sizeof(*costs));
    json_t *json;

    for (uint32_t i = 0; i < request->check_seeds; i++)
        costs[i] = trial->checks[i].at[objective];
    json = json_pack("{s:o,s:o}", "mean",
        number_json(
            search_point_shown(&request->objectives[objective], trial->checked.at[objective])),
        "half_width", number_json(search_chance_half_width(costs, request->check_seeds, 95)));
    free(costs);
    return json;
}

static json_t *checked_json(const struct search_request *request, const struct search_trial *trial)
{
    json_t *values;

    if (!trial->is_checked)
        return json_null();
    values = json_object();
    for (uint32_t i = 0; i < request->objective_count; i++)
        json_object_set_new(values, request->objectives[i].name, interval_json(request, trial, i));
    return values;
}

static const char *origin_of(const struct search_trial *trial)
{
    bool is_tuned = search_space_is_tuned(&trial->point);

    if (trial->point.topology == 0)
        return is_tuned ? "parameters" : "usual";
    if (!is_tuned)
        return "topology";
    return trial->is_combined ? "combined" : "joint";
}

static json_t *point_json(
    const struct search *search, const struct search_judgement *judgement, uint32_t index)
{
    const struct search_request *request = search->request;
    const struct search_trial *trial = &search->trials[index];
    const struct search_verdict *verdict = &judgement->verdicts[index];

    return json_pack("{s:i,s:i,s:s,s:o,s:s,s:o,s:o,s:b,s:b,s:b,s:b,s:b,s:b,s:i}", "id", (int)index,
        "topology", (int)trial->point.topology, "name",
        request->topologies.at[trial->point.topology].name, "settings",
        search_point_settings(request, &trial->point), "origin", origin_of(trial), "chosen",
        chosen_json(request, trial), "checked", checked_json(request, trial), "is_found",
        verdict->is_found, "on_front", verdict->fronts[SEARCH_SET_ALL], "on_topology_front",
        verdict->fronts[SEARCH_SET_TOPOLOGY], "on_parameters_front",
        verdict->fronts[SEARCH_SET_PARAMETERS], "is_beyond_alone", verdict->is_beyond_alone,
        "is_beyond_separate", verdict->is_beyond_separate, "dominates", (int)verdict->dominated);
}

static json_t *points_json(const struct search *search, const struct search_judgement *judgement)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < search->count; i++)
        if (search->trials[i].is_possible)
            json_array_append_new(list, point_json(search, judgement, i));
    return list;
}

/* ---- the method and the answer --------------------------------------------------------------- */

static json_t *method_json(const struct search *search)
{
    const struct search_request *request = search->request;
    json_t *tried = json_object();

    for (int i = 0; i < SEARCH_STAGE_COUNT; i++)
        json_object_set_new(
            tried, search_stage_words[i], json_integer((json_int_t)search->tried[i]));
    return json_pack("{s:I,s:i,s:i,s:i,s:o,s:b,s:b,s:b,s:b}", "seed", (json_int_t)request->seed,
        "seeds", (int)request->seeds, "check_seeds", (int)request->check_seeds, "points_each",
        (int)request->points, "tried", tried, "has_all_topologies",
        search->is_whole[SEARCH_TOPOLOGY], "has_all_parameters",
        search->is_whole[SEARCH_PARAMETERS], "has_all", search->is_whole[SEARCH_JOINT],
        "is_out_of_time", search->is_out_of_time);
}

static json_t *answer_json(const struct search_judgement *judgement)
{
    return json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "front",
        (int)judgement->front_counts[SEARCH_SET_ALL], "topology_front",
        (int)judgement->front_counts[SEARCH_SET_TOPOLOGY], "parameters_front",
        (int)judgement->front_counts[SEARCH_SET_PARAMETERS], "separate_front",
        (int)judgement->front_counts[SEARCH_SET_SEPARATE], "found", (int)judgement->found_count,
        "stayed", (int)judgement->stayed_count, "beyond_alone", (int)judgement->beyond_alone_count,
        "beyond_separate", (int)judgement->beyond_separate_count);
}

static json_t *cases_json(const struct search *search)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < search->case_count; i++)
        json_array_append_new(list, json_text(search->cases[i]));
    return list;
}

json_t *search_json(const struct search *search, const struct search_judgement *judgement)
{
    const struct search_request *request = search->request;

    return json_pack("{s:i,s:s,s:s,s:s,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "openmrc_search",
        SEARCH_VERSION, "version", OPENMRC_VERSION, "name", request->name, "title", request->title,
        "gpus", (json_int_t)request->size.gpus, "nic_bps", (json_int_t)request->size.nic_bps,
        "switch_bps", (json_int_t)request->size.switch_bps, "experiment",
        json_of_yaml(request->experiment), "cases", cases_json(search), "objectives",
        objectives_json(request, judgement), "space", search_json_space(search), "method",
        method_json(search), "answer", answer_json(judgement), "points",
        points_json(search, judgement));
}
