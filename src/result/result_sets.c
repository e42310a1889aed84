/* SPDX-License-Identifier: Apache-2.0 */
/* Prints mean and standard deviation of the figures of each set. */
#include "result/result_sets.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "result/result_spread.h"
#include "result/units_text.h"

enum {
    LABEL_COLUMNS_MOST = 36,
    WORKLOAD_COLUMNS = 16,
    CELL_BYTES = 80,
};

/* ---- sets ------------------------------------------------------------------------------------ */

void result_sets_label(const json_t *run, char out[static RESULT_SETS_LABEL_BYTES])
{
    const char *label = json_string_value(json_object_get(run, "label"));
    long long seed = json_integer_value(json_object_get(run, "seed"));
    char suffix[40];
    size_t length;
    size_t extra = (size_t)snprintf(suffix, sizeof(suffix), "seed %lld", seed);

    snprintf(out, RESULT_SETS_LABEL_BYTES, "%s", label ? label : "");
    length = strlen(out);
    if (length >= extra && strcmp(out + length - extra, suffix) == 0)
        out[length - extra] = '\0';
    length = strlen(out);
    if (length > 0 && out[length - 1] == ' ')
        out[length - 1] = '\0';
}

/* Runs of a set have the same label, apart from the seed, and the same settings. A label may have
 * been cut off, so it does not distinguish sets. */
static char *key_of(const json_t *run)
{
    char label[RESULT_SETS_LABEL_BYTES];
    json_t *all;
    char *key;

    result_sets_label(run, label);
    all = json_pack("[s,O?]", label, json_object_get(run, "settings"));
    key = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(all);
    return key;
}

json_t *result_sets_of(const json_t *runs)
{
    json_t *places = json_object();
    json_t *sets = json_array();
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        char *key = key_of(run);
        json_t *set = json_object_get(places, key);

        if (!set) {
            set = json_array();
            json_object_set(places, key, set);
            json_array_append_new(sets, set);
        }
        json_array_append(set, run);
        free(key);
    }
    json_decref(places);
    return sets;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void print_rate(FILE *to, const struct result_spread *spread)
{
    struct units_text mean = units_text(UNITS_RATE, spread->mean);
    struct units_text around = units_text(UNITS_RATE, result_spread_deviation(spread));
    char cell[CELL_BYTES];

    if (spread->count > 1)
        snprintf(cell, sizeof(cell), "%s +- %s", mean.at, around.at);
    else
        snprintf(cell, sizeof(cell), "%s", mean.at);
    fprintf(to, " %23s", cell);
}

static void print_number(
    FILE *to, const struct result_spread *spread, double scale, const char *unit)
{
    char cell[CELL_BYTES] = "-";

    if (spread->count > 1)
        snprintf(cell, sizeof(cell), "%.2f%s +- %.2f", spread->mean * scale, unit,
            result_spread_deviation(spread) * scale);
    else if (spread->count == 1)
        snprintf(cell, sizeof(cell), "%.2f%s", spread->mean * scale, unit);
    fprintf(to, " %17s", cell);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_set(FILE *to, const json_t *runs, int label_columns)
{
    const json_t *summary = json_object_get(json_array_get(runs, 0), "summary");
    char label[RESULT_SETS_LABEL_BYTES];
    const char *name;
    json_t *workload;

    result_sets_label(json_array_get(runs, 0), label);
    json_object_foreach(json_object_get(summary, "workloads"), name, workload)
    {
        struct result_spread rate = result_spread_of(runs, name, NULL, "goodput_bps");
        struct result_spread ideal = result_spread_of(runs, name, NULL, "goodput_fraction");
        struct result_spread capacity = result_spread_of(runs, name, NULL, "capacity_fraction");
        struct result_spread slow = result_spread_of(runs, name, "completion_us", "p99");

        fprintf(to, "%-*.*s %-*.*s %4zu", label_columns, label_columns, label, WORKLOAD_COLUMNS,
            WORKLOAD_COLUMNS, name, json_array_size(runs));
        print_rate(to, &rate);
        print_number(to, &ideal, 100, "%");
        print_number(to, &capacity, 100, "%");
        print_number(to, &slow, 1, "");
        fputc('\n', to);
    }
}

static int label_columns_of(const json_t *sets)
{
    char label[RESULT_SETS_LABEL_BYTES];
    size_t most = strlen("set");
    size_t index;
    json_t *runs;

    json_array_foreach(sets, index, runs)
    {
        result_sets_label(json_array_get(runs, 0), label);
        if (strlen(label) > most)
            most = strlen(label);
    }
    return most < LABEL_COLUMNS_MOST ? (int)most : LABEL_COLUMNS_MOST;
}

/* ---- criteria -------------------------------------------------------------------------------- */

struct verdicts {
    size_t pass_count;
    size_t count;
    const json_t *failed; /* the first run that fails; NULL */
};

static struct verdicts verdicts_on(const json_t *runs, const char *text)
{
    struct verdicts verdicts = { 0 };
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        size_t number;
        json_t *criterion;

        json_array_foreach(json_object_get(run, "criteria"), number, criterion)
        {
            if (strcmp(json_string_value(json_object_get(criterion, "text")), text) != 0)
                continue;
            verdicts.count++;
            if (json_is_true(json_object_get(criterion, "pass")))
                verdicts.pass_count++;
            else if (!verdicts.failed)
                verdicts.failed = run;
        }
    }
    return verdicts;
}

static void print_verdicts(FILE *to, const json_t *runs, const char *text)
{
    struct verdicts verdicts = verdicts_on(runs, text);

    fprintf(to, "  %s  %s  (%zu of %zu runs", verdicts.failed ? "FAIL" : "pass", text,
        verdicts.pass_count, verdicts.count);
    if (verdicts.failed)
        fprintf(to, "; not %s", json_string_value(json_object_get(verdicts.failed, "label")));
    fputs(")\n", to);
}

static void print_criteria(FILE *to, const json_t *runs)
{
    json_t *seen = json_object();
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        size_t number;
        json_t *criterion;

        json_array_foreach(json_object_get(run, "criteria"), number, criterion)
        {
            const char *text = json_string_value(json_object_get(criterion, "text"));

            if (!json_object_get(seen, text))
                print_verdicts(to, runs, text);
            json_object_set_new(seen, text, json_true());
        }
    }
    json_decref(seen);
}

void result_sets_print(FILE *to, const json_t *result)
{
    const json_t *all = json_object_get(result, "runs");
    json_t *sets = result_sets_of(all);
    int label_columns = label_columns_of(sets);
    size_t index;
    json_t *runs;

    fprintf(to, "\n%-*s %-*s %4s %23s %17s %17s %17s\n", label_columns, "set", WORKLOAD_COLUMNS,
        "workload", "runs", "goodput", "of ideal", "of capacity", "p99 us");
    json_array_foreach(sets, index, runs) print_set(to, runs, label_columns);
    print_criteria(to, all);
    json_decref(sets);
}
