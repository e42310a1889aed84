/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an experiment with a run for each element, makes the runs, and compares the rate after
 * the failure with that before it. */
#include "study/size_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "study/size_measure_text.h"
#include "study/size_scale.h"
#include "study/study_plans.h"

enum { SETS_MAX = 64, SETTINGS_BYTES = 1024 };

#define SETTLED 0.95 /* of the rate that remains */
#define NOTHING 0.01 /* of the rate without the failure */

/* ---- scenes ---------------------------------------------------------------------------------- */

/* A NIC and its only module take the same away. */
static enum size_element simulated(enum size_element element)
{
    return element == SIZE_NIC ? SIZE_NIC_MODULE : element;
}

const struct size_scene *size_measure_scene(
    const struct size_measure *measure, const struct size_failure *failure)
{
    for (uint32_t i = 0; i < measure->scene_count; i++)
        if (measure->scenes[i].element == simulated(failure->element) &&
            measure->scenes[i].tier == failure->tier)
            return &measure->scenes[i];
    return NULL;
}

/* A module belongs to one switch, which has fewer NICs here. A group of switches is a small part of
 * a fabric. */
static uint32_t nics_of(const struct size_fabric *small, const struct size_failure *failure)
{
    uint64_t of_leaf = small->tiers[0].host_ports;
    uint64_t leaves = small->tiers[0].switches / 4;
    uint64_t most = small->places;

    if (failure->element == SIZE_SWITCH_MODULE)
        most = of_leaf;
    if (failure->element == SIZE_POWER_GROUP)
        most = of_leaf * (leaves ? leaves : 1);
    if (failure->nics < most)
        most = failure->nics;
    return (uint32_t)(most < small->places ? most : small->places);
}

