/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a result document, member by member, and reports the first wrong member. */
#include "result/result_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESULT_VERSION 1

enum kind { TEXT, NUMBER, NUMBER_OR_NULL, INTEGER, OBJECT, ARRAY };

struct member {
    const char *name;
    enum kind kind;
};

static const struct member document_members[] = {
    { "version", TEXT },
    { "experiment", OBJECT },
    { "fabric", OBJECT },
    { "runs", ARRAY },
};
static const struct member experiment_members[] = {
    { "name", TEXT },
};
static const struct member run_members[] = {
    { "label", TEXT },
    { "seed", INTEGER },
    { "status", TEXT },
    { "hash", TEXT },
    { "summary", OBJECT },
    { "series", OBJECT },
    { "events", ARRAY },
};
static const struct member event_members[] = {
    { "time_us", NUMBER },
    { "kind", TEXT },
};

#define MEMBERS(list) list, sizeof(list) / sizeof((list)[0])

/* The current position in the document; each level appends to the path of the level above. */
struct place {
    const json_t *value;
    char path[128];
    struct result_problem *problem;
};

__attribute__((format(printf, 2, 3))) static bool fail_place(
    const struct place *place, const char *format, ...)
{
    char why[96];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    snprintf(place->problem->text, sizeof(place->problem->text), "%s %s", place->path, why);
    return false;
}

static struct place member_of(const struct place *outer, const char *name)
{
    struct place inner = { .value = json_object_get(outer->value, name),
        .problem = outer->problem };

    snprintf(
        inner.path, sizeof(inner.path), "%.90s%s%.32s", outer->path, *outer->path ? "." : "", name);
    return inner;
}

static struct place element_of(const struct place *outer, size_t index)
{
    struct place inner = { .value = json_array_get(outer->value, index),
        .problem = outer->problem };

    snprintf(inner.path, sizeof(inner.path), "%.100s[%zu]", outer->path, index);
    return inner;
}

static bool is_kind(const struct place *place, enum kind kind)
{
    switch (kind) {
    case TEXT:
        return json_is_string(place->value) || fail_place(place, "should be text");
    case NUMBER:
        return json_is_number(place->value) || fail_place(place, "should be a number");
    case NUMBER_OR_NULL:
        return json_is_number(place->value) || json_is_null(place->value) ||
               fail_place(place, "should be a number or null");
    case INTEGER:
        return json_is_integer(place->value) || fail_place(place, "should be a whole number");
    case OBJECT:
        return json_is_object(place->value) || fail_place(place, "should be an object");
    case ARRAY:
        return json_is_array(place->value) || fail_place(place, "should be an array");
    }
    return false;
}

static bool has_members(const struct place *place, const struct member *members, size_t count)
{
    if (!is_kind(place, OBJECT))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct place inner = member_of(place, members[i].name);

        if (!inner.value)
            return fail_place(&inner, "is missing");
        if (!is_kind(&inner, members[i].kind))
            return false;
    }
    return true;
}

/* Checks an array with one value for each sample. */
static bool is_samples(const struct place *place, enum kind kind, size_t sample_count)
{
    if (!is_kind(place, ARRAY))
        return false;
    if (json_array_size(place->value) != sample_count)
        return fail_place(
            place, "has %zu values for %zu samples", json_array_size(place->value), sample_count);
    for (size_t i = 0; i < sample_count; i++) {
        struct place element = element_of(place, i);

        if (!is_kind(&element, kind))
            return false;
    }
    return true;
}

static bool is_samples_by_name(const struct place *place, size_t sample_count)
{
    for (void *at = json_object_iter((json_t *)place->value); at;
         at = json_object_iter_next((json_t *)place->value, at)) {
        struct place inner = member_of(place, json_object_iter_key(at));

        if (!is_samples(&inner, NUMBER, sample_count))
            return false;
    }
    return json_is_object(place->value) || fail_place(place, "should be an object");
}

