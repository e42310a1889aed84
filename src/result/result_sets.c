/* SPDX-License-Identifier: Apache-2.0 */
/* Prints mean and standard deviation of the figures of each set. */
#include "result/result_sets.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "result/units_text.h"

enum {
    LABEL_COLUMNS_MOST = 36,
    LABEL_BYTES = 256,
    WORKLOAD_COLUMNS = 16,
    CELL_BYTES = 80,
};

/* ---- sets ------------------------------------------------------------------------------------ */

/* Writes the label of the run without its seed: that of the set. */
static void label_of(const json_t *run, char out[static LABEL_BYTES])
{
    const char *label = json_string_value(json_object_get(run, "label"));
    long long seed = json_integer_value(json_object_get(run, "seed"));
    char suffix[40];
    size_t length;
    size_t extra = (size_t)snprintf(suffix, sizeof(suffix), "seed %lld", seed);

    snprintf(out, LABEL_BYTES, "%s", label ? label : "");
    length = strlen(out);
    if (length >= extra && strcmp(out + length - extra, suffix) == 0)
        out[length - extra] = '\0';
    length = strlen(out);
    if (length > 0 && out[length - 1] == ' ')
        out[length - 1] = '\0';
}

/* Returns the runs of each set by its label, in the order of the result. The caller releases it. */
static json_t *sets_of(const json_t *runs)
{
    json_t *sets = json_object();
    char label[LABEL_BYTES];
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        label_of(run, label);
        if (!json_object_get(sets, label))
            json_object_set_new(sets, label, json_array());
        json_array_append(json_object_get(sets, label), run);
    }
    return sets;
}

/* ---- figures --------------------------------------------------------------------------------- */

struct spread {
    uint32_t count;
    double mean;
    double squares; /* sum of squared differences from the mean, by Welford's method */
};

static void add_sample(struct spread *spread, double value)
{
    double before = value - spread->mean;

    spread->count++;
    spread->mean += before / spread->count;
    spread->squares += before * (value - spread->mean);
}

static double deviation(const struct spread *spread)
{
    return spread->count > 1 ? sqrt(spread->squares / (spread->count - 1)) : 0;
}

/* A figure of a workload: `key`, in the object `object` unless that is NULL. */
struct figure {
    const char *object;
    const char *key;
};

static struct spread spread_of(const json_t *runs, const char *workload, struct figure figure)
{
    struct spread spread = { 0 };
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        const json_t *summary = json_object_get(run, "summary");
        const json_t *in = json_object_get(json_object_get(summary, "workloads"), workload);
        const json_t *value;

        in = figure.object ? json_object_get(in, figure.object) : in;
        value = json_object_get(in, figure.key);
        if (json_is_number(value))
            add_sample(&spread, json_number_value(value));
    }
    return spread;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void print_rate(FILE *to, const struct spread *spread)
{
    struct units_text mean = units_text(UNITS_RATE, spread->mean);
    struct units_text around = units_text(UNITS_RATE, deviation(spread));
    char cell[CELL_BYTES];

    if (spread->count > 1)
        snprintf(cell, sizeof(cell), "%s +- %s", mean.at, around.at);
    else
        snprintf(cell, sizeof(cell), "%s", mean.at);
    fprintf(to, " %23s", cell);
}

static void print_number(FILE *to, const struct spread *spread, double scale, const char *unit)
{
    char cell[CELL_BYTES] = "-";

    if (spread->count > 1)
        snprintf(cell, sizeof(cell), "%.2f%s +- %.2f", spread->mean * scale, unit,
            deviation(spread) * scale);
    else if (spread->count == 1)
        snprintf(cell, sizeof(cell), "%.2f%s", spread->mean * scale, unit);
    fprintf(to, " %17s", cell);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_set(FILE *to, const char *label, const json_t *runs, int label_columns)
{
    const json_t *summary = json_object_get(json_array_get(runs, 0), "summary");
    const char *name;
    json_t *workload;

    json_object_foreach(json_object_get(summary, "workloads"), name, workload)
    {
        struct spread rate = spread_of(runs, name, (struct figure){ NULL, "goodput_bps" });
        struct spread ideal = spread_of(runs, name, (struct figure){ NULL, "goodput_fraction" });
        struct spread capacity =
            spread_of(runs, name, (struct figure){ NULL, "capacity_fraction" });
        struct spread slow = spread_of(runs, name, (struct figure){ "completion_us", "p99" });

        fprintf(to, "%-*.*s %-*.*s %4zu", label_columns, label_columns, label, WORKLOAD_COLUMNS,
            WORKLOAD_COLUMNS, name, json_array_size(runs));
        print_rate(to, &rate);
        print_number(to, &ideal, 100, "%");
        print_number(to, &capacity, 100, "%");
        print_number(to, &slow, 1, "");
        fputc('\n', to);
    }
}

static int label_columns_of(json_t *sets)
{
    size_t most = strlen("set");
    const char *label;
    json_t *runs;

    json_object_foreach(sets, label, runs)
    {
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
    json_t *sets = sets_of(all);
    int label_columns = label_columns_of(sets);
    const char *label;
    json_t *runs;

    fprintf(to, "\n%-*s %-*s %4s %23s %17s %17s %17s\n", label_columns, "set", WORKLOAD_COLUMNS,
        "workload", "runs", "goodput", "of ideal", "of capacity", "p99 us");
    json_object_foreach(sets, label, runs) print_set(to, label, runs, label_columns);
    print_criteria(to, all);
    json_decref(sets);
}
