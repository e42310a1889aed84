/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an experiment file and lists its runs. */
#include "study/study_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"

static json_t *settings_of(const struct yaml_node *top, uint32_t index)
{
    const struct yaml_node *entry = experiment_sweep_entry(top, index);
    json_t *settings = entry && entry->kind == YAML_MAPPING ? json_of_yaml(entry) : json_object();

    json_object_del(settings, "label");
    return settings;
}

static uint32_t repeat_of(const struct study_changes *changes, const struct experiment *experiment)
{
    if (changes->seed_count)
        return changes->seed_count;
    return changes->repeat ? changes->repeat : experiment->repeat;
}

static uint64_t seed_of(
    const struct study_changes *changes, const struct experiment *experiment, uint32_t repetition)
{
    if (changes->seed_count)
        return changes->seeds[repetition];
    return (changes->has_seed ? changes->seed : experiment->sim.seed) + changes->seed_offset +
           repetition;
}

static bool add_run(struct study_plan *plan, struct yaml_node *changed, uint32_t index,
    const struct study_changes *changes, uint32_t repetition)
{
    struct study_run *run = grow_take(1, sizeof(*run));
    const char *label = run->set_label;

    plan->runs[plan->run_count++] = run;
    run->settings = settings_of(plan->top, index);
    run->inputs = changed;
    if (!experiment_read(&plan->yaml, changed, &run->experiment))
        return false;
    run->experiment.sim.seed = seed_of(changes, &run->experiment, repetition);
    experiment_sweep_label(plan->top, index, run->set_label);
    if (repeat_of(changes, &run->experiment) > 1)
        snprintf(run->label, sizeof(run->label), "%s%sseed %llu", label, *label ? " " : "",
            (unsigned long long)run->experiment.sim.seed);
    else
        snprintf(run->label, sizeof(run->label), "%s", label);
    return true;
}

/* Reads all runs before the first begins, so that an error in the last one is reported at once. */
static bool plan_runs(struct study_plan *plan, const struct study_changes *changes)
{
    uint32_t set_count = experiment_sweep_count(plan->top);

    plan->runs = grow_take(STUDY_RUNS_MAX, sizeof(struct study_run *));
    for (uint32_t i = 0; i < set_count; i++) {
        struct yaml_node *changed = experiment_sweep_apply(&plan->yaml, plan->top, i);
        struct experiment experiment;
        uint32_t repeat;

        if (!changed || !experiment_read(&plan->yaml, changed, &experiment))
            return false;
        repeat = repeat_of(changes, &experiment);
        if (repeat > STUDY_RUNS_MAX - plan->run_count)
            return yaml_complain(
                &plan->yaml, plan->top, "more than %d runs; sweep or repeat less", STUDY_RUNS_MAX);
        for (uint32_t k = 0; k < repeat; k++)
            if (!add_run(plan, changed, i, changes, k))
                return false;
    }
    return true;
}

static bool is_of_sweep(const char *assignment)
{
    return strncmp(assignment, "sweep", 5) == 0 && (assignment[5] == '=' || assignment[5] == '.');
}

/* Applies the assignments to the sweep of the file, or the others. */
static bool apply_sets(struct study_plan *plan, const struct study_changes *changes, bool of_sweep)
{
    for (uint32_t i = 0; i < changes->set_count; i++)
        if (is_of_sweep(changes->sets[i]) == of_sweep &&
            !experiment_set(&plan->yaml, plan->top, changes->sets[i]))
            return false;
    return true;
}

/* The sweep is complete before other keys are set, because a key that it sets is refused. */
static bool read_tree(struct study_plan *plan, const struct study_changes *changes)
{
    if (!plan->top || !apply_sets(plan, changes, true))
        return false;
    for (uint32_t i = 0; i < changes->sweep_count; i++)
        if (!experiment_sweep_cross(&plan->yaml, plan->top, changes->sweeps[i]))
            return false;
    if (!apply_sets(plan, changes, false))
        return false;
    return (!changes->protocol ||
               experiment_set_protocol(&plan->yaml, plan->top, changes->protocol)) &&
           (!changes->change_tree ||
               changes->change_tree(changes->context, &plan->yaml, plan->top)) &&
           plan_runs(plan, changes);
}

static void init_plan(struct study_plan *plan)
{
    *plan = (struct study_plan){ 0 };
    yaml_init(&plan->yaml);
}

bool study_plan_read(struct study_plan *plan, const char *path, const struct study_changes *changes)
{
    init_plan(plan);
    plan->top = experiment_load(&plan->yaml, path);
    return read_tree(plan, changes);
}

bool study_plan_parse(struct study_plan *plan, const char *source, const char *text,
    const struct study_changes *changes)
{
    init_plan(plan);
    plan->top = experiment_parse(&plan->yaml, source, text);
    return read_tree(plan, changes);
}

void study_plan_hash(const struct study_plan *plan, char out[static JSON_HASH_BYTES])
{
    json_t *runs = json_array();

    for (uint32_t i = 0; i < plan->run_count; i++)
        json_array_append_new(
            runs, json_pack("{s:I,s:o}", "seed", (json_int_t)plan->runs[i]->experiment.sim.seed,
                      "inputs", json_of_yaml(plan->runs[i]->inputs)));
    json_hash(runs, out);
    json_decref(runs);
}

void study_plan_fini(struct study_plan *plan)
{
    for (uint32_t i = 0; i < plan->run_count; i++) {
        json_decref(plan->runs[i]->settings);
        free(plan->runs[i]);
    }
    free(plan->runs);
    yaml_fini(&plan->yaml);
}
