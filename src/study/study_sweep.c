/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the folder of a sweep with its plan, and makes what is missing. */
#include "study/study_sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include "pktio/pktio.h"
#include "result/result.h"
#include "study/study_rounds.h"

#define SWEEP_VERSION 1

struct path {
    char at[STUDY_SWEEP_PATH_BYTES];
};

static struct path path_of(const struct study_sweep *sweep, const char *folder, const char *name)
{
    struct path path;

    snprintf(path.at, sizeof(path.at), "%.3800s/%s%.200s", sweep->folder, folder, name);
    return path;
}

static bool fail_sweep(struct study_sweep *sweep, const char *path, int err)
{
    snprintf(sweep->reason, sizeof(sweep->reason), "%.3900s: %s", path, strerror(-err));
    return false;
}

/* ---- the folder ------------------------------------------------------------------------------ */

static bool make_folder(struct study_sweep *sweep, const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    return fail_sweep(sweep, path, -errno);
}

static bool lock_folder(struct study_sweep *sweep)
{
    struct path lock = path_of(sweep, "", ".lock");
    struct path runs = path_of(sweep, "runs", "");

    if (!make_folder(sweep, sweep->folder) || !make_folder(sweep, runs.at))
        return false;
    sweep->lock = process_lock_try(lock.at);
    if (sweep->lock == -EBUSY) {
        snprintf(sweep->reason, sizeof(sweep->reason),
            "%.3900s: another mrc sweep writes to this folder", sweep->folder);
        return false;
    }
    return sweep->lock >= 0 || fail_sweep(sweep, lock.at, sweep->lock);
}

static void add_entries(struct study_sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->plan_count; i++)
        sweep->count += sweep->plans[i].run_count;
    sweep->entries = grow_take(sweep->count, sizeof(*sweep->entries));
    for (uint32_t i = 0, at = 0; i < sweep->plan_count; i++)
        for (uint32_t k = 0; k < sweep->plans[i].run_count; k++, at++) {
            sweep->entries[at].run = sweep->plans[i].runs[k];
            sweep->entries[at].plan_index = i;
            study_stored_name(sweep->entries[at].run, sweep->entries[at].name);
        }
}

static bool names_differ(struct study_sweep *sweep)
{
    json_t *names = json_object();
    const char *twice = NULL;

    for (uint32_t i = 0; i < sweep->count && !twice; i++) {
        if (json_object_get(names, sweep->entries[i].name))
            twice = sweep->entries[i].name;
        json_object_set_new(names, sweep->entries[i].name, json_null());
    }
    json_decref(names);
    sweep->has_same_names = twice != NULL;
    if (twice)
        snprintf(sweep->reason, sizeof(sweep->reason),
            "two runs would be stored as %s; give each experiment its own name, and each set of "
            "values once",
            twice);
    return !twice;
}

/* ---- what the folder has --------------------------------------------------------------------- */

/* Series and events are not needed for tables, and are most of a run. */
static void keep_figures(struct study_sweep_entry *entry, json_t *run)
{
    entry->result = run;
    json_object_set_new(
        run, "label", json_string(entry->run->label)); /* may have been made alone */
    json_object_del(run, "series");
    json_object_del(run, "events");
}

static void find_stored(struct study_sweep *sweep, struct study_sweep_entry *entry)
{
    struct path path = path_of(sweep, "runs/", entry->name);
    char reason[STUDY_STORED_REASON_BYTES];
    json_error_t error;
    json_t *document;

    if (access(path.at, F_OK) != 0)
        return;
    document = json_load_file(path.at, 0, &error);
    if (!document)
        snprintf(reason, sizeof(reason), "%.200s", error.text);
    if (document && study_stored_matches(document, entry->run, &sweep->maker, reason)) {
        keep_figures(entry, json_incref(json_array_get(json_object_get(document, "runs"), 0)));
        sweep->kept_count++;
    } else {
        if (sweep->stale_count++ == 0)
            snprintf(sweep->reason, sizeof(sweep->reason), "runs/%s: %s", entry->name, reason);
    }
    json_decref(document);
}

bool study_sweep_open(struct study_sweep *sweep, const char *folder, struct study_plan *plans,
    uint32_t plan_count, uint32_t points)
{
    *sweep = (struct study_sweep){ .folder = folder,
        .lock = -1,
        .maker = study_stored_maker(points),
        .plans = plans,
        .plan_count = plan_count };
    add_entries(sweep);
    if (!names_differ(sweep) || !lock_folder(sweep))
        return false;
    for (uint32_t i = 0; i < sweep->count; i++)
        find_stored(sweep, &sweep->entries[i]);
    return true;
}

void study_sweep_close(struct study_sweep *sweep)
{
    struct path lock = path_of(sweep, "", ".lock");

    for (uint32_t i = 0; i < sweep->count; i++)
        json_decref(sweep->entries[i].result);
    free(sweep->entries);
    if (sweep->lock >= 0)
        process_lock_remove(sweep->lock, lock.at);
}

/* ---- running --------------------------------------------------------------------------------- */

struct making {
    struct study_sweep *sweep;
    const struct study_sweep_watch *watch;
    struct study_sweep_entry **missing;
    struct study_run **runs;
    uint32_t *numbers; /* their indexes in sweep->entries */
    uint32_t count;
    bool is_lost; /* a file could not be written */
};

