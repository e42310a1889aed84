/* SPDX-License-Identifier: Apache-2.0 */
/* Parses requests about faults and checks them against the fabric. */
#include "lab/soft_request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/problem.h"
#include "base/scan.h"
#include "lab/devices.h"
#include "lab/soft_state.h"

#define LONGEST_PS    (UINT64_C(1) << 60)
#define PERIOD_PS_MIN UINT64_C(1000000) /* of a flap, on a real clock */

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

/* ---- the place of a fault -------------------------------------------------------------------- */

/* The name of each component except switches; the cable of a host is both a link and a port. */
static const struct {
    const char *what;
    enum topology_component kind;
} components[] = {
    { "nic", TOPOLOGY_NIC },
    { "port", TOPOLOGY_HOST_LINK },
    { "link", TOPOLOGY_HOST_LINK },
    { "link", TOPOLOGY_UPLINK },
    { "link", TOPOLOGY_LINK },
    { "plane", TOPOLOGY_PLANE },
    { "group", TOPOLOGY_GROUP },
};

#define COMPONENT_COUNT (sizeof(components) / sizeof(components[0]))

static const char *what_is(enum topology_component kind)
{
    for (size_t i = 0; i < COMPONENT_COUNT; i++)
        if (components[i].kind == kind)
            return components[i].what;
    return "switch";
}

static bool is_called(const char *what, enum topology_component kind)
{
    for (size_t i = 0; i < COMPONENT_COUNT; i++)
        if (components[i].kind == kind && strcmp(components[i].what, what) == 0)
            return true;
    return topology_is_switch(kind) && strcmp(what, "switch") == 0;
}

/* Parses a path p0/u3: the EV as NICs number it and, if the request has no place, the plane. */
static bool read_ev(const struct soft *soft, const char *path, struct soft_fault *fault,
    char reason[static SOFT_REASON_BYTES])
{
    uint32_t planes = soft->fabric.topology.config.plane_count;
    uint32_t uplinks = plan_uplink_count(&soft->fabric);
    struct ev_path found;

    if (!plan_ev_read(path, &found))
        return refuse(reason, "%.64s: not a path; write plane and uplink as in p0/u3", path);
    if (uplinks == 0)
        return refuse(reason, "%.64s: this fabric has no uplinks", path);
    if (found.plane >= planes || found.uplink >= uplinks)
        return refuse(
            reason, "there is no path %.64s; the last is p%u/u%u", path, planes - 1, uplinks - 1);
    fault->where[0] = (struct topology_element){ .kind = TOPOLOGY_PLANE, .plane = found.plane };
    fault->what.where_count = 1;
    fault->what.of_ev = true;
    fault->what.ev = plan_ev(&soft->fabric, found);
    return true;
}

static bool read_name(const struct soft *soft, const json_t *request, const char *name,
    struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    const char *what = json_string_value(json_object_get(request, "what"));
    struct topology_element *element = &fault->where[fault->what.where_count];
    char found[TOPOLOGY_REASON_BYTES];

    if (!name)
        return refuse(reason, "\"where\" must name parts of the fabric");
    if (!topology_find(&soft->fabric.topology, name, element, found))
        return refuse(reason, "%.64s: %s", name, found);
    if (what && !is_called(what, element->kind))
        return refuse(reason, "%.64s is not a %.16s; did you mean '%s %.64s'?", name, what,
            what_is(element->kind), name);
    fault->what.where_count++;
    return true;
}

static bool read_where(const struct soft *soft, const json_t *request, const json_t *where,
    struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    size_t count = json_is_array(where) ? json_array_size(where) : 1;

    if (count == 0 || count > SOFT_WHERE_MAX)
        return refuse(reason, "\"where\" must name 1 to %u parts of the fabric", SOFT_WHERE_MAX);
    fault->what.where_count = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *name = json_is_array(where) ? json_array_get(where, i) : where;

        if (!read_name(soft, request, json_string_value(name), fault, reason))
            return false;
    }
    return true;
}

bool soft_request_place(const struct soft *soft, const json_t *request, struct soft_fault *fault,
    char reason[static SOFT_REASON_BYTES])
{
    const json_t *where = json_object_get(request, "where");
    const char *ev = json_string_value(json_object_get(request, "ev"));

    if (!where && !ev)
        return refuse(reason, "\"where\" must name a part of the fabric");
    if (ev && !read_ev(soft, ev, fault, reason))
        return false;
    return !where || read_where(soft, request, where, fault, reason);
}

void soft_request_path(
    const struct soft *soft, const struct soft_fault *fault, char out[static SOFT_PLACE_BYTES])
{
    plan_ev_name(plan_ev_path(&soft->fabric, fault->what.ev), out);
}

