/* SPDX-License-Identifier: Apache-2.0 */
/* Combines samples, by the meaning of each series. */
#include "result/result_thin.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "files/files.h"

/* How a value stands for several consecutive ones. */
enum rule {
    RULE_MEAN,  /* over time, a whole number; values that are null do not count */
    RULE_SHARE, /* likewise, with six digits */
    RULE_SUM,
    RULE_MOST,
    RULE_LAST,
};

static const struct {
    const char *series;
    enum rule rule;
} rules[] = {
    { "time_us", RULE_LAST },
    { "capacity_fraction", RULE_SHARE },
    { "queue_peak_bytes", RULE_MOST },
    { "active_evs", RULE_LAST },
    { "bad_evs", RULE_LAST },
    { "trimmed", RULE_SUM },
    { "marked", RULE_SUM },
    { "retransmitted", RULE_SUM },
    { "lost_by_link", RULE_SUM },
};

static enum rule rule_of(const char *series)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (strcmp(rules[i].series, series) == 0)
            return rules[i].rule;
    return RULE_MEAN;
}

struct thinning {
    const json_t *time_us; /* as it was */
    const json_t *weights; /* of queue_peak_where: the lengths of the queues, as they were */
    size_t before;         /* samples */
    size_t after;
};

/* ---- values ---------------------------------------------------------------------------------- */

static double duration_us(const struct thinning *thinning, size_t index)
{
    double end_us = json_number_value(json_array_get(thinning->time_us, index));

    return index ? end_us - json_number_value(json_array_get(thinning->time_us, index - 1))
                 : end_us;
}

static json_t *mean_of(const struct thinning *thinning, const json_t *values, size_t from,
    size_t until, enum rule rule)
{
    double weight = 0;
    double sum = 0;

    for (size_t i = from; i < until; i++) {
        const json_t *value = json_array_get(values, i);

        if (!json_is_number(value))
            continue;
        weight += duration_us(thinning, i);
        sum += duration_us(thinning, i) * json_number_value(value);
    }
    if (weight == 0)
        return json_null();
    return rule == RULE_MEAN ? json_integer((json_int_t)(sum / weight))
                             : json_millionths((uint64_t)(sum / weight * 1e6 + 0.5));
}

static json_t *sum_of(const json_t *values, size_t from, size_t until)
{
    json_int_t sum = 0;

    for (size_t i = from; i < until; i++)
        sum += json_integer_value(json_array_get(values, i));
    return json_integer(sum);
}

/* Returns the index of the largest weight. */
static size_t most_of(const json_t *weights, size_t from, size_t until)
{
    size_t most = from;

    for (size_t i = from; i < until; i++)
        if (json_number_value(json_array_get(weights, i)) >
            json_number_value(json_array_get(weights, most)))
            most = i;
    return most;
}

static json_t *combine(const struct thinning *thinning, const json_t *values, enum rule rule,
    size_t from, size_t until)
{
    const json_t *weights = thinning->weights ? thinning->weights : values;

    switch (rule) {
    case RULE_MEAN:
    case RULE_SHARE:
        return mean_of(thinning, values, from, until, rule);
    case RULE_SUM:
        return sum_of(values, from, until);
    case RULE_MOST:
        return json_incref(json_array_get(values, most_of(weights, from, until)));
    case RULE_LAST:
        return json_incref(json_array_get(values, until - 1));
    }
    assert(false);
    return NULL;
}

/* ---- series ---------------------------------------------------------------------------------- */

static json_t *thin_values(const struct thinning *thinning, const json_t *values, enum rule rule)
{
    json_t *thin = json_array();

    for (size_t i = 0; i < thinning->after; i++)
        json_array_append_new(
            thin, combine(thinning, values, rule, i * thinning->before / thinning->after,
                      (i + 1) * thinning->before / thinning->after));
    return thin;
}

/* A series is a list of values, or has a list for each name or number. */
static json_t *thin_series(const struct thinning *thinning, json_t *series, enum rule rule)
{
    json_t *thin;
    const char *name;
    json_t *value;
    size_t index;

    if (json_is_object(series)) {
        thin = json_object();
        json_object_foreach(series, name, value)
            json_object_set_new(thin, name, thin_series(thinning, value, rule));
        return thin;
    }
    if (!json_is_array(series))
        return json_incref(series);
    if (!json_is_array(json_array_get(series, 0)))
        return thin_values(thinning, series, rule);
    thin = json_array();
    json_array_foreach(series, index, value)
        json_array_append_new(thin, thin_series(thinning, value, rule));
    return thin;
}

static json_t *thin_named(const struct thinning *thinning, const char *name, json_t *series)
{
    struct thinning by_queue = *thinning;
    json_t *map;

    if (strcmp(name, "queue_peak_where") == 0)
        return thin_series(&by_queue, series, RULE_MOST);
    by_queue.weights = NULL;
    if (strcmp(name, "ev_map") != 0 || !json_is_object(series))
        return thin_series(&by_queue, series, rule_of(name));
    map = json_copy(series);
    json_object_set_new(
        map, "states", thin_values(&by_queue, json_object_get(series, "states"), RULE_LAST));
    return map;
}

static void thin_all_series(json_t *run, uint32_t points)
{
    json_t *series = json_object_get(run, "series");
    struct thinning thinning = { .time_us = json_object_get(series, "time_us"),
        .weights = json_object_get(series, "queue_peak_bytes"),
        .before = json_array_size(json_object_get(series, "time_us")),
        .after = points };
    json_t *thin = json_object();
    const char *name;
    json_t *value;

    if (thinning.before > points) {
        json_object_foreach(series, name, value)
            json_object_set_new(thin, name, thin_named(&thinning, name, value));
        json_object_set(run, "series", thin);
    }
    json_decref(thin);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Keeps the first elements, and adds the number of the others to a member. */
static void cut_list(json_t *list, size_t most, json_t *counted_in, const char *left_out)
{
    size_t count = json_array_size(list);
    json_int_t before = json_integer_value(json_object_get(counted_in, left_out));

    if (count <= most)
        return;
    for (size_t i = count; i > most; i--)
        json_array_remove(list, i - 1);
    json_object_set_new(counted_in, left_out, json_integer(before + (json_int_t)(count - most)));
}

static void cut_names(json_t *list)
{
    size_t index;
    json_t *entry;

    json_array_foreach(list, index, entry)
        cut_list(json_object_get(entry, "where"), RESULT_THIN_NAMES, entry, "where_left_out");
}

void result_thin(json_t *run, uint32_t points)
{
    json_t *summary = json_object_get(run, "summary");
    json_t *faults = json_object_get(summary, "faults");
    json_t *events = json_object_get(run, "events");

    thin_all_series(run, points);
    cut_list(events, RESULT_THIN_EVENTS, run, "events_left_out");
    cut_list(faults, RESULT_THIN_FAULTS, summary, "faults_left_out");
    cut_names(events);
    cut_names(faults);
}
