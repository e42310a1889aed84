/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the experiment for one entrant. */
#include "study/study_entrant.h"

#include <stdio.h>
#include <string.h>

#include "study/compare_default.h"
#include "study/entrant_tree.h"

enum { SETS_MAX = 192, TEXTS = 2 };

/* The changes of the caller, then those of the entrant. */
struct changed {
    const char *sets[SETS_MAX];
    char texts[TEXTS][STUDY_SETTINGS_BYTES];
    struct study_changes changes;
};

static void add_settings(struct changed *changed, int text, const char *settings)
{
    char *rest;

    snprintf(changed->texts[text], STUDY_SETTINGS_BYTES, "%s", settings);
    for (char *set = strtok_r(changed->texts[text], " ", &rest);
         set && changed->changes.set_count < SETS_MAX; set = strtok_r(NULL, " ", &rest))
        changed->sets[changed->changes.set_count++] = set;
}

static bool change_tree(void *context, struct yaml *yaml, struct yaml_node *top)
{
    struct study_entrant *entrant = context;

    return entrant_tree_change(entrant, yaml, top) &&
           (!entrant->has_fat_tree || study_refit_tree(&entrant->refit, yaml, top));
}

static void collect_changes(
    struct changed *changed, struct study_entrant *entrant, const struct study_changes *changes)
{
    changed->changes = *changes;
    changed->changes.sets = changed->sets;
    memcpy(changed->sets, changes->sets, changes->set_count * sizeof(changes->sets[0]));
    add_settings(changed, 0, entrant->found);
    add_settings(changed, 1, entrant->contender->settings);
    changed->changes.protocol = sim_protocol_words[entrant->contender->protocol];
    changed->changes.change_tree = change_tree;
    changed->changes.context = entrant;
}

/* The sweep of a file may contain cases, but not protocols. */
static bool complain_plan(const struct study_entrant *entrant,
    const struct study_comparison *comparison, char problem[static YAML_PROBLEM_BYTES])
{
    const struct study_plan *plan = &entrant->plan;

    if (plan->top && experiment_sweep_has(plan->top, "protocol"))
        snprintf(problem, YAML_PROBLEM_BYTES,
            "%.200s: sweep: it sets protocol, as this command does; remove it, or use mrc sim",
            plan->top->place.source);
    else if (entrant->has_fat_tree)
        snprintf(problem, YAML_PROBLEM_BYTES, "--fabric %s: %s: %.400s",
            study_normalisation_words[comparison->normalisation], entrant->contender->name,
            plan->yaml.problem);
    else
        snprintf(problem, YAML_PROBLEM_BYTES, "%s", plan->yaml.problem);
    return false;
}

bool study_entrant_read(struct study_entrant *entrant, const struct study_comparison *comparison,
    const struct study_changes *changes, char problem[static YAML_PROBLEM_BYTES])
{
    struct changed changed;
    bool is_read;

    entrant->has_fat_tree = comparison->normalisation != STUDY_SAME &&
                            !study_contender_builds_planes(entrant->contender->protocol);
    entrant->refit.has_budget = comparison->normalisation == STUDY_BUDGET ||
                                comparison->normalisation == STUDY_BUDGET_RAILS;
    entrant->refit.has_rails =
        comparison->normalisation == STUDY_RAILS || comparison->normalisation == STUDY_BUDGET_RAILS;
    collect_changes(&changed, entrant, changes);
    is_read = comparison->path
                  ? study_plan_read(&entrant->plan, comparison->path, &changed.changes)
                  : study_plan_parse(&entrant->plan, "built-in", compare_default, &changed.changes);
    return is_read || complain_plan(entrant, comparison, problem);
}

void study_entrant_fini(struct study_entrant *entrant)
{
    study_plan_fini(&entrant->plan);
}

bool study_entrant_has_key(const char *settings, const char *key)
{
    size_t length = strlen(key);

    while (*settings) {
        if (strncmp(settings, key, length) == 0 && settings[length] == '=')
            return true;
        settings += strcspn(settings, " ");
        settings += strspn(settings, " ");
    }
    return false;
}
