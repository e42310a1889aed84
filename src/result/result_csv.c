/* SPDX-License-Identifier: Apache-2.0 */
/* Writes runs as comma-separated values (RFC 4180). */
#include "result/result_csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "result/result_sets.h"
#include "result/result_spread.h"

/* ---- cells ----------------------------------------------------------------------------------- */

static void write_quoted(FILE *to, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

void result_csv_cell(FILE *to, const json_t *value)
{
    char *text;

    if (json_is_string(value)) {
        write_quoted(to, json_string_value(value));
    } else if (value && !json_is_null(value)) {
        text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
        write_quoted(to, text ? text : "");
        free(text);
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

struct column {
    const char *name;
    const char *object; /* of the run, its summary or its workload; NULL: the value is in itself */
    const char *key;
};

static const struct column run_columns[] = {
    { "status", NULL, "status" },
    { "simulated_us", NULL, "simulated_us" },
    { "hash", NULL, "hash" },
};

static const struct column workload_columns[] = {
    { "goodput_bps", NULL, "goodput_bps" },
    { "goodput_fraction", NULL, "goodput_fraction" },
    { "capacity_fraction", NULL, "capacity_fraction" },
    { "jain", NULL, "jain" },
    { "completions", "completion_us", "count" },
    { "p50_us", "completion_us", "p50" },
    { "p99_us", "completion_us", "p99" },
    { "max_us", "completion_us", "max" },
};

static const struct column summary_columns[] = {
    { "trimmed", NULL, "trimmed" },
    { "marked", NULL, "marked" },
    { "timeouts", NULL, "timeouts" },
    { "plane_imbalance", NULL, "plane_imbalance" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void write_names(FILE *to, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(to, ",%s", columns[i].name);
}

static void write_values(FILE *to, const json_t *from, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *in = columns[i].object ? json_object_get(from, columns[i].object) : from;

        fputc(',', to);
        result_csv_cell(to, json_object_get(in, columns[i].key));
    }
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Returns the keys that any run sets, in the order of their first appearance. */
static json_t *keys_of(const json_t *runs)
{
    json_t *keys = json_object();
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        const char *key;
        json_t *value;

        json_object_foreach(json_object_get(run, "settings"), key, value)
            json_object_set_new(keys, key, json_null());
    }
    return keys;
}

static void write_settings(FILE *to, json_t *keys, const json_t *run)
{
    const json_t *settings = json_object_get(run, "settings");
    const char *key;
    json_t *unused;

    json_object_foreach(keys, key, unused)
    {
        fputc(',', to);
        result_csv_cell(to, json_object_get(settings, key));
    }
}

static void write_setting_names(FILE *to, json_t *keys)
{
    const char *key;
    json_t *unused;

    json_object_foreach(keys, key, unused)
    {
        fputc(',', to);
        write_quoted(to, key);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void write_run(FILE *to, json_t *keys, const json_t *run)
{
    const json_t *summary = json_object_get(run, "summary");
    const char *name;
    json_t *workload;

    json_object_foreach(json_object_get(summary, "workloads"), name, workload)
    {
        result_csv_cell(to, json_object_get(run, "label"));
        fputc(',', to);
        result_csv_cell(to, json_object_get(run, "seed"));
        write_settings(to, keys, run);
        write_values(to, run, run_columns, COUNT(run_columns));
        fputc(',', to);
        write_quoted(to, name);
        write_values(to, workload, workload_columns, COUNT(workload_columns));
        write_values(to, summary, summary_columns, COUNT(summary_columns));
        fputc('\n', to);
    }
}

static int write_all(FILE *to, void *result)
{
    const json_t *runs = json_object_get(result, "runs");
    json_t *keys = keys_of(runs);
    size_t index;
    json_t *run;

    fputs("label,seed", to);
    write_setting_names(to, keys);
    write_names(to, run_columns, COUNT(run_columns));
    fputs(",workload", to);
    write_names(to, workload_columns, COUNT(workload_columns));
    write_names(to, summary_columns, COUNT(summary_columns));
    fputc('\n', to);
    json_array_foreach(runs, index, run) write_run(to, keys, run);
    json_decref(keys);
    return ferror(to) ? -EIO : 0;
}

int result_csv_write(json_t *result, const char *path)
{
    return whole_file_write(path, write_all, result);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static void write_spread(
    FILE *to, const json_t *runs, const char *workload, const struct column *column)
{
    struct result_spread spread = result_spread_of(runs, workload, column->object, column->key);

    if (spread.count)
        fprintf(to, ",%.9g,%.9g,%.9g,%.9g", spread.mean, result_spread_deviation(&spread),
            spread.least, spread.most);
    else
        fputs(",,,,", to);
}

static void write_set(FILE *to, json_t *keys, const json_t *runs)
{
    const json_t *first = json_array_get(runs, 0);
    const json_t *summary = json_object_get(first, "summary");
    char label[RESULT_SETS_LABEL_BYTES];
    const char *name;
    json_t *workload;

    result_sets_label(first, label);
    json_object_foreach(json_object_get(summary, "workloads"), name, workload)
    {
        write_quoted(to, label);
        write_settings(to, keys, first);
        fputc(',', to);
        write_quoted(to, name);
        fprintf(to, ",%zu", json_array_size(runs));
        for (size_t i = 0; i < COUNT(workload_columns); i++)
            write_spread(to, runs, name, &workload_columns[i]);
        fputc('\n', to);
    }
}

static int write_sets(FILE *to, void *result)
{
    const json_t *runs = json_object_get(result, "runs");
    json_t *keys = keys_of(runs);
    json_t *sets = result_sets_of(runs);
    size_t index;
    json_t *set;

    fputs("label", to);
    write_setting_names(to, keys);
    fputs(",workload,runs", to);
    for (size_t i = 0; i < COUNT(workload_columns); i++)
        fprintf(to, ",%s_mean,%s_deviation,%s_min,%s_max", workload_columns[i].name,
            workload_columns[i].name, workload_columns[i].name, workload_columns[i].name);
    fputc('\n', to);
    json_array_foreach(sets, index, set) write_set(to, keys, set);
    json_decref(sets);
    json_decref(keys);
    return ferror(to) ? -EIO : 0;
}

int result_csv_write_sets(json_t *result, const char *path)
{
    return whole_file_write(path, write_sets, result);
}
