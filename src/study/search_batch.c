/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the plans of points, makes what is missing, and computes their costs. */
#include "study/search_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEEDS_MAX = 100,
    CHECK_OFFSET = 1000000, /* more than a search has seeds */
};

struct batch {
    struct search *search;
    const struct study_manner *manner;
    const uint32_t *indexes; /* of trials */
    uint32_t count;
    uint64_t seeds[SEEDS_MAX];
    uint32_t seed_count;
    struct study_plan *plans; /* by trial */
    json_t **results;         /* by trial, case and seed */
    struct study_run **missing;
    uint32_t *places; /* of the missing runs in `results` */
    uint32_t missing_count;
    bool has_failed;
};

static void set_seeds(struct batch *batch)
{
    const struct search_request *request = batch->search->request;
    bool is_check = batch->search->stage == SEARCH_STAGE_CHECK;

    batch->seed_count = is_check ? request->check_seeds : request->seeds;
    for (uint32_t i = 0; i < batch->seed_count; i++)
        batch->seeds[i] = request->seed + i + (is_check ? CHECK_OFFSET : 0);
}

static uint32_t runs_of_trial(const struct batch *batch)
{
    return batch->search->case_count * batch->seed_count;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Objectives find the case of a run by its label. */
static json_t *label_run(json_t *run, const struct study_run *plan)
{
    if (run)
        json_object_set_new(run, "case", json_string(plan->set_label));
    return run;
}

/* Files have 15 digits of a number. A run that was kept must not differ from one that was made. */
static json_t *as_kept(json_t *run)
{
    char *text;
    json_t *same;

    comparison_reduce(run);
    json_object_del(run, "perf");
    text = json_dumps(run, JSON_FORM);
    same = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    json_decref(run);
    return same;
}

static bool is_partial(const json_t *run)
{
    const char *status = json_string_value(json_object_get(run, "status"));

    return status && strcmp(status, "partial") == 0;
}

/* A run without a result ends the search: a point must not count as bad because a process was
 * killed. */
static bool take_run(void *context, uint32_t index, json_t *run)
{
    struct batch *batch = context;
    struct search *search = batch->search;

    if (*batch->manner->is_interrupted) {
        json_decref(run);
        return false;
    }
    run = run && !is_partial(run) ? as_kept(run) : run;
    if (!run || is_partial(run)) {
        batch->has_failed = true;
        study_complain(batch->manner, "a run has no result; the same command tries it again");
    } else if (!search_store_keep(&search->store, batch->missing[index], run)) {
        batch->has_failed = true;
        study_complain(batch->manner, "%s", search->store.reason);
    }
    batch->results[batch->places[index]] = label_run(run, batch->missing[index]);
    search->made_count++;
    search->run_count++;
    if (search->on_run)
        search->on_run(search->context, search);
    return !batch->has_failed;
}

static void list_runs(struct batch *batch, uint32_t trial)
{
    const struct study_plan *plan = &batch->plans[trial];

    for (uint32_t i = 0; i < plan->run_count; i++) {
        uint32_t place = trial * runs_of_trial(batch) + i;

        batch->results[place] =
            label_run(search_store_find(&batch->search->store, plan->runs[i]), plan->runs[i]);
        if (batch->results[place]) {
            batch->search->run_count++;
            continue;
        }
        batch->places[batch->missing_count] = place;
        batch->missing[batch->missing_count++] = plan->runs[i];
    }
}

static void read_plans(struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        struct search_trial *trial = &batch->search->trials[batch->indexes[i]];

        trial->is_possible = search_point_plan(batch->search->request, &trial->point, batch->seeds,
                                 batch->seed_count, &batch->plans[i]) &&
                             batch->plans[i].run_count == runs_of_trial(batch);
        if (trial->is_possible)
            list_runs(batch, i);
    }
}

/* ---- costs ----------------------------------------------------------------------------------- */

static bool is_sound(const json_t *run)
{
    const char *status = json_string_value(json_object_get(run, "status"));

    return status && (strcmp(status, "finished") == 0 || strcmp(status, "out_of_time") == 0);
}

/* Costs of one seed: runs are ordered by case, then by seed. */
static struct pareto_value costs_of_seed(const struct batch *batch, uint32_t index, uint32_t seed)
{
    const struct search *search = batch->search;
    const struct search_request *request = search->request;
    const struct search_trial *trial = &search->trials[batch->indexes[index]];
    json_t *const *runs = &batch->results[(size_t)index * runs_of_trial(batch)];
    json_t *of_cases[SEARCH_CASES_MAX] = { NULL };
    struct pareto_value value = { 0 };

    for (uint32_t i = 0; i < search->case_count; i++)
        if (is_sound(runs[i * batch->seed_count + seed]))
            of_cases[i] = runs[i * batch->seed_count + seed];
    for (uint32_t i = 0; i < request->objective_count; i++)
        value.at[i] = search_point_cost(request, &request->objectives[i],
            &request->topologies.at[trial->point.topology], of_cases, search->case_count);
    return value;
}

static void add_share(struct pareto_value *mean, const struct pareto_value *value, uint32_t count)
{
    for (uint32_t i = 0; i < PARETO_OBJECTIVES_MAX; i++)
        mean->at[i] += value->at[i] / count;
}

static void set_costs(const struct batch *batch, uint32_t index)
{
    struct search_trial *trial = &batch->search->trials[batch->indexes[index]];
    bool is_check = batch->search->stage == SEARCH_STAGE_CHECK;
    struct pareto_value mean = { 0 };

    if (is_check)
        trial->checks = grow_take(batch->seed_count, sizeof(*trial->checks));
    for (uint32_t seed = 0; seed < batch->seed_count; seed++) {
        struct pareto_value value = costs_of_seed(batch, index, seed);

        add_share(&mean, &value, batch->seed_count);
        if (is_check)
            trial->checks[seed] = value;
    }
    trial->is_checked = is_check;
    *(is_check ? &trial->checked : &trial->chosen) = mean;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void open_batch(struct batch *batch)
{
    uint32_t runs = batch->count * runs_of_trial(batch);

    batch->plans = grow_take(batch->count, sizeof(*batch->plans));
    batch->results = grow_take(runs, sizeof(json_t *));
    batch->missing = grow_take(runs, sizeof(struct study_run *));
    batch->places = grow_take(runs, sizeof(uint32_t));
}

static void close_batch(struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++)
        study_plan_fini(&batch->plans[i]);
    for (uint32_t i = 0; i < batch->count * runs_of_trial(batch); i++)
        json_decref(batch->results[i]);
    free(batch->plans);
    free(batch->results);
    free(batch->missing);
    free(batch->places);
}

bool search_batch_run(struct search *search, const uint32_t *indexes, uint32_t count,
    const struct study_manner *manner)
{
    struct batch batch = { .search = search, .manner = manner, .indexes = indexes, .count = count };
    struct study_sink sink = { take_run, &batch };
    bool is_made;

    set_seeds(&batch);
    open_batch(&batch);
    read_plans(&batch);
    if (batch.missing_count)
        study_jobs_run(batch.missing, batch.missing_count, manner, &sink);
    is_made = !batch.has_failed && !*manner->is_interrupted;
    for (uint32_t i = 0; is_made && i < count; i++)
        if (search->trials[indexes[i]].is_possible)
            set_costs(&batch, i);
    close_batch(&batch);
    return is_made;
}
