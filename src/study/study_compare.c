/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the experiment once for each contender, makes all runs in one queue, and composes their
 * figures. */
#include "study/study_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "study/compare_default.h"
#include "study/study_cost.h"

#define COMPARE_VERSION 1

/* ---- reading --------------------------------------------------------------------------------- */

enum { SETS_MAX = 128, SETTINGS_BYTES = 512 };

/* The changes of the caller, then those of a contender. */
struct changed {
    const char *sets[SETS_MAX];
    char settings[SETTINGS_BYTES];
    struct study_changes changes;
};

static void add_settings(struct changed *changed, const struct study_changes *changes,
    const struct study_contender *contender)
{
    uint32_t count = changes->set_count;
    char *rest;

    changed->changes = *changes;
    memcpy(changed->sets, changes->sets, count * sizeof(changes->sets[0]));
    snprintf(changed->settings, sizeof(changed->settings), "%s", contender->settings);
    for (char *set = strtok_r(changed->settings, " ", &rest); set && count < SETS_MAX;
         set = strtok_r(NULL, " ", &rest))
        changed->sets[count++] = set;
    changed->changes.sets = changed->sets;
    changed->changes.set_count = count;
    changed->changes.protocol = sim_protocol_words[contender->protocol];
}

/* The sweep of a file may contain cases, but not protocols. */
static bool complain_plan(struct study_compare *compare, const struct study_plan *plan)
{
    if (plan->top && experiment_sweep_has(plan->top, "protocol"))
        snprintf(compare->problem, sizeof(compare->problem),
            "%.200s: sweep: it sets protocol, as this command does; remove it, or use mrc sim",
            plan->top->place.source);
    else
        snprintf(compare->problem, sizeof(compare->problem), "%s", plan->yaml.problem);
    return false;
}

static bool read_plan(struct study_compare *compare, const struct study_contender *contender,
    const char *path, const struct study_changes *changes)
{
    struct study_plan *plan = &compare->plans[compare->plan_count++];
    struct changed changed;
    bool is_read;

    add_settings(&changed, changes, contender);
    is_read = path ? study_plan_read(plan, path, &changed.changes)
                   : study_plan_parse(plan, "built-in", compare_default, &changed.changes);
    compare->run_count += plan->run_count;
    return is_read || complain_plan(compare, plan);
}

bool study_compare_read(struct study_compare *compare, const struct study_contender_choice *choice,
    const char *path, const struct study_changes *changes)
{
    *compare = (struct study_compare){ .choice = choice };
    for (uint32_t i = 0; i < choice->count; i++)
        if (!read_plan(compare, choice->at[i], path, changes))
            return false;
    return true;
}

void study_compare_fini(struct study_compare *compare)
{
    while (compare->plan_count > 0)
        study_plan_fini(&compare->plans[--compare->plan_count]);
}

/* ---- running --------------------------------------------------------------------------------- */

struct making {
    struct study_compare *compare;
    const struct study_manner *manner;
    json_t **results; /* by run */
    bool has_failed;
    void (*on_run)(void *context, const struct study_compare *);
    void *context;
};

static bool is_sound(const json_t *run)
{
    const char *status = json_string_value(json_object_get(run, "status"));

    return strcmp(status, "finished") == 0 || strcmp(status, "out_of_time") == 0;
}

static bool take_run(void *context, uint32_t index, json_t *run)
{
    struct making *making = context;

    making->results[index] = run;
    if (!run || *making->manner->is_interrupted) {
        making->has_failed = true;
        return false;
    }
    if (!is_sound(run)) {
        study_complain(making->manner, "a run ended as %s %s",
            json_string_value(json_object_get(run, "status")),
            json_string_value(json_object_get(run, "label")));
        making->has_failed = true;
    }
    comparison_reduce(run);
    making->compare->done_count++;
    making->on_run(making->context, making->compare);
    return !making->has_failed;
}

/* Returns whether all runs have a result. */
static bool make_runs(struct making *making)
{
    struct study_compare *compare = making->compare;
    struct study_run **runs = grow_take(compare->run_count, sizeof(struct study_run *));
    struct study_sink sink = { take_run, making };
    uint32_t count = 0;

    for (uint32_t i = 0; i < compare->plan_count; i++)
        for (uint32_t k = 0; k < compare->plans[i].run_count; k++)
            runs[count++] = compare->plans[i].runs[k];
    study_jobs_run(runs, count, making->manner, &sink);
    free(runs);
    return !making->has_failed && compare->done_count == compare->run_count;
}