static bool is_ev_map(const struct place *place, size_t sample_count)
{
    static const struct member members[] = { { "evs", ARRAY }, { "states", ARRAY } };
    struct place states = member_of(place, "states");
    size_t ev_count = json_array_size(json_object_get(place->value, "evs"));

    if (!has_members(place, MEMBERS(members)) || !is_samples(&states, TEXT, sample_count))
        return false;
    for (size_t i = 0; i < sample_count; i++) {
        struct place state = element_of(&states, i);

        if (json_string_length(state.value) != ev_count)
            return fail_place(
                &state, "has %zu states for %zu EVs", json_string_length(state.value), ev_count);
    }
    return true;
}

/* All series are optional; those that are present must match the times. */
static bool is_series(const struct place *series)
{
    struct place time_us = member_of(series, "time_us");
    size_t sample_count = json_array_size(time_us.value);

    for (void *at = json_object_iter((json_t *)series->value); at;
         at = json_object_iter_next((json_t *)series->value, at)) {
        const char *name = json_object_iter_key(at);
        struct place inner = member_of(series, name);
        bool is_good;

        if (json_is_null(inner.value))
            continue;
        if (strcmp(name, "ev_map") == 0)
            is_good = is_ev_map(&inner, sample_count);
        else if (strcmp(name, "queue_peak_where") == 0)
            is_good = is_samples(&inner, TEXT, sample_count);
        else if (strcmp(name, "capacity_fraction") == 0)
            is_good = is_samples(&inner, NUMBER_OR_NULL, sample_count);
        else if (json_is_object(inner.value))
            is_good = is_samples_by_name(&inner, sample_count);
        else if (strcmp(name, "plane_bps") != 0)
            is_good = is_samples(&inner, NUMBER, sample_count);
        else {
            is_good = is_kind(&inner, ARRAY);
            for (size_t i = 0; is_good && i < json_array_size(inner.value); i++) {
                struct place plane = element_of(&inner, i);

                is_good = is_samples(&plane, NUMBER, sample_count);
            }
        }
        if (!is_good)
            return false;
    }
    return true;
}

static bool is_run(const struct place *run)
{
    struct place series = member_of(run, "series");
    struct place events = member_of(run, "events");

    if (!has_members(run, MEMBERS(run_members)) || !is_series(&series))
        return false;
    for (size_t i = 0; i < json_array_size(events.value); i++) {
        struct place event = element_of(&events, i);

        if (!has_members(&event, MEMBERS(event_members)))
            return false;
    }
    return true;
}

bool result_check(const json_t *document, struct result_problem *problem)
{
    struct place whole = { .value = document, .problem = problem };
    struct place version = member_of(&whole, "openmrc_result");
    struct place experiment = member_of(&whole, "experiment");
    struct place runs = member_of(&whole, "runs");

    if (!version.value) {
        snprintf(problem->text, sizeof(problem->text),
            "is not a result of mrc sim: openmrc_result is missing");
        return false;
    }
    if (!json_is_integer(version.value) || json_integer_value(version.value) != RESULT_VERSION) {
        char *text = json_dumps(version.value, JSON_ENCODE_ANY);

        fail_place(&version, "is %.40s; this mrc reads version %d", text, RESULT_VERSION);
        free(text);
        return false;
    }
    if (!has_members(&whole, MEMBERS(document_members)) ||
        !has_members(&experiment, MEMBERS(experiment_members)))
        return false;
    if (json_array_size(runs.value) == 0)
        return fail_place(&runs, "is empty");
    for (size_t i = 0; i < json_array_size(runs.value); i++) {
        struct place run = element_of(&runs, i);

        if (!is_run(&run))
            return false;
    }
    return true;
}

bool result_check_clean(const json_t *document)
{
    size_t index;
    json_t *run;

    json_array_foreach(json_object_get(document, "runs"), index, run)
    {
        const char *status = json_string_value(json_object_get(run, "status"));

        if (strcmp(status, "finished") != 0 && strcmp(status, "out_of_time") != 0)
            return false;
    }
    return true;
}
