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
    found = strcmp(name, "simulated_us") == 0 ? json_object_get(run, name)
                                              : walk_path(json_object_get(run, "summary"), name);
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
