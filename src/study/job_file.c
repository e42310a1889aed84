/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a job from JSON. Members that it does not know are mistakes. */
#include "study/job_file.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct reading {
    char *reason;
    char place[JOB_NAME_BYTES]; /* "", or "failures[2]." */
};

__attribute__((format(printf, 3, 4))) static bool refuse_key(
    const struct reading *reading, const char *key, const char *format, ...)
{
    int length = snprintf(reading->reason, JOB_FILE_REASON_BYTES, "%s%s: ", reading->place, key);
    va_list arguments;

    va_start(arguments, format);
    if (length > 0 && length < JOB_FILE_REASON_BYTES)
        vsnprintf(
            reading->reason + length, (size_t)(JOB_FILE_REASON_BYTES - length), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- members --------------------------------------------------------------------------------- */

enum member_kind {
    MEMBER_NUMBER,
    MEMBER_NAME,
    MEMBER_FLAG,
    MEMBER_OTHER, /* read elsewhere, or for readers only */
};

struct member {
    const char *key; /* NULL: the end */
    enum member_kind kind;
    size_t offset;
    bool is_required;
    double least;
    double most;
};

static bool read_number(
    struct reading *reading, const json_t *value, const struct member *member, double *out)
{
    double number = json_number_value(value);

    if (!json_is_number(value))
        return refuse_key(reading, member->key, "a number is expected");
    if (number < member->least || number > member->most)
        return refuse_key(reading, member->key, "%g is out of range; give %g to %g", number,
            member->least, member->most);
    *out = number;
    return true;
}

static bool read_member(
    struct reading *reading, const json_t *value, const struct member *member, void *out)
{
    char *at = (char *)out + member->offset;

    if (!value)
        return !member->is_required || refuse_key(reading, member->key, "is missing");
    if (member->kind == MEMBER_NUMBER)
        return read_number(reading, value, member, (double *)(void *)at);
    if (member->kind == MEMBER_FLAG) {
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value) || refuse_key(reading, member->key, "give true or false");
    }
    if (member->kind != MEMBER_NAME)
        return true;
    if (!json_is_string(value) || json_string_length(value) == 0 ||
        json_string_length(value) >= JOB_NAME_BYTES)
        return refuse_key(
            reading, member->key, "a text of 1 to %d bytes is expected", JOB_NAME_BYTES - 1);
    snprintf(at, JOB_NAME_BYTES, "%s", json_string_value(value));
    return true;
}

static bool is_known(const struct member *members, const char *key)
{
    for (; members->key; members++)
        if (strcmp(members->key, key) == 0)
            return true;
    return false;
}

static bool read_members(
    struct reading *reading, const json_t *object, const struct member *members, void *out)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return refuse_key(reading, "", "an object is expected");
    json_object_foreach((json_t *)object, key, value)
    {
        if (!is_known(members, key))
            return refuse_key(reading, key, "there is no such member");
    }
    for (; members->key; members++)
        if (!read_member(reading, json_object_get(object, members->key), members, out))
            return false;
    return true;
}

/* ---- parts ----------------------------------------------------------------------------------- */

#define DAYS_MOST    3650
#define SECONDS_MOST 1e7

