/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the experiment once for each contender, makes all runs in one queue, and composes the
 * costs. */
#include "study/job_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "study/job_cost.h"
#include "study/job_events.h"
#include "study/study_plans.h"

enum { SETS_MAX = 128, SETTINGS_BYTES = 512 };

#define FULL_NIC_GBPS 800.0

/* The defaults of NCCL: a timeout of 2^20 times 4.096 us, 7 retries. */
static const char *const library_settings[SIM_PROTOCOL_COUNT] = {
    [SIM_MRC] = "",
    [SIM_ROCE] = "roce.timeout=4295ms roce.retries=7",
    [SIM_UET] = "",
    [SIM_INFINIBAND] = "infiniband.timeout=4295ms infiniband.retries=7",
};

/* ---- reading --------------------------------------------------------------------------------- */

struct changed {
    const char *sets[SETS_MAX];
    char settings[SETTINGS_BYTES];
    struct study_changes changes;
};

static void change_plan(struct changed *changed, const struct study_changes *changes,
    const struct study_contender *contender)
{
    uint32_t count = 0;
    char *rest;

    changed->changes = *changes;
    snprintf(changed->settings, sizeof(changed->settings), "%s %s", contender->settings,
        library_settings[contender->protocol]);
    for (char *set = strtok_r(changed->settings, " ", &rest); set; set = strtok_r(NULL, " ", &rest))
        changed->sets[count++] = set;
    for (uint32_t i = 0; i < changes->set_count && count < SETS_MAX; i++)
        changed->sets[count++] = changes->sets[i];
    changed->changes.sets = changed->sets;
    changed->changes.set_count = count;
    changed->changes.protocol = sim_protocol_words[contender->protocol];
}

static bool refuse_plan(
    struct job_measure *measure, const struct study_plan *plan, const char *problem)
{
    snprintf(
        measure->problem, sizeof(measure->problem), "%.200s: %s", plan->top->place.source, problem);
    return false;
}

static const struct sim_workload *job_of(const struct study_run *run)
{
    return &run->experiment.sim.workloads[0];
}

static bool is_quiet(const struct study_run *run)
{
    return strcmp(run->set_label, "quiet") == 0;
}

/* The runs of an entry of the sweep follow each other, one for each seed. */
static uint32_t seeds_of(const struct study_plan *plan)
{
    uint32_t count = 0;

    while (count < plan->run_count && is_quiet(plan->runs[count]))
        count++;
    return count;
}

#define SEEDS_DIFFER "sweep: each entry must have another label, and all the same seeds"

static bool check_plan(struct job_measure *measure, const struct study_plan *plan)
{
    uint32_t seeds = seeds_of(plan);

    if (seeds == 0)
        return refuse_plan(measure, plan, "sweep: its first entry must have the label quiet");
    if (plan->run_count % seeds != 0)
        return refuse_plan(measure, plan, SEEDS_DIFFER);
    for (uint32_t i = 0; i < plan->run_count; i++) {
        const struct study_run *run = plan->runs[i];

        if (strcmp(run->set_label, plan->runs[i - i % seeds]->set_label) != 0 ||
            run->experiment.sim.seed != plan->runs[i % seeds]->experiment.sim.seed)
            return refuse_plan(measure, plan, SEEDS_DIFFER);
        if (sim_compute_ps(job_of(run)) == 0 || job_of(run)->iterations < 2)
            return refuse_plan(measure, plan,
                "workloads: the first one must train, with compute, and with two or more "
                "iterations");
        if (run->experiment.sim.fault_count != (i >= seeds))
            return refuse_plan(
                measure, plan, "sweep: quiet has no fault, and each other entry has exactly one");
    }
    return true;
}

static bool read_plan(struct job_measure *measure, const struct study_contender *contender,
    const char *path, const struct study_changes *changes)
{
    struct study_plan *plan = &measure->plans[measure->plan_count++];
    struct changed changed;
    bool is_read;

    change_plan(&changed, changes, contender);
    is_read = path ? study_plan_read(plan, path, &changed.changes)
                   : study_plan_parse(plan, "built-in", job_measure_default, &changed.changes);
    measure->run_count += plan->run_count;
    if (!is_read)
        snprintf(measure->problem, sizeof(measure->problem), "%s", plan->yaml.problem);
    return is_read && check_plan(measure, plan);
}

bool job_measure_read(struct job_measure *measure, const struct study_contender_choice *choice,
    const char *path, const struct study_changes *changes)
{
    *measure = (struct job_measure){ .choice = choice };
    for (uint32_t i = 0; i < choice->count; i++)
        if (!read_plan(measure, choice->at[i], path, changes))
            return false;
    return true;
}

void job_measure_fini(struct job_measure *measure)
{
    while (measure->plan_count > 0)
        study_plan_fini(&measure->plans[--measure->plan_count]);
}

/* ---- running --------------------------------------------------------------------------------- */