void soft_request_name(
    const struct soft *soft, const struct soft_fault *fault, char out[static SOFT_PLACE_BYTES])
{
    size_t length = 0;
    char name[TOPOLOGY_NAME_BYTES];

    if (fault->what.of_ev) {
        soft_request_path(soft, fault, out);
        length = strlen(out);
        length += (size_t)snprintf(out + length, SOFT_PLACE_BYTES - length, " in ");
    }
    topology_name(&fault->where[0], name);
    length += (size_t)snprintf(out + length, SOFT_PLACE_BYTES - length, "%s", name);
    if (fault->what.where_count > 1)
        snprintf(
            out + length, SOFT_PLACE_BYTES - length, " and %u more", fault->what.where_count - 1);
}

/* ---- the kind of a fault --------------------------------------------------------------------- */

/* Returns the index of a word in a list of `count` words. Returns false if it is not in the list or
 * not in the request. */
static bool word_of(const json_t *request, const char *key, const char *const *words, int *number)
{
    const char *word = json_string_value(json_object_get(request, key));

    for (*number = 0; word && words[*number]; ++*number)
        if (strcmp(word, words[*number]) == 0)
            return true;
    return false;
}

static bool read_kind(
    const json_t *request, struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    int number;

    if (!word_of(request, "kind", fault_kind_words, &number))
        return refuse(reason, "\"kind\" must be a kind of fault: down, flap, loss, ...");
    fault->what.kind = (enum fault_kind)number;
    if (!json_object_get(request, "direction"))
        return true;
    if (!word_of(request, "direction", fault_direction_words, &number))
        return refuse(reason, "\"direction\" must be both, up or down");
    fault->what.direction = (enum fault_direction)number;
    return true;
}

static bool read_parameters(
    const json_t *request, struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    fault->what.duty_permille = 500;
    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++) {
        const struct fault_parameter_description *known = &fault_parameters[i];
        uint64_t number;

        if (!json_object_get(request, known->request) &&
            !fault_kind_needs(fault->what.kind, (enum fault_parameter)i))
            continue;
        if (!number_of(request, known->request,
                known->quantity == FAULT_QUANTITY_FRACTION ? UINT32_MAX : LONGEST_PS, &number) ||
            number == 0)
            return refuse(reason, "\"%s\" must be a number above 0", known->request);
        fault_set(&fault->what, (enum fault_parameter)i, number);
    }
    return true;
}

/* Checks the limits of real time. */
static bool adapt(
    const struct soft *soft, struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    if (fault_kind_needs(fault->what.kind, FAULT_PERIOD) && fault->what.period_ps < PERIOD_PS_MIN)
        return refuse(reason, "the period of a flap must be at least 1us");
    if (!fault_kind_needs(fault->what.kind, FAULT_RATE))
        return true;
    if (fault->what.rate_bps < SOFT_RATE_BPS_MIN)
        return refuse(reason, "\"rate_bps\" must be at least %u", SOFT_RATE_BPS_MIN);
    fault->what.rate_bps /= soft->config.slower;
    return fault->what.rate_bps >= SOFT_RATE_BPS_MIN ||
           refuse(reason, "this fabric is %u times slower: the rate must be at least %u Mb/s",
               soft->config.slower, soft->config.slower);
}

static bool read_times(const struct soft *soft, const json_t *request, struct soft_fault *fault,
    char reason[static SOFT_REASON_BYTES])
{
    uint64_t for_ps;

    fault->what.from_ps = soft->now_ps;
    fault->is_held = json_object_get(request, "at_ps") != NULL;
    if (fault->is_held && !number_of(request, "at_ps", LONGEST_PS, &fault->what.from_ps))
        return refuse(reason, "\"at_ps\" must be a number");
    fault->what.until_ps = FAULT_NEVER_PS;
    if (!json_object_get(request, "for_ps"))
        return true;
    if (!number_of(request, "for_ps", LONGEST_PS, &for_ps) || for_ps == 0)
        return refuse(reason, "\"for_ps\" must be 1 or more");
    fault->what.until_ps = fault->what.from_ps + for_ps;
    return true;
}

static bool check(
    const struct soft *soft, const struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    struct fault view = soft_fault_view(fault);
    struct problem problem;

    return fault_check(&soft->fabric, &view, &problem) ||
           refuse(reason, "%s: %s", problem.member, problem.reason);
}

bool soft_request_fault(const struct soft *soft, const json_t *request, struct soft_fault *fault,
    char reason[static SOFT_REASON_BYTES])
{
    *fault = (struct soft_fault){ 0 };
    return soft_request_place(soft, request, fault, reason) && read_kind(request, fault, reason) &&
           read_parameters(request, fault, reason) && adapt(soft, fault, reason) &&
           read_times(soft, request, fault, reason) && check(soft, fault, reason);
}
