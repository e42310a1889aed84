/* SPDX-License-Identifier: Apache-2.0 */
/* Reads measured costs, and puts them into a job. */
#include "study/job_events.h"

#include <stdio.h>
#include <string.h>

#include "study/job_member.h"

#define SECONDS_MOST 1e7
#define NO_PROTOCOL  UINT32_MAX

/* ---- members --------------------------------------------------------------------------------- */

struct version {
    double number;
};

/* Of a protocol, and where the job assumes its costs. */
struct measured_protocol {
    struct job_protocol protocol;
    char family[JOB_NAME_BYTES];
    uint32_t assumed_at;
};

/* clang-format off */
static const struct job_member top_members[] = {
    { "openmrc_job_events", JOB_MEMBER_NUMBER, offsetof(struct version, number), true, JOB_EVENTS_VERSION, JOB_EVENTS_VERSION },
    { "version", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "inputs", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "experiment", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "seed", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "seeds", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "fabric", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "rate_factor", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "protocols", JOB_MEMBER_OTHER, 0, true, 0, 0 },
    { "failures", JOB_MEMBER_OTHER, 0, true, 0, 0 },
    { .key = NULL },
};
static const struct job_member protocol_members[] = {
    { "protocol", JOB_MEMBER_NAME, offsetof(struct measured_protocol, family), true, 0, 0 },
    { "give_up_s", JOB_MEMBER_NUMBER, offsetof(struct measured_protocol, protocol.give_up_s), false, 0, SECONDS_MOST },
    { "title", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "settings", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "step_s", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "step_p99_s", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "exposed", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { .key = NULL },
};
static const struct job_member failure_members[] = {
    { "kind", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "where", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "costs", JOB_MEMBER_OTHER, 0, true, 0, 0 },
    { .key = NULL },
};
static const struct job_member cost_members[] = {
    { "stall_s", JOB_MEMBER_NUMBER, offsetof(struct job_cost, stall_s), true, 0, SECONDS_MOST },
    { "slows", JOB_MEMBER_NUMBER, offsetof(struct job_cost, slows), true, 0, 0.99 },
    { "stalls_while_down", JOB_MEMBER_FLAG, offsetof(struct job_cost, stalls_while_down), true, 0, 0 },
    { "lasts_s", JOB_MEMBER_NUMBER, offsetof(struct job_cost, lasts_s), true, 0, SECONDS_MOST },
    { "restarts", JOB_MEMBER_FLAG, offsetof(struct job_cost, restarts), true, 0, 0 },
    { "hangs", JOB_MEMBER_FLAG, offsetof(struct job_cost, hangs), true, 0, 0 },
    { "lost_s", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "outage_s", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "steps", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "qp_errors", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "timeouts", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "stall_around_s", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { "failed_seeds", JOB_MEMBER_OTHER, 0, false, 0, 0 },
    { .key = NULL },
};
/* clang-format on */

/* ---- protocols ------------------------------------------------------------------------------- */

static uint32_t protocol_named(const struct job *job, const char *name)
{
    for (uint32_t i = 0; i < job->protocol_count; i++)
        if (strcmp(job->protocols[i].name, name) == 0)
            return i;
    return NO_PROTOCOL;
}

static bool read_protocol(struct job_reading *reading, const char *name, const json_t *json,
    const struct job *job, struct measured_protocol *out)
{
    snprintf(reading->place, sizeof(reading->place), "protocols.%.60s.", name);
    snprintf(out->protocol.name, sizeof(out->protocol.name), "%.60s", name);
    if (!job_member_read(reading, json, protocol_members, out))
        return false;
    out->assumed_at = protocol_named(job, name);
    if (out->assumed_at == NO_PROTOCOL)
        out->assumed_at = protocol_named(job, out->family);
    if (!json_object_get(json, "give_up_s"))
        out->protocol.give_up_s = out->assumed_at == NO_PROTOCOL
                                      ? job->watchdog_s
                                      : job->protocols[out->assumed_at].give_up_s;
    return true;
}

static bool read_protocols(struct job_reading *reading, const json_t *json, const struct job *job,
    struct measured_protocol *out)
{
    const char *name;
    json_t *entry;

    if (!json_is_object(json) || json_object_size(json) == 0 ||
        json_object_size(json) > JOB_PROTOCOLS_MAX)
        return job_member_refuse(
            reading, "protocols", "an object with 1 to %d entries is expected", JOB_PROTOCOLS_MAX);
    json_object_foreach((json_t *)json, name, entry)
    {
        if (!read_protocol(reading, name, entry, job, out++))
            return false;
    }
    reading->place[0] = '\0';
    return true;
}

/* ---- costs ----------------------------------------------------------------------------------- */

static bool take_cost(struct job_reading *reading, const struct job_class *class,
    const struct measured_protocol *protocol, const json_t *measured, struct job_cost *out)
{
    const json_t *cost = json_object_get(measured, protocol->protocol.name);

    *out = (struct job_cost){ .is_measured = true };
    snprintf(reading->place, sizeof(reading->place), "failures.%s.costs.%.*s%s", class->name,
        JOB_NAME_BYTES, cost ? protocol->protocol.name : "", cost ? "." : "");
    if (cost)
        return job_member_read(reading, cost, cost_members, out);
    if (protocol->assumed_at == NO_PROTOCOL)
        return job_member_refuse(reading, protocol->protocol.name,
            "its cost was not measured, and the job assumes none");
    *out = class->costs[protocol->assumed_at];
    return true;
}

static bool take_class(struct job_reading *reading, const json_t *failures,
    const struct measured_protocol *protocols, uint32_t count, struct job_class *class)
{
    const json_t *failure = json_object_get(failures, class->name);
    struct job_cost costs[JOB_PROTOCOLS_MAX];

    snprintf(reading->place, sizeof(reading->place), "failures.%s.", class->name);
    if (failure && !job_member_read(reading, failure, failure_members, NULL))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!take_cost(reading, class, &protocols[i], json_object_get(failure, "costs"), &costs[i]))
            return false;
    memcpy(class->costs, costs, count * sizeof(costs[0]));
    return true;
}

bool job_events_apply(
    const json_t *events, struct job *job, char reason[static JOB_FILE_REASON_BYTES])
{
    struct measured_protocol protocols[JOB_PROTOCOLS_MAX] = { 0 };
    struct job_reading reading = { .reason = reason };
    const json_t *list = json_object_get(events, "protocols");
    uint32_t count = (uint32_t)json_object_size(list);
    struct version version;

    if (!job_member_read(&reading, events, top_members, &version) ||
        !read_protocols(&reading, list, job, protocols))
        return false;
    for (uint32_t i = 0; i < job->class_count; i++)
        if (!job->classes[i].restarts && !take_class(&reading, json_object_get(events, "failures"),
                                             protocols, count, &job->classes[i]))
            return false;
    job->protocol_count = count;
    for (uint32_t i = 0; i < count; i++)
        job->protocols[i] = protocols[i].protocol;
    return true;
}