/* Failures that last shorter or longer take the same away while they last. */
static void add_scenes(struct size_measure *measure, const struct size_failures *expected)
{
    for (uint32_t i = 0; i < expected->count; i++) {
        const struct size_failure *failure = &expected->list[i];

        if (failure->element == SIZE_GPU || size_measure_scene(measure, failure) ||
            measure->scene_count == SIZE_SCENES_MAX)
            continue;
        measure->scenes[measure->scene_count++] =
            (struct size_scene){ .element = simulated(failure->element),
                .tier = failure->tier,
                .nics = nics_of(&measure->small, failure),
                .share = failure->nic_share };
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool refuse_measure(struct size_measure *measure, const char *problem)
{
    snprintf(measure->problem, sizeof(measure->problem), "%s", problem);
    return false;
}

static bool read_plan(
    struct size_measure *measure, const struct study_contender *contender, const char *text)
{
    struct study_plan *plan = &measure->plans[measure->plan_count++];
    const char *sets[SETS_MAX];
    struct study_changes changes = { .sets = sets,
        .protocol = sim_protocol_words[contender->protocol] };
    char settings[SETTINGS_BYTES];
    char *rest;

    snprintf(settings, sizeof(settings), "%s %s", contender->usual, contender->settings);
    for (char *set = strtok_r(settings, " ", &rest); set && changes.set_count < SETS_MAX;
         set = strtok_r(NULL, " ", &rest))
        sets[changes.set_count++] = set;
    if (!study_plan_parse(plan, "failures", text, &changes))
        return refuse_measure(measure, plan->yaml.problem);
    measure->run_count += plan->run_count;
    return true;
}

static bool read_plans(struct size_measure *measure, const struct size_site *site)
{
    char *text = size_measure_text(measure, site);
    bool is_read = text != NULL;

    if (!text)
        refuse_measure(measure, "no generator builds a small fabric of this shape");
    for (uint32_t i = 0; is_read && i < measure->choice->count; i++)
        is_read = read_plan(measure, measure->choice->at[i], text);
    free(text);
    return is_read;
}

bool size_measure_read(struct size_measure *measure, const struct study_contender_choice *choice,
    const struct size_fabric *fabric, const struct size_site *site, const struct job *job)
{
    struct size_failures *expected = grow_take(1, sizeof(*expected));
    bool is_read;

    *measure = (struct size_measure){ .choice = choice };
    if (!size_scale_down(fabric, &measure->small) || measure->small.places < 2) {
        is_read = refuse_measure(measure, "a fabric of this shape with 2 to 512 NICs cannot be "
                                          "built, so none is simulated");
    } else if (!size_failures_find(&measure->small, job, expected)) {
        is_read = refuse_measure(measure, expected->reason);
    } else {
        add_scenes(measure, expected);
        is_read = read_plans(measure, site);
    }
    free(expected);
    return is_read;
}

void size_measure_fini(struct size_measure *measure)
{
    while (measure->plan_count > 0)
        study_plan_fini(&measure->plans[--measure->plan_count]);
}

/* ---- results --------------------------------------------------------------------------------- */

static double rate_of(const json_t *run, const char *workload)
{
    json_t *phases = json_object_get(json_object_get(run, "summary"), "phases");
    json_t *workloads = json_object_get(json_object_get(phases, "during"), "workloads");

    return json_number_value(json_object_get(json_object_get(workloads, workload), "goodput_bps"));
}

static double lost_share(const json_t *run, const json_t *quiet, const char *workload)
{
    double usual = rate_of(quiet, workload);

    return usual > 0 ? 1 - rate_of(run, workload) / usual : 0;
}

/* The last sample after the failure that is below what remains. */
static double settled_us(const json_t *run, const json_t *quiet)
{
    json_t *series = json_object_get(run, "series");
    json_t *times = json_object_get(series, "time_us");
    json_t *rates = json_object_get(json_object_get(series, "goodput_bps"), "affected");
    double remains = rate_of(run, "affected");
    double settled = 0;
    json_t *time;
    size_t i;

    if (remains <= NOTHING * rate_of(quiet, "affected"))
        return SIZE_MEASURED_NOTHING;
    json_array_foreach(times, i, time)
    {
        double after_us = json_number_value(time) - SIZE_MEASURE_FAILS_US;

        if (after_us > 0 && json_number_value(json_array_get(rates, i)) < SETTLED * remains)
            settled = after_us;
    }
    return settled;
}

static struct size_measured measured_of(const json_t *run, const json_t *quiet)
{
    return (struct size_measured){ .share = lost_share(run, quiet, "affected"),
        .others = lost_share(run, quiet, "others"),
        .settles_us = settled_us(run, quiet),
        .timeouts = (uint64_t)json_integer_value(
            json_object_get(json_object_get(run, "summary"), "timeouts")) };
}

static void judge_runs(struct size_measure *measure, json_t **runs)
{
    for (uint32_t i = 0; i < measure->plan_count; i++) {
        for (uint32_t k = 0; k < measure->scene_count; k++) {
            const struct size_scene *scene = &measure->scenes[k];

            measure->results[i][k] = measured_of(runs[scene->run], runs[scene->quiet_run]);
        }
        runs += measure->plans[i].run_count;
    }
}

/* ---- running --------------------------------------------------------------------------------- */

struct telling {
    struct size_measure *measure;
    void (*on_run)(void *context, const struct size_measure *);
    void *context;
};

static bool tell_run(void *context, json_t *run, uint32_t done_count)
{
    struct telling *telling = context;

    (void)run;
    telling->measure->done_count = done_count;
    telling->on_run(telling->context, telling->measure);
    return true;
}

bool size_measure_run(struct size_measure *measure, const struct study_manner *manner,
    void (*on_run)(void *context, const struct size_measure *), void *context)
{
    struct telling telling = { measure, on_run, context };
    const struct study_plan *listed[sizeof(measure->plans) / sizeof(measure->plans[0])];
    struct study_plans plans = { listed, measure->plan_count, tell_run, &telling };
    json_t **results;

    for (uint32_t i = 0; i < measure->plan_count; i++)
        listed[i] = &measure->plans[i];
    results = study_plans_run(&plans, manner);
    if (!results)
        return false;
    judge_runs(measure, results);
    study_plans_release(&plans, results);
    return true;
}
