/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about faults, checked against the fabric. */
#include "lab/soft_request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "lab/devices.h"
#include "lab/soft_state.h"

#define LONGEST_NS (UINT64_C(1) << 50)

__attribute__((format(printf, 2, 3))) static bool refuse(
    char reason[static SOFT_REASON_BYTES], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, SOFT_REASON_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

static bool number_of(const json_t *request, const char *key, uint64_t max, uint64_t *out)
{
    const json_t *value = json_object_get(request, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > max)
        return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

/* ---- where ----------------------------------------------------------------------------------- */

/* What each component is called; a host's cable is both. */
static const struct {
    const char *what;
    enum topology_component kind;
} components[] = {
    { "nic", TOPOLOGY_NIC },
    { "port", TOPOLOGY_HOST_LINK },
    { "link", TOPOLOGY_HOST_LINK },
    { "link", TOPOLOGY_UPLINK },
    { "plane", TOPOLOGY_PLANE },
    { "switch", TOPOLOGY_T0 },
    { "switch", TOPOLOGY_T1 },
};

#define COMPONENT_COUNT (sizeof(components) / sizeof(components[0]))

static const char *what_is(enum topology_component kind)
{
    for (size_t i = 0; i < COMPONENT_COUNT; i++)
        if (components[i].kind == kind)
            return components[i].what;
    return "part";
}

static bool is_called(const char *what, enum topology_component kind)
{
    for (size_t i = 0; i < COMPONENT_COUNT; i++)
        if (components[i].kind == kind && strcmp(components[i].what, what) == 0)
            return true;
    return false;
}

/* Of a path p0/u3: the EV as NICs number it and, unless more is said, the plane. */
static bool read_ev(const struct soft *soft, const char *path, struct soft_fault *fault,
    char reason[static SOFT_REASON_BYTES])
{
    const struct topology_config *config = &soft->fabric.topology.config;
    struct ev_path found;

    if (!plan_ev_read(path, &found))
        return refuse(reason, "%.64s: not a path; write plane and uplink as in p0/u3", path);
    if (config->t1_count == 0)
        return refuse(reason, "%.64s: this fabric has no uplinks", path);
    if (found.plane >= config->plane_count || found.uplink >= config->t1_count)
        return refuse(reason, "no path %.64s: the last is p%u/u%u", path, config->plane_count - 1,
            config->t1_count - 1);
    fault->where = (struct topology_element){ .kind = TOPOLOGY_PLANE, .plane = found.plane };
    fault->of_ev = true;
    fault->ev = plan_ev(&soft->fabric, found);
    return true;
}

bool soft_request_place(const struct soft *soft, const json_t *request, struct soft_fault *fault,
    char reason[static SOFT_REASON_BYTES])
{
    const char *what = json_string_value(json_object_get(request, "what"));
    const char *where = json_string_value(json_object_get(request, "where"));
    const char *ev = json_string_value(json_object_get(request, "ev"));
    char found[TOPOLOGY_REASON_BYTES];

    if (!where && !ev)
        return refuse(reason, "\"where\" must name a part of the fabric");
    if (ev && !read_ev(soft, ev, fault, reason))
        return false;
    if (!where)
        return true;
    if (!topology_find(&soft->fabric.topology, where, &fault->where, found))
        return refuse(reason, "%.64s: %s", where, found);
    if (what && !is_called(what, fault->where.kind))
        return refuse(reason, "%.64s is no %.16s; did you mean '%s %.64s'?", where, what,
            what_is(fault->where.kind), where);
    return true;
}

void soft_request_name(
    const struct soft *soft, const struct soft_fault *fault, char out[static SOFT_PLACE_BYTES])
{
    char name[TOPOLOGY_NAME_BYTES];
    char path[PLAN_EV_NAME_BYTES];

    topology_name(&fault->where, name);
    if (!fault->of_ev)
        snprintf(out, SOFT_PLACE_BYTES, "%s", name);
    plan_ev_name(plan_ev_path(&soft->fabric, fault->ev), path);
    if (fault->of_ev)
        snprintf(out, SOFT_PLACE_BYTES, "%s in %s", path, name);
}

/* ---- how ------------------------------------------------------------------------------------- */

static bool read_kind(
    const json_t *request, struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    const char *name = json_string_value(json_object_get(request, "kind"));

    for (uint32_t i = 0; name && i < SOFT_FAULT_KIND_COUNT; i++)
        if (strcmp(name, soft_fault_names[i]) == 0) {
            fault->kind = (enum soft_fault_kind)i;
            return true;
        }
    return refuse(reason, "\"kind\" must be down, flap, blackhole, loss, corrupt or slow");
}

static bool read_probability(
    const json_t *request, struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    uint64_t number;

    if (!number_of(request, "probability", UINT32_MAX, &number) || number == 0)
        return refuse(reason, "\"probability\" must be 1 to 2^32 - 1");
    fault->probability = (uint32_t)number;
    return true;
}

static bool read_rate(const struct soft *soft, const json_t *request, struct soft_fault *fault,
    char reason[static SOFT_REASON_BYTES])
{
    if (!number_of(request, "rate_bps", LONGEST_NS, &fault->rate_bps) ||
        fault->rate_bps < SOFT_RATE_BPS_MIN)
        return refuse(reason, "\"rate_bps\" must be at least %u", SOFT_RATE_BPS_MIN);
    fault->rate_bps /= soft->config.slower;
    return fault->rate_bps >= SOFT_RATE_BPS_MIN ||
           refuse(reason, "this fabric is %u times slower: the rate must be at least %u Mb/s",
               soft->config.slower, soft->config.slower);
}

static bool read_flap(
    const json_t *request, struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    uint64_t number;

    if (!number_of(request, "period_ns", LONGEST_NS / 1000, &number) || number < 1000)
        return refuse(reason, "\"period_ns\" must be 1000 or more");
    fault->period_ps = number * 1000;
    if (!number_of(request, "duty_permille", 999, &number) || number == 0)
        return refuse(reason, "\"duty_permille\" must be 1 to 999");
    fault->duty_permille = (uint32_t)number;
    return true;
}

static bool read_details(const struct soft *soft, const json_t *request, struct soft_fault *fault,
    char reason[static SOFT_REASON_BYTES])
{
    switch (fault->kind) {
    case SOFT_FAULT_LOSS:
    case SOFT_FAULT_CORRUPT:
        return read_probability(request, fault, reason);
    case SOFT_FAULT_SLOW:
        return read_rate(soft, request, fault, reason);
    case SOFT_FAULT_FLAP:
        return read_flap(request, fault, reason);
    default:
        return true;
    }
}

static bool read_duration(
    const json_t *request, struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    uint64_t for_ns;

    fault->until_ps = UINT64_MAX;
    if (!json_object_get(request, "for_ns"))
        return true;
    if (!number_of(request, "for_ns", LONGEST_NS, &for_ns) || for_ns == 0)
        return refuse(reason, "\"for_ns\" must be 1 or more");
    fault->until_ps = fault->from_ps + for_ns * 1000;
    return true;
}

bool soft_request_fault(const struct soft *soft, const json_t *request, struct soft_fault *fault,
    char reason[static SOFT_REASON_BYTES])
{
    *fault = (struct soft_fault){ .from_ps = soft->now_ps };
    if (!soft_request_place(soft, request, fault, reason) || !read_kind(request, fault, reason) ||
        !read_details(soft, request, fault, reason) || !read_duration(request, fault, reason))
        return false;
    return !fault->of_ev || fault->kind != SOFT_FAULT_SLOW ||
           refuse(
               reason, "packets of one EV cannot be slow; a link, port, switch, plane or nic can");
}
