/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a job from JSON. Members that it does not know are mistakes. */
#include "study/job_file.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "study/job_member.h"

/* ---- parts ----------------------------------------------------------------------------------- */

#define DAYS_MOST    3650
#define SECONDS_MOST 1e7

/* clang-format off */
static const struct job_member cost_members[] = {
    { "stall_s", JOB_MEMBER_NUMBER, offsetof(struct job_cost, stall_s), true, 0, SECONDS_MOST },
    { "slows", JOB_MEMBER_NUMBER, offsetof(struct job_cost, slows), false, 0, 0.99 },
    { "stalls_while_down", JOB_MEMBER_FLAG, offsetof(struct job_cost, stalls_while_down), false, 0, 0 },
    { "source", JOB_MEMBER_OTHER, 0, true, 0, 0 },
    { .key = NULL },
};
static const struct job_member protocol_members[] = {
    { "name", JOB_MEMBER_NAME, offsetof(struct job_protocol, name), true, 0, 0 },
    { "give_up_s", JOB_MEMBER_NUMBER, offsetof(struct job_protocol, give_up_s), true, 0, SECONDS_MOST },
    { "source", JOB_MEMBER_OTHER, 0, true, 0, 0 },
    { .key = NULL },
};
/* A class, and the number of its components, which becomes part of its rate. */
struct counted_class {
    struct job_class class;
    double elements_per_gpu;
};
static const struct job_member class_members[] = {
    { "class", JOB_MEMBER_NAME, offsetof(struct counted_class, class.name), true, 0, 0 },
    { "elements_per_gpu", JOB_MEMBER_NUMBER, offsetof(struct counted_class, elements_per_gpu), true, 0, 1e4 },
    { "per_day", JOB_MEMBER_NUMBER, offsetof(struct counted_class, class.per_day), true, 0, 1e3 },
    { "lasts_s", JOB_MEMBER_NUMBER, offsetof(struct counted_class, class.lasts_s), true, 0, SECONDS_MOST },
    { "nics", JOB_MEMBER_NUMBER, offsetof(struct counted_class, class.nics), false, 0.001, 1e6 },
    { "restarts", JOB_MEMBER_FLAG, offsetof(struct counted_class, class.restarts), true, 0, 0 },
    { "costs", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "source", JOB_MEMBER_OTHER, 0, true, 0, 0 },
    { .key = NULL },
};
static const struct job_member job_members[] = {
    { "name", JOB_MEMBER_NAME, offsetof(struct job, name), true, 0, 0 },
    { "gpus", JOB_MEMBER_NUMBER, offsetof(struct job, gpus), true, 1, 1e7 },
    { "days", JOB_MEMBER_NUMBER, offsetof(struct job, days), true, 0.001, DAYS_MOST },
    { "gpu_hour_usd", JOB_MEMBER_NUMBER, offsetof(struct job, gpu_hour_usd), true, 0, 1e4 },
    { "exposed_communication", JOB_MEMBER_NUMBER, offsetof(struct job, exposed_communication), true, 0, 1 },
    { "checkpoint_every_s", JOB_MEMBER_NUMBER, offsetof(struct job, checkpoint_every_s), true, 1, SECONDS_MOST },
    { "checkpoint_s", JOB_MEMBER_NUMBER, offsetof(struct job, checkpoint_s), true, 0, SECONDS_MOST },
    { "restart_s", JOB_MEMBER_NUMBER, offsetof(struct job, restart_s), true, 0, SECONDS_MOST },
    { "watchdog_s", JOB_MEMBER_NUMBER, offsetof(struct job, watchdog_s), true, 0, SECONDS_MOST },
    { "protocols", JOB_MEMBER_OTHER, 0, true, 0, 0 },
    { "failures", JOB_MEMBER_OTHER, 0, true, 0, 0 },
    { .key = NULL },
};
/* clang-format on */

static bool check_list(
    struct job_reading *reading, const json_t *list, const char *key, size_t most)
{
    return (json_is_array(list) && json_array_size(list) > 0 && json_array_size(list) <= most) ||
           job_member_refuse(reading, key, "a list of 1 to %zu entries is expected", most);
}

/* Costs are found by the name of their protocol. */
static bool check_name(const struct job_reading *reading, const struct job *job)
{
    const char *name = job->protocols[job->protocol_count].name;

    for (uint32_t i = 0; i < job->protocol_count; i++)
        if (strcmp(job->protocols[i].name, name) == 0)
            return job_member_refuse(reading, "name", "protocols[%u] is '%s', too", i, name);
    return true;
}

static bool read_protocols(struct job_reading *reading, const json_t *list, struct job *job)
{
    size_t index;
    json_t *entry;

    if (!check_list(reading, list, "protocols", JOB_PROTOCOLS_MAX))
        return false;
    json_array_foreach(list, index, entry)
    {
        snprintf(reading->place, sizeof(reading->place), "protocols[%zu].", index);
        if (!job_member_read(
                reading, entry, protocol_members, &job->protocols[job->protocol_count]) ||
            !check_name(reading, job))
            return false;
        job->protocol_count++;
    }
    reading->place[0] = '\0';
    return true;
}

/* A class that does not restart the job has a cost for every protocol. */
static bool read_costs(struct job_reading *reading, const json_t *costs, const struct job *job,
    struct job_class *class, size_t class_index)
{
    for (uint32_t i = 0; !class->restarts && i < job->protocol_count; i++) {
        const json_t *cost = json_object_get(costs, job->protocols[i].name);

        snprintf(reading->place, sizeof(reading->place), "failures[%zu].costs.", class_index);
        if (!cost)
            return job_member_refuse(reading, job->protocols[i].name,
                "is missing; say what a failure costs, or set restarts: true");
        snprintf(reading->place, sizeof(reading->place), "failures[%zu].costs.%s.", class_index,
            job->protocols[i].name);
        if (!job_member_read(reading, cost, cost_members, &class->costs[i]))
            return false;
    }
    return true;
}

static bool read_classes(struct job_reading *reading, const json_t *list, struct job *job)
{
    size_t index;
    json_t *entry;

    if (!check_list(reading, list, "failures", JOB_CLASSES_MAX))
        return false;
    json_array_foreach(list, index, entry)
    {
        struct counted_class read = { .class.nics = 1 };

        snprintf(reading->place, sizeof(reading->place), "failures[%zu].", index);
        if (!job_member_read(reading, entry, class_members, &read) ||
            !read_costs(reading, json_object_get(entry, "costs"), job, &read.class, index))
            return false;
        read.class.per_day *= read.elements_per_gpu * job->gpus;
        job->classes[job->class_count++] = read.class;
    }
    return true;
}

bool job_file_read(const json_t *json, struct job *job, char reason[static JOB_FILE_REASON_BYTES])
{
    struct job_reading reading = { .reason = reason };

    *job = (struct job){ 0 };
    return job_member_read(&reading, json, job_members, job) &&
           read_protocols(&reading, json_object_get(json, "protocols"), job) &&
           read_classes(&reading, json_object_get(json, "failures"), job);
}