struct telling {
    struct job_measure *measure;
    void (*on_run)(void *context, const struct job_measure *);
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

/* ---- the document ---------------------------------------------------------------------------- */

/* Returns the payload and header rate of a NIC. */
static double nic_gbps(const struct topology_config *config)
{
    return (double)config->plane_count * (double)config->host_link.rate_bps / 1e9;
}

/* Of RoCEv2 and InfiniBand: the time until a QP fails; 0: not known. */
static double give_up_s(const struct study_contender *contender, const struct sim_config *sim)
{
    uint64_t timeout_ps = 0;
    uint32_t retries = 0;

    if (contender->protocol == SIM_ROCE) {
        timeout_ps = sim->roce.timeout_ps;
        retries = sim->roce.retries;
    } else if (contender->protocol == SIM_INFINIBAND) {
        timeout_ps = sim->infiniband.timeout_ps;
        retries = sim->infiniband.retries;
    }
    return (double)timeout_ps / (double)SIM_PS_PER_S * (retries + 1);
}

static json_t *protocol_json(
    const struct study_contender *contender, const struct study_run *run, const json_t *quiet)
{
    json_t *workload = json_object_iter_value(
        json_object_iter(json_object_get(json_object_get(quiet, "summary"), "workloads")));
    json_t *step_us = json_object_get(workload, "step_us");
    double patience_s = give_up_s(contender, &run->experiment.sim);
    json_t *json = json_pack("{s:s,s:s,s:s,s:f,s:f,s:O}", "protocol",
        sim_protocol_words[contender->protocol], "title", contender->title, "settings",
        contender->settings, "step_s", job_cost_step_s(quiet), "step_p99_s",
        json_number_value(json_object_get(step_us, "p99")) / 1e6, "exposed",
        json_object_get(workload, "exposed_fraction"));

    if (patience_s > 0)
        json_object_set_new(json, "give_up_s", json_real(patience_s));
    return json;
}

/* Puts the cost of a run under its class. */
static void add_cost(
    json_t *failures, const struct study_run *run, const char *contender, json_t *cost)
{
    const struct fault *fault = &run->experiment.sim.faults[0];
    char name[EXPERIMENT_LABEL_BYTES];
    char where[TOPOLOGY_NAME_BYTES] = "";
    json_t *failure;

    snprintf(name, sizeof(name), "%s", run->set_label);
    for (char *at = strchr(name, '_'); at; at = strchr(at, '_'))
        *at = ' ';
    if (!json_object_get(failures, name)) {
        topology_name(&fault->where[0], where);
        json_object_set_new(failures, name,
            json_pack(
                "{s:s,s:s,s:{}}", "kind", fault_kind_words[fault->kind], "where", where, "costs"));
    }
    failure = json_object_get(failures, name);
    json_object_set_new(json_object_get(failure, "costs"), contender, cost);
}

/* Puts the costs of a contender under their classes. `results`: those of its runs. */
static void add_costs(
    json_t *failures, const struct study_plan *plan, const char *contender, json_t *const *results)
{
    uint32_t seeds = seeds_of(plan);
    json_t **costs = grow_take(seeds, sizeof(json_t *));

    for (uint32_t i = seeds; i < plan->run_count; i += seeds) {
        const struct study_run *run = plan->runs[i];

        for (uint32_t k = 0; k < seeds; k++)
            costs[k] = job_cost_of(results[i + k], results[k], job_of(run)->iterations);
        add_cost(failures, run, contender, job_cost_mean(costs, seeds));
    }
    free(costs);
}

static json_t *document_of(const struct job_measure *measure, json_t *const *results)
{
    const struct experiment *experiment = &measure->plans[0].runs[0]->experiment;
    const struct topology_config *config = &experiment->fabric.topology.config;
    json_t *protocols = json_object();
    json_t *failures = json_object();
    char hash[JSON_HASH_BYTES];

    for (uint32_t i = 0; i < measure->plan_count; i++) {
        const struct study_plan *plan = &measure->plans[i];
        const struct study_contender *contender = measure->choice->at[i];

        json_object_set_new(
            protocols, contender->name, protocol_json(contender, plan->runs[0], results[0]));
        add_costs(failures, plan, contender->name, results);
        results += plan->run_count;
    }
    study_plan_hash(&measure->plans[0], hash);
    return json_pack("{s:i,s:s,s:s,s:s,s:I,s:I,s:{s:s,s:I,s:I,s:f},s:f,s:o,s:o}",
        "openmrc_job_events", JOB_EVENTS_VERSION, "version", OPENMRC_VERSION, "inputs", hash,
        "experiment", experiment->title, "seed", (json_int_t)experiment->sim.seed, "seeds",
        (json_int_t)seeds_of(&measure->plans[0]), "fabric", "name",
        experiment->fabric.topology.config.name, "nics",
        (json_int_t)experiment->fabric.topology.nic_count, "planes",
        (json_int_t)config->plane_count, "nic_gbps", nic_gbps(config), "rate_factor",
        FULL_NIC_GBPS / nic_gbps(config), "protocols", protocols, "failures", failures);
}

json_t *job_measure_run(struct job_measure *measure, const struct study_manner *manner,
    void (*on_run)(void *context, const struct job_measure *), void *context)
{
    struct telling telling = { measure, on_run, context };
    const struct study_plan *listed[sizeof(measure->plans) / sizeof(measure->plans[0])];
    struct study_plans plans = { listed, measure->plan_count, tell_run, &telling };
    json_t **results;
    json_t *document;

    for (uint32_t i = 0; i < measure->plan_count; i++)
        listed[i] = &measure->plans[i];
    results = study_plans_run(&plans, manner);
    if (!results)
        return NULL;
    document = document_of(measure, results);
    study_plans_release(&plans, results);
    return document;
}
