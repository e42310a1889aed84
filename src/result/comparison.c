/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of runs, and their spread over seeds. */
#include "result/comparison.h"

#include <math.h>
#include <string.h>

#include "result/comparison_recovery.h"
#include "result/result_spread.h"

const struct comparison_figure comparison_figures[COMPARISON_FIGURE_COUNT] = {
#define FIGURE(key, heading, UNIT, path, per)                                                      \
    [COMPARISON_FIGURE_##key] = { #key, heading, COMPARISON_##UNIT, path, per },
#include "result/comparison_figures.def"
#undef FIGURE
};

json_t *comparison_figures_json(void)
{
    static const char *const units[] = {
        [COMPARISON_RATE] = "rate",
        [COMPARISON_FRACTION] = "fraction",
        [COMPARISON_TIME] = "time",
        [COMPARISON_COUNT] = "count",
    };
    json_t *list = json_array();

    for (int i = 0; i < COMPARISON_FIGURE_COUNT; i++)
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:s}", "key", comparison_figures[i].key, "heading",
                      comparison_figures[i].heading, "unit", units[comparison_figures[i].unit]));
    return list;
}

void comparison_reduce(json_t *run)
{
    json_object_set_new(run, "recovery", comparison_recovery(run));
    json_object_del(run, "series");
    json_object_del(run, "events");
}

/* ---- one run --------------------------------------------------------------------------------- */

static const json_t *find_path(const json_t *run, const char *path)
{
    const json_t *at = run;

    while (at && *path) {
        size_t length = strcspn(path, ".");

        at = json_object_getn(at, path, length);
        path += length + (path[length] == '.');
    }
    return at;
}

static double number_at(const json_t *run, const char *path)
{
    const json_t *value = find_path(run, path);
    double sum = 0;
    const char *key;
    json_t *member;

    if (json_is_number(value))
        return json_number_value(value);
    if (!json_is_object(value))
        return NAN;
    json_object_foreach((json_t *)value, key, member) sum += json_number_value(member);
    return sum;
}

double comparison_value(const json_t *run, int index)
{
    const struct comparison_figure *figure = &comparison_figures[index];
    double value = number_at(run, figure->path);

    return *figure->per ? value / number_at(run, figure->per) : value;
}

/* ---- several runs ---------------------------------------------------------------------------- */

static json_t *spread_json(const struct result_spread *spread)
{
    if (spread->count == 0)
        return json_null();
    return json_pack("{s:i,s:f,s:f,s:f,s:f}", "runs", (int)spread->count, "mean", spread->mean,
        "deviation", result_spread_deviation(spread), "min", spread->least, "max", spread->most);
}

static json_t *figure_json(const json_t *runs, int index_of_figure)
{
    struct result_spread spread = { 0 };
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        double value = comparison_value(run, index_of_figure);

        if (isfinite(value))
            result_spread_add(&spread, value);
    }
    return spread_json(&spread);
}

/* Returns how many runs did not recover from a fault. */
static size_t unrecovered(const json_t *runs)
{
    size_t count = 0;
    size_t index;
    json_t *run;

    json_array_foreach(runs, index,
        run) if (json_integer_value(find_path(run, "recovery.unrecovered")) > 0) count++;
    return count;
}

/* The times of all faults of a kind. */
struct class_times {
    struct result_spread recovered_us;
    struct result_spread stood_us;
    int faults; /* that found goodput */
};

static struct class_times times_of(const json_t *runs, const char *kind)
{
    struct class_times times = { 0 };
    size_t run_index;
    size_t index;
    json_t *run;
    json_t *fault;

    json_array_foreach(runs, run_index, run)
        json_array_foreach(find_path(run, "recovery.faults"), index, fault)
    {
        const json_t *stood = json_object_get(fault, "stood_us");
        const json_t *recovered = json_object_get(fault, "recovered_us");

        if (!json_is_number(stood) ||
            strcmp(kind, json_string_value(json_object_get(fault, "kind"))) != 0)
            continue;
        times.faults++;
        result_spread_add(&times.stood_us, json_number_value(stood));
        if (json_is_number(recovered))
            result_spread_add(&times.recovered_us, json_number_value(recovered));
    }
    return times;
}

/* By kind of failure: how long it took to recover, over all runs. */
static json_t *recovery_by_kind(const json_t *runs)
{
    json_t *by_kind = json_object();
    size_t index;
    json_t *fault;

    json_array_foreach(find_path(json_array_get(runs, 0), "recovery.faults"), index, fault)
    {
        const char *kind = json_string_value(json_object_get(fault, "kind"));
        struct class_times times = times_of(runs, kind);

        json_object_set_new(by_kind, kind,
            json_pack("{s:i,s:i,s:o,s:o}", "faults", times.faults, "unrecovered",
                times.faults - (int)times.recovered_us.count, "recovered_us",
                spread_json(&times.recovered_us), "stood_us", spread_json(&times.stood_us)));
    }
    return by_kind;
}

json_t *comparison_entry(const json_t *runs)
{
    json_t *figures = json_object();
    const json_t *first = json_array_get(runs, 0);

    for (int i = 0; i < COMPARISON_FIGURE_COUNT; i++)
        json_object_set_new(figures, comparison_figures[i].key, figure_json(runs, i));
    return json_pack("{s:I,s:o,s:I,s:o,s:O,s:O}", "runs", (json_int_t)json_array_size(runs),
        "figures", figures, "unrecovered", (json_int_t)unrecovered(runs), "recovery",
        recovery_by_kind(runs), "faults", find_path(first, "recovery.faults"), "state",
        json_object_get(first, "state"));
}