/* ---- the document ---------------------------------------------------------------------------- */

/* Returns for each contender the list of its cases, each a list of runs. */
static json_t *cases_of_contenders(const struct making *making)
{
    const struct study_compare *compare = making->compare;
    json_t *all = json_array();
    uint32_t index = 0;

    for (uint32_t i = 0; i < compare->plan_count; i++) {
        json_t *runs = json_array();

        for (uint32_t k = 0; k < compare->plans[i].run_count; k++)
            json_array_append(runs, making->results[index++]);
        json_array_append_new(all, result_sets_of(runs));
        json_decref(runs);
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

static json_t *case_json(const struct study_compare *compare, const json_t *all, size_t case_index)
{
    char label[RESULT_SETS_LABEL_BYTES];
    json_t *entries = json_array();
    double most_bps = 0;

    for (uint32_t i = 0; i < compare->plan_count; i++) {
        const json_t *runs = json_array_get(json_array_get(all, i), case_index);
        json_t *entry = comparison_entry(runs);

        json_object_set_new(entry, "contender", json_string(compare->choice->at[i]->name));
        json_array_append_new(entries, entry);
        if (ideal_bps(runs) > most_bps)
            most_bps = ideal_bps(runs);
        result_sets_label(json_array_get(runs, 0), label);
    }
    return json_pack("{s:s,s:f,s:o}", "label", label, "ideal_bps", most_bps, "entries", entries);
}

static json_t *contenders_json(const struct study_compare *compare)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < compare->plan_count; i++) {
        const struct study_contender *contender = compare->choice->at[i];
        const struct study_contender_state *state = &study_contender_states[contender->protocol];

        json_array_append_new(list,
            json_pack("{s:s,s:s,s:s,s:s,s:{s:i,s:i,s:s,s:s,s:s}}", "name", contender->name, "title",
                contender->title, "protocol", sim_protocol_words[contender->protocol], "settings",
                contender->settings, "state", "qp_bytes_least", (int)state->qp_bytes_least,
                "qp_bytes_most", (int)state->qp_bytes_most, "origin", state->origin, "source",
                state->source, "switch_keeps", state->switch_keeps));
    }
    return list;
}

/* Built-in prices are valid; a test reads them. */
static json_t *cost_json(const struct topology *topology)
{
    struct prices prices;
    struct yaml yaml;
    json_t *cost;

    yaml_init(&yaml);
    cost = price_file_read(&yaml, NULL, &prices) ? study_cost(topology, &prices) : json_null();
    yaml_fini(&yaml);
    return cost;
}

static json_t *document_of(const struct making *making)
{
    const struct study_compare *compare = making->compare;
    const struct study_plan *plan = &compare->plans[0];
    const struct experiment *experiment = &plan->runs[0]->experiment;
    json_t *document = result_document(experiment, plan->top, json_array());
    json_t *all = cases_of_contenders(making);
    json_t *cases = json_array();

    for (size_t i = 0; i < json_array_size(json_array_get(all, 0)); i++)
        json_array_append_new(cases, case_json(compare, all, i));
    json_decref(all);
    json_object_del(document, "openmrc_result");
    json_object_del(document, "runs");
    json_object_set_new(document, "openmrc_compare", json_integer(COMPARE_VERSION));
    json_object_set_new(document, "figures", comparison_figures_json());
    json_object_set_new(document, "contenders", contenders_json(compare));
    json_object_set_new(document, "cases", cases);
    json_object_set_new(document, "cost", cost_json(&experiment->fabric.topology));
    return document;
}

json_t *study_compare_run(struct study_compare *compare, const struct study_manner *manner,
    void (*on_run)(void *context, const struct study_compare *), void *context)
{
    struct making making = { .compare = compare,
        .manner = manner,
        .results = grow_take(compare->run_count, sizeof(json_t *)),
        .on_run = on_run,
        .context = context };
    json_t *document = make_runs(&making) ? document_of(&making) : NULL;

    for (uint32_t i = 0; i < compare->run_count; i++)
        json_decref(making.results[i]);
    free(making.results);
    return document;
}
