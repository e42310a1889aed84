/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up the figures that criteria name, and judges the criteria. */
#include "result/result_criteria.h"

#include <stdlib.h>
#include <string.h>

struct scope {
    const json_t *runs; /* NULL: not known */
    const json_t *run;
};

/* Returns the element of an array by its number, from 0; NULL: there is none. */
static const json_t *element(const json_t *array, const char *number)
{
    char *end;
    unsigned long index = strtoul(number, &end, 10);

    return *number >= '0' && *number <= '9' && !*end ? json_array_get(array, index) : NULL;
}

/* Follows a path of keys. In a phase, workloads are next to the phase's own figures. */
static const json_t *walk_path(const json_t *json, const char *path)
{
    while (json && *path) {
        size_t length = strcspn(path, ".");
        char key[CRITERION_NAME_BYTES];
        const json_t *next;

        memcpy(key, path, length);
        key[length] = '\0';
        next = json_is_array(json) ? element(json, key) : json_object_get(json, key);
        if (!next)
            next = json_object_get(json_object_get(json, "workloads"), key);
        json = next;
        path += length + (path[length] == '.');
    }
    return json;
}

/* The label of a repeated run is that of the sweep followed by the seed. */
static bool is_called(const json_t *run, const char *label, size_t length)
{
    const char *its = json_string_value(json_object_get(run, "label"));

    if (strncmp(its, label, length) != 0)
        return false;
    return its[length] == '\0' || strncmp(its + length, " seed ", 6) == 0;
}

static const json_t *run_called(const json_t *runs, const char *label, size_t length)
{
    size_t index;
    const json_t *run;

    json_array_foreach(runs, index, run)
    {
        if (is_called(run, label, length))
            return run;
    }
    return NULL;
}

/* Returns the figure of a run; NULL: there is none. */
static const json_t *figure_of(const json_t *run, const char *name)
{
    return strcmp(name, "simulated_us") == 0 ? json_object_get(run, name)
                                             : walk_path(json_object_get(run, "summary"), name);
}

static bool look_up(void *context, const char *name, double *value)
{
    const struct scope *scope = context;
    const json_t *run = scope->run;
    const json_t *found;

    if (strncmp(name, "runs.", 5) == 0) {
        size_t length = strcspn(name + 5, ".");

        run = run_called(scope->runs, name + 5, length);
        name += 5 + length + (name[5 + length] == '.');
    }
    found = figure_of(run, name);
    if (!json_is_number(found))
        return false;
    *value = json_number_value(found);
    return true;
}

static json_t *judge_criterion(const struct experiment_criterion *criterion, struct scope *scope)
{
    struct criterion_outcome outcome;
    json_t *json = json_pack("{s:s,s:s?,s:s?}", "text", criterion->text, "paper", criterion->paper,
        "scale", criterion->scale);

    criterion_evaluate(criterion->text, look_up, scope, &outcome);
    json_object_set_new(json, "value",
        outcome.result == CRITERION_UNKNOWN ? json_null() : json_real(outcome.value));
    json_object_set_new(json, "pass", json_boolean(outcome.result == CRITERION_HOLDS));
    if (outcome.problem[0])
        json_object_set_new(json, "problem", json_string(outcome.problem));
    return json;
}

static bool compares_runs(const struct experiment_criterion *criterion)
{
    return strstr(criterion->text, "runs.") != NULL;
}

/* A criterion that compares runs is judged once, in the last run. */
static bool is_about(const struct experiment_criterion *criterion, const struct scope *scope)
{
    if (criterion->run)
        return is_called(scope->run, criterion->run, strlen(criterion->run));
    if (compares_runs(criterion))
        return scope->run == json_array_get(scope->runs, json_array_size(scope->runs) - 1);
    return true;
}

