/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the experiment once for each contender, and makes all runs in one queue; before that, those
 * of a search. */
#include "study/study_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "study/study_plans.h"

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_entrant(
    struct study_compare *compare, const struct study_contender *contender, const char *found)
{
    struct study_entrant *entrant = &compare->entrants[compare->entrant_count++];

    *entrant = (struct study_entrant){ .contender = contender };
    snprintf(entrant->found, sizeof(entrant->found), "%s", found);
    return study_entrant_read(
        entrant, compare->comparison, compare->comparison->changes, compare->problem);
}

static void forget_entrants(struct study_compare *compare)
{
    while (compare->entrant_count > 0)
        study_entrant_fini(&compare->entrants[--compare->entrant_count]);
}

bool study_compare_read(struct study_compare *compare, const struct study_comparison *comparison)
{
    const struct study_contender_choice *choice = comparison->choice;

    *compare = (struct study_compare){ .comparison = comparison };
    for (uint32_t i = 0; i < choice->count; i++)
        if (!read_entrant(compare, choice->at[i], ""))
            return false;
    return study_search_read(&compare->search, comparison, compare->problem);
}

/* The search only has settings with which the experiment was read. */
static bool add_found(struct study_compare *compare)
{
    const struct study_contender_choice *choice = compare->comparison->choice;

    forget_entrants(compare);
    for (uint32_t i = 0; i < choice->count; i++) {
        const char *found = study_search_found(&compare->search, i);

        if (!read_entrant(compare, choice->at[i], "") ||
            (*found && !read_entrant(compare, choice->at[i], found)))
            return false;
    }
    return true;
}

void study_compare_fini(struct study_compare *compare)
{
    forget_entrants(compare);
    study_search_fini(&compare->search);
}

/* ---- running --------------------------------------------------------------------------------- */

struct making {
    struct study_compare *compare;
    const struct study_manner *manner;
    const struct study_plan **listed;
    struct study_plans plans;
    json_t **results; /* by run; NULL: not all were made */
    void (*on_run)(void *context, const struct study_compare *);
    void *context;
};

static bool is_sound(const json_t *run)
{
    const char *status = json_string_value(json_object_get(run, "status"));

    return strcmp(status, "finished") == 0 || strcmp(status, "out_of_time") == 0;
}

static bool take_run(void *context, json_t *run, uint32_t done_count)
{
    struct making *making = context;

    if (!is_sound(run)) {
        study_complain(making->manner, "a run ended as %s %s",
            json_string_value(json_object_get(run, "status")),
            json_string_value(json_object_get(run, "label")));
        return false;
    }
    comparison_reduce(run);
    making->compare->done_count = done_count;
    making->on_run(making->context, making->compare);
    return true;
}

/* Takes the results in making->results. Returns whether all runs have one. */
static bool make_runs(
    struct making *making, struct study_entrant *const *entrants, uint32_t entrant_count)
{
    making->listed = grow_take(entrant_count, sizeof(struct study_plan *));
    for (uint32_t i = 0; i < entrant_count; i++)
        making->listed[i] = &entrants[i]->plan;
    making->plans = (struct study_plans){ making->listed, entrant_count, take_run, making };
    making->compare->run_count = study_plans_run_count(&making->plans);
    making->compare->done_count = 0;
    making->results = study_plans_run(&making->plans, making->manner);
    return making->results;
}

static void forget_results(struct making *making)
{
    if (making->results)
        study_plans_release(&making->plans, making->results);
    free(making->listed);
}

static bool make_search(struct making *making)
{
    struct study_compare *compare = making->compare;
    uint32_t count = study_search_list(&compare->search, NULL);
    struct study_entrant **entrants = grow_take(count, sizeof(struct study_entrant *));
    bool is_made;

    study_search_list(&compare->search, entrants);
    compare->is_searching = true;
    is_made = make_runs(making, entrants, count);
    if (is_made) {
        compare->is_searching = false;
        study_search_judge(&compare->search, making->results);
    }
    forget_results(making);
    free(entrants);
    return is_made && add_found(compare);
}

static json_t *make_comparison(struct making *making)
{
    struct study_compare *compare = making->compare;
    struct study_entrant *entrants[2 * STUDY_CONTENDERS_MAX];
    json_t *document;

    for (uint32_t i = 0; i < compare->entrant_count; i++)
        entrants[i] = &compare->entrants[i];
    document = make_runs(making, entrants, compare->entrant_count)
                   ? study_compare_json(compare, making->results)
                   : NULL;
    forget_results(making);
    return document;
}

json_t *study_compare_run(struct study_compare *compare, const struct study_manner *manner,
    void (*on_run)(void *context, const struct study_compare *), void *context)
{
    struct making making = {
        .compare = compare, .manner = manner, .on_run = on_run, .context = context
    };

    if (compare->comparison->trials && !make_search(&making))
        return NULL;
    return make_comparison(&making);
}