/* clang-format off */
static const struct member cost_members[] = {
    { "stall_s", MEMBER_NUMBER, offsetof(struct job_cost, stall_s), true, 0, SECONDS_MOST },
    { "slows", MEMBER_NUMBER, offsetof(struct job_cost, slows), false, 0, 0.99 },
    { "stalls_while_down", MEMBER_FLAG, offsetof(struct job_cost, stalls_while_down), false, 0, 0 },
    { "source", MEMBER_OTHER, 0, true, 0, 0 },
    { .key = NULL },
};
static const struct member protocol_members[] = {
    { "name", MEMBER_NAME, offsetof(struct job_protocol, name), true, 0, 0 },
    { "give_up_s", MEMBER_NUMBER, offsetof(struct job_protocol, give_up_s), true, 0, SECONDS_MOST },
    { "source", MEMBER_OTHER, 0, true, 0, 0 },
    { .key = NULL },
};
/* A class, and the number of its components, which becomes part of its rate. */
struct counted_class {
    struct job_class class;
    double elements_per_gpu;
};
static const struct member class_members[] = {
    { "class", MEMBER_NAME, offsetof(struct counted_class, class.name), true, 0, 0 },
    { "elements_per_gpu", MEMBER_NUMBER, offsetof(struct counted_class, elements_per_gpu), true, 0, 1e4 },
    { "per_day", MEMBER_NUMBER, offsetof(struct counted_class, class.per_day), true, 0, 1e3 },
    { "lasts_s", MEMBER_NUMBER, offsetof(struct counted_class, class.lasts_s), true, 0, SECONDS_MOST },
    { "restarts", MEMBER_FLAG, offsetof(struct counted_class, class.restarts), true, 0, 0 },
    { "costs", MEMBER_OTHER, 0, false, 0, 0 },
    { "source", MEMBER_OTHER, 0, true, 0, 0 },
    { .key = NULL },
};
static const struct member job_members[] = {
    { "name", MEMBER_NAME, offsetof(struct job, name), true, 0, 0 },
    { "gpus", MEMBER_NUMBER, offsetof(struct job, gpus), true, 1, 1e7 },
    { "days", MEMBER_NUMBER, offsetof(struct job, days), true, 0.001, DAYS_MOST },
    { "gpu_hour_usd", MEMBER_NUMBER, offsetof(struct job, gpu_hour_usd), true, 0, 1e4 },
    { "exposed_communication", MEMBER_NUMBER, offsetof(struct job, exposed_communication), true, 0, 1 },
    { "checkpoint_every_s", MEMBER_NUMBER, offsetof(struct job, checkpoint_every_s), true, 1, SECONDS_MOST },
    { "checkpoint_s", MEMBER_NUMBER, offsetof(struct job, checkpoint_s), true, 0, SECONDS_MOST },
    { "restart_s", MEMBER_NUMBER, offsetof(struct job, restart_s), true, 0, SECONDS_MOST },
    { "watchdog_s", MEMBER_NUMBER, offsetof(struct job, watchdog_s), true, 0, SECONDS_MOST },
    { "protocols", MEMBER_OTHER, 0, true, 0, 0 },
    { "failures", MEMBER_OTHER, 0, true, 0, 0 },
    { .key = NULL },
};
/* clang-format on */

static bool check_list(struct reading *reading, const json_t *list, const char *key, size_t most)
{
    return (json_is_array(list) && json_array_size(list) > 0 && json_array_size(list) <= most) ||
           refuse_key(reading, key, "a list of 1 to %zu entries is expected", most);
}

static bool read_protocols(struct reading *reading, const json_t *list, struct job *job)
{
    size_t index;
    json_t *entry;

    if (!check_list(reading, list, "protocols", JOB_PROTOCOLS_MAX))
        return false;
    json_array_foreach(list, index, entry)
    {
        snprintf(reading->place, sizeof(reading->place), "protocols[%zu].", index);
        if (!read_members(reading, entry, protocol_members, &job->protocols[job->protocol_count++]))
            return false;
    }
    reading->place[0] = '\0';
    return true;
}

/* A class that does not restart the job has a cost for every protocol. */
static bool read_costs(struct reading *reading, const json_t *costs, const struct job *job,
    struct job_class *class, size_t class_index)
{
    for (uint32_t i = 0; !class->restarts && i < job->protocol_count; i++) {
        const json_t *cost = json_object_get(costs, job->protocols[i].name);

        snprintf(reading->place, sizeof(reading->place), "failures[%zu].costs.", class_index);
        if (!cost)
            return refuse_key(reading, job->protocols[i].name,
                "is missing; say what a failure costs, or set restarts: true");
        if (!read_members(reading, cost, cost_members, &class->costs[i]))
            return false;
    }
    return true;
}

static bool read_classes(struct reading *reading, const json_t *list, struct job *job)
{
    size_t index;
    json_t *entry;

    if (!check_list(reading, list, "failures", JOB_CLASSES_MAX))
        return false;
    json_array_foreach(list, index, entry)
    {
        struct counted_class read = { 0 };

        snprintf(reading->place, sizeof(reading->place), "failures[%zu].", index);
        if (!read_members(reading, entry, class_members, &read) ||
            !read_costs(reading, json_object_get(entry, "costs"), job, &read.class, index))
            return false;
        read.class.per_day *= read.elements_per_gpu * job->gpus;
        job->classes[job->class_count++] = read.class;
    }
    return true;
}

bool job_file_read(const json_t *json, struct job *job, char reason[static JOB_FILE_REASON_BYTES])
{
    struct reading reading = { .reason = reason };

    *job = (struct job){ 0 };
    return read_members(&reading, json, job_members, job) &&
           read_protocols(&reading, json_object_get(json, "protocols"), job) &&
           read_classes(&reading, json_object_get(json, "failures"), job);
}