static bool store_run(struct making *making, struct study_sweep_entry *entry, json_t *run)
{
    struct study_sweep *sweep = making->sweep;
    struct path path = path_of(sweep, "runs/", entry->name);
    json_t *document;
    int err;

    result_criteria_judge_alone(&entry->run->experiment, run);
    document = study_stored_document(entry->run, &sweep->maker, json_incref(run));
    err = result_document_write(document, path.at);
    json_decref(document);
    if (err)
        return fail_sweep(sweep, path.at, err);
    keep_figures(entry, json_incref(run));
    sweep->made_count++;
    return true;
}

/* A run that was interrupted is made again next time. */
static bool is_partial(const json_t *run)
{
    return strcmp(json_string_value(json_object_get(run, "status")), "partial") == 0;
}

static bool take_run(void *context, uint32_t index, json_t *run)
{
    struct making *making = context;

    if (!run)
        making->sweep->failed_count++;
    else if (!is_partial(run))
        making->is_lost = !store_run(making, making->missing[index], run);
    json_decref(run);
    if (making->watch->on_run)
        making->watch->on_run(making->watch->context, making->sweep);
    return !making->is_lost;
}

bool study_sweep_run(struct study_sweep *sweep, const struct study_manner *manner,
    const struct study_sweep_watch *watch)
{
    struct making making = { .sweep = sweep,
        .watch = watch,
        .missing = grow_take(sweep->count, sizeof(struct study_sweep_entry *)),
        .runs = grow_take(sweep->count, sizeof(struct study_run *)),
        .numbers = grow_take(sweep->count, sizeof(uint32_t)) };
    struct study_sink sink = { take_run, &making };

    for (uint32_t i = 0; i < sweep->count; i++)
        if (!sweep->entries[i].result) {
            making.missing[making.count] = &sweep->entries[i];
            making.numbers[making.count] = i;
            making.runs[making.count++] = sweep->entries[i].run;
        }
    if (manner->group)
        study_rounds_run(making.runs, making.numbers, making.count, manner, &sink);
    else if (making.count)
        study_jobs_run(making.runs, making.count, manner, &sink);
    free(making.missing);
    free(making.runs);
    free(making.numbers);
    return !making.is_lost;
}

/* ---- all runs -------------------------------------------------------------------------------- */

/* Runs of different experiments can have the same label and settings. */
static void add_experiment(const struct study_sweep_entry *entry, json_t *run)
{
    const char *name = entry->run->experiment.name;
    const char *label = entry->run->label;
    json_t *settings = json_pack("{s:s}", "experiment", name);

    json_object_update(settings, json_object_get(run, "settings"));
    json_object_set_new(run, "settings", settings);
    json_object_set_new(run, "label", json_sprintf("%s%s%s", name, *label ? " " : "", label));
}

json_t *study_sweep_runs(const struct study_sweep *sweep, uint32_t plan_index)
{
    json_t *runs = json_array();

    for (uint32_t i = 0; i < sweep->count; i++)
        if (sweep->entries[i].plan_index == plan_index && sweep->entries[i].result)
            json_array_append(runs, sweep->entries[i].result);
    return runs;
}

struct study_sweep_verdict study_sweep_judge(struct study_sweep *sweep)
{
    struct study_sweep_verdict verdict = { .all_hold = true };
    json_t *all = json_array();

    for (uint32_t i = 0; i < sweep->plan_count; i++) {
        json_t *runs = study_sweep_runs(sweep, i);

        verdict.all_hold =
            result_criteria_judge(&sweep->plans[i].runs[0]->experiment, runs) && verdict.all_hold;
        json_array_extend(all, runs);
        json_decref(runs);
    }
    for (uint32_t i = 0; i < sweep->count && sweep->plan_count > 1; i++)
        if (sweep->entries[i].result)
            add_experiment(&sweep->entries[i], sweep->entries[i].result);
    verdict.result = json_pack("{s:o}", "runs", all);
    return verdict;
}

static json_t *entry_json(const struct study_sweep_entry *entry)
{
    return json_pack("{s:o,s:s,s:s,s:I,s:O,s:O?}", "file", json_sprintf("runs/%s", entry->name),
        "experiment", entry->run->experiment.name, "label", entry->run->label, "seed",
        (json_int_t)entry->run->experiment.sim.seed, "settings", entry->run->settings, "status",
        json_object_get(entry->result, "status"));
}

static json_t *list_json(const struct study_sweep *sweep)
{
    json_t *runs = json_array();

    for (uint32_t i = 0; i < sweep->count; i++)
        json_array_append_new(runs, entry_json(&sweep->entries[i]));
    return json_pack("{s:i,s:s,s:s,s:o}", "openmrc_sweep", SWEEP_VERSION, "version",
        OPENMRC_VERSION, "program", sweep->maker.program, "runs", runs);
}

bool study_sweep_write(struct study_sweep *sweep, json_t *result)
{
    struct path runs = path_of(sweep, "", "runs.csv");
    struct path sets = path_of(sweep, "", "sets.csv");
    struct path list = path_of(sweep, "", "sweep.json");
    json_t *json = list_json(sweep);
    int err = result_document_write(json, list.at);

    json_decref(json);
    if (err)
        return fail_sweep(sweep, list.at, err);
    err = result_csv_write(result, runs.at);
    if (err)
        return fail_sweep(sweep, runs.at, err);
    err = result_csv_write_sets(result, sets.at);
    return err == 0 || fail_sweep(sweep, sets.at, err);
}