static bool judge_run(const struct experiment *experiment, struct scope *scope, json_t *run)
{
    json_t *verdicts = json_array();
    bool all_hold = true;

    for (uint32_t i = 0; i < experiment->criterion_count; i++) {
        const struct experiment_criterion *criterion = &experiment->criteria[i];
        json_t *verdict;

        if (!is_about(criterion, scope) || (!scope->runs && compares_runs(criterion)))
            continue;
        verdict = judge_criterion(criterion, scope);
        all_hold = all_hold && json_is_true(json_object_get(verdict, "pass"));
        json_array_append_new(verdicts, verdict);
    }
    json_object_set_new(run, "criteria", verdicts);
    return all_hold;
}

bool result_criteria_judge(const struct experiment *experiment, json_t *runs)
{
    bool all_hold = true;
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        struct scope scope = { .runs = runs, .run = run };

        all_hold = judge_run(experiment, &scope, run) && all_hold;
    }
    return all_hold;
}

void result_criteria_judge_alone(const struct experiment *experiment, json_t *run)
{
    struct scope scope = { .run = run };

    judge_run(experiment, &scope, run);
}

/* ---- over seeds ------------------------------------------------------------------------------ */

#define ALL_SEEDS SIZE_MAX

struct seeds {
    const json_t *runs;
    size_t chosen;  /* the number of a seed, or ALL_SEEDS: the mean */
    bool is_absent; /* a name that no run, or not every run, has */
};

static bool look_up_seeds(void *context, const char *name, double *value)
{
    struct seeds *seeds = context;
    bool has_label = strncmp(name, "runs.", 5) == 0;
    const char *label = name + 5;
    size_t length = has_label ? strcspn(label, ".") : 0;
    const char *path = has_label ? label + length + (label[length] == '.') : name;
    size_t count = 0;
    size_t taken = 0;
    double sum = 0;
    size_t index;
    const json_t *run;

    json_array_foreach(seeds->runs, index, run)
    {
        const json_t *figure = figure_of(run, path);
        size_t seed = count;

        if (has_label && !is_called(run, label, length))
            continue;
        count++;
        if (seeds->chosen != ALL_SEEDS && seeds->chosen != seed)
            continue;
        seeds->is_absent = seeds->is_absent || !figure;
        if (!json_is_number(figure))
            return false;
        sum += json_number_value(figure);
        taken++;
    }
    seeds->is_absent = seeds->is_absent || count == 0;
    *value = taken ? sum / (double)taken : 0;
    return taken > 0;
}

/* Adds the smallest and the largest value of all seeds. */
static void add_spread(json_t *json, const char *text, const json_t *runs)
{
    struct criterion_outcome outcome;
    double least = 0;
    double most = 0;

    for (size_t seed = 0; seed < json_array_size(runs); seed++) {
        struct seeds seeds = { .runs = runs, .chosen = seed };

        criterion_evaluate(text, look_up_seeds, &seeds, &outcome);
        if (outcome.problem[0])
            break;
        least = seed && least < outcome.value ? least : outcome.value;
        most = seed && most > outcome.value ? most : outcome.value;
    }
    json_object_set_new(json, "least", json_real(least));
    json_object_set_new(json, "most", json_real(most));
}

json_t *result_criteria_judge_seeds(const char *text, const json_t *runs)
{
    struct seeds seeds = { .runs = runs, .chosen = ALL_SEEDS };
    struct criterion_outcome outcome;
    json_t *json = json_object();

    criterion_evaluate(text, look_up_seeds, &seeds, &outcome);
    if (outcome.problem[0]) {
        bool is_wrong = outcome.result == CRITERION_MALFORMED || seeds.is_absent;

        json_object_set_new(json, "value", json_null());
        json_object_set_new(json, "pass", is_wrong ? json_null() : json_false());
        json_object_set_new(json, "problem", json_string(outcome.problem));
        return json;
    }
    json_object_set_new(json, "value", json_real(outcome.value));
    json_object_set_new(json, "pass", json_boolean(outcome.result == CRITERION_HOLDS));
    add_spread(json, text, runs);
    return json;
}
