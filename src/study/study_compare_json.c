/* SPDX-License-Identifier: Apache-2.0 */
/* Composes the document of mrc-compare(1). */
#include <stdio.h>

#include "result/result.h"
#include "study/study_compare.h"
#include "study/study_cost.h"

#define COMPARE_VERSION 1

/* ---- cases ----------------------------------------------------------------------------------- */

/* Returns for each entrant the list of its cases, each a list of runs. */
static json_t *cases_of_entrants(const struct study_compare *compare, json_t *const *runs)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < compare->entrant_count; i++) {
        json_t *its = json_array();

        for (uint32_t k = 0; k < compare->entrants[i].plan.run_count; k++)
            json_array_append(its, *runs++);
        json_array_append_new(all, result_sets_of(its));
        json_decref(its);
    }
    return all;
}

/* Returns the goodput that a run would have at the rates of its links. */
static double ideal_bps(const json_t *runs)
{
    const json_t *summary = json_object_get(json_array_get(runs, 0), "summary");
    double fraction = json_number_value(json_object_get(summary, "goodput_fraction"));

    return fraction > 0 ? json_number_value(json_object_get(summary, "goodput_bps")) / fraction : 0;
}

static json_t *name_of(const struct study_entrant *entrant)
{
    return json_sprintf("%s%s", entrant->contender->name, *entrant->found ? "+best" : "");
}

static json_t *case_json(const struct study_compare *compare, const json_t *all, size_t case_index)
{
    char label[RESULT_SETS_LABEL_BYTES];
    json_t *entries = json_array();
    double most_bps = 0;

    for (uint32_t i = 0; i < compare->entrant_count; i++) {
        const json_t *runs = json_array_get(json_array_get(all, i), case_index);
        json_t *entry = comparison_entry(runs);

        json_object_set_new(entry, "contender", name_of(&compare->entrants[i]));
        json_array_append_new(entries, entry);
        if (ideal_bps(runs) > most_bps)
            most_bps = ideal_bps(runs);
        result_sets_label(json_array_get(runs, 0), label);
    }
    return json_pack("{s:s,s:f,s:o}", "label", label, "ideal_bps", most_bps, "entries", entries);
}

/* ---- contenders ------------------------------------------------------------------------------ */

static json_t *settings_of(const struct study_entrant *entrant)
{
    const struct study_contender *contender = entrant->contender;
    const char *changed = *entrant->found ? entrant->found : entrant->usual;

    return json_sprintf(
        "%s%s%s", contender->settings, *contender->settings && *changed ? " " : "", changed);
}

static json_t *fabric_of(const struct study_entrant *entrant)
{
    const struct topology_fat_tree *tree = &entrant->refit.fat_tree;
    char cores[16] = "";
    char rails[32] = "";

    if (!entrant->has_fat_tree)
        return json_string("that of the experiment");
    if (tree->cores)
        snprintf(cores, sizeof(cores), " + %u", tree->cores);
    if (tree->rails > 1)
        snprintf(rails, sizeof(rails), " with %u rails", tree->rails);
    return json_sprintf("fat tree of %s tiers%s, %u + %u%s switches, %.0f Gb/s",
        tree->cores ? "three" : "two", rails, tree->leaves_per_pod * tree->pods,
        tree->spines_per_pod * tree->pods, cores, (double)tree->host_bps / 1e9);
}

/* Built-in prices are valid; a test reads them. */
static json_t *cost_of(const struct study_entrant *entrant)
{
    const struct topology *topology = &entrant->plan.runs[0]->experiment.fabric.topology;
    struct prices prices;
    struct yaml yaml;
    json_t *cost;

    yaml_init(&yaml);
    cost = price_file_read(&yaml, NULL, &prices) ? study_cost(topology, &prices) : json_null();
    yaml_fini(&yaml);
    return cost;
}

static json_t *contender_json(const struct study_entrant *entrant)
{
    const struct study_contender *contender = entrant->contender;
    const struct study_contender_state *state = &study_contender_states[contender->protocol];

    return json_pack("{s:o,s:o,s:s,s:o,s:b,s:{s:i,s:i,s:s,s:s,s:s},s:o,s:o}", "name",
        name_of(entrant), "title",
        json_sprintf("%s%s", contender->title, *entrant->found ? ", best found" : ""), "protocol",
        sim_protocol_words[contender->protocol], "settings", settings_of(entrant), "is_best",
        *entrant->found != '\0', "state", "qp_bytes_least", (int)state->qp_bytes_least,
        "qp_bytes_most", (int)state->qp_bytes_most, "origin", state->origin, "source",
        state->source, "switch_keeps", state->switch_keeps, "fabric", fabric_of(entrant), "cost",
        cost_of(entrant));
}

/* Only the rows with the usual settings say what the search of the contender found. */
static json_t *contenders_json(const struct study_compare *compare)
{
    json_t *list = json_array();
    uint32_t contender = 0;

    for (uint32_t i = 0; i < compare->entrant_count; i++) {
        json_t *json = contender_json(&compare->entrants[i]);

        if (compare->comparison->trials && !*compare->entrants[i].found)
            json_object_set_new(json, "search", study_search_json(&compare->search, contender++));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *normalisation_json(enum study_normalisation normalisation)
{
    const struct study_normalisation_text *text = &study_normalisations[normalisation];

    return json_pack("{s:s,s:s,s:s,s:s}", "letter", text->letter, "word",
        study_normalisation_words[normalisation], "title", text->title, "meaning", text->meaning);
}

json_t *study_compare_json(const struct study_compare *compare, json_t *const *runs)
{
    const struct study_plan *plan = &compare->entrants[0].plan;
    json_t *document = result_document(&plan->runs[0]->experiment, plan->top, json_array());
    json_t *all = cases_of_entrants(compare, runs);
    json_t *cases = json_array();

    for (size_t i = 0; i < json_array_size(json_array_get(all, 0)); i++)
        json_array_append_new(cases, case_json(compare, all, i));
    json_decref(all);
    json_object_del(document, "openmrc_result");
    json_object_del(document, "runs");
    json_object_set_new(document, "openmrc_compare", json_integer(COMPARE_VERSION));
    json_object_set_new(
        document, "normalisation", normalisation_json(compare->comparison->normalisation));
    json_object_set_new(document, "figures", comparison_figures_json());
    json_object_set_new(document, "contenders", contenders_json(compare));
    json_object_set_new(document, "cases", cases);
    return document;
}
