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

__attribute__((format(printf, 2, 3))) static bool refuse_request(
    char reason[static SOFT_REASON_BYTES], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, SOFT_REASON_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* A probability is a fraction of 2^32; other quantities need more room. */
#define PARAMETER_MAX_FRACTION UINT32_MAX
#define PARAMETER_MAX_BIT_RATE LONGEST_PS
#define PARAMETER_MAX_TIME     LONGEST_PS
#define PARAMETER_MAX_PERMILLE LONGEST_PS

const struct request_argument soft_request_arguments[] = {
    { .name = "where", .kind = REQUEST_TEXT },
    { .name = "kind", .kind = REQUEST_WORD, .is_required = true, .words = fault_kind_words },
#define FAULT_PARAMETER(ID, type, member, quantity, key, request, form, example)                   \
    { .name = (request), .kind = REQUEST_NUMBER, .min = 1, .max = PARAMETER_MAX_##quantity },
#include "network/fault.def"
    { .name = "direction", .kind = REQUEST_WORD, .words = fault_direction_words },
    { .name = "what", .kind = REQUEST_TEXT },
    { .name = "ev", .kind = REQUEST_TEXT },
    { .name = "at_ps", .kind = REQUEST_NUMBER, .max = LONGEST_PS },
    { .name = "for_ps", .kind = REQUEST_NUMBER, .min = 1, .max = LONGEST_PS },
    { .name = "check", .kind = REQUEST_FLAG },
    { 0 },
};

/* ---- the place of a fault -------------------------------------------------------------------- */

/* The name of each component except switches and links; the cable of a host is also a link. */
static const struct {
    const char *what;
    enum topology_component kind;
} components[] = {
    { "nic", TOPOLOGY_NIC },
    { "port", TOPOLOGY_HOST_LINK },
    { "plane", TOPOLOGY_PLANE },
    { "group", TOPOLOGY_GROUP },
};

#define COMPONENT_COUNT (sizeof(components) / sizeof(components[0]))

static const char *what_is(enum topology_component kind)
{
    for (size_t i = 0; i < COMPONENT_COUNT; i++)
        if (components[i].kind == kind)
            return components[i].what;
    return topology_is_link(kind) ? "link" : "switch";
}

static bool is_called(const char *what, enum topology_component kind)
{
    for (size_t i = 0; i < COMPONENT_COUNT; i++)
        if (components[i].kind == kind && strcmp(components[i].what, what) == 0)
            return true;
    return (topology_is_switch(kind) && strcmp(what, "switch") == 0) ||
           (topology_is_link(kind) && strcmp(what, "link") == 0);
}

/* Parses a path p0/u3: the EV as NICs number it and, if the request has no place, the plane. */
static bool read_ev(const struct soft *soft, const char *path, struct soft_fault *fault,
    char reason[static SOFT_REASON_BYTES])
{
    uint32_t planes = soft->fabric.topology.config.plane_count;
    uint32_t uplinks = plan_uplink_count(&soft->fabric);
    struct ev_path found;

    if (!plan_ev_read(path, &found))
        return refuse_request(
            reason, "%.64s: not a path; write plane and uplink as in p0/u3", path);
    if (uplinks == 0)
        return refuse_request(reason, "%.64s: this fabric has no uplinks", path);
    if (found.plane >= planes || found.uplink >= uplinks)
        return refuse_request(
            reason, "there is no path %.64s; the last is p%u/u%u", path, planes - 1, uplinks - 1);
    fault->where[0] = (struct topology_element){ .kind = TOPOLOGY_PLANE, .plane = found.plane };
    fault->what.where_count = 1;
    fault->what.of_ev = true;
    fault->what.ev = plan_ev(&soft->fabric, found);
    return true;
}

static bool read_name(const struct soft *soft, const char *what, const char *name,
    struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    struct topology_element *element = &fault->where[fault->what.where_count];
    char found[TOPOLOGY_REASON_BYTES];

    if (!topology_find(&soft->fabric.topology, name, element, found))
        return refuse_request(reason, "%.64s: %s", name, found);
    if (what && !is_called(what, element->kind))
        return refuse_request(reason, "%.64s is not a %.16s; did you mean '%s %.64s'?", name, what,
            what_is(element->kind), name);
    fault->what.where_count++;
    return true;
}

/* Reads "h0.p0,h1.p0". */
static bool read_where(const struct soft *soft, const struct request *request,
    struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    const char *names = request_form_text(request, "where");
    const char *what = request_form_text(request, "what");
    char name[SOFT_PLACE_BYTES];

    fault->what.where_count = 0;
    do {
        size_t length = strcspn(names, ",");

        if (length == 0 || fault->what.where_count == SOFT_WHERE_MAX)
            return refuse_request(
                reason, "where: must name 1 to %u parts of the fabric", SOFT_WHERE_MAX);
        snprintf(name, sizeof(name), "%.*s", (int)length, names);
        if (!read_name(soft, what, name, fault, reason))
            return false;
        names += length;
    } while (*names++ == ',');
    return true;
}

bool soft_request_place(const struct soft *soft, const struct request *request,
    struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    const char *ev = request_form_text(request, "ev");

    if (!request_form_has(request, "where") && !ev)
        return refuse_request(reason, "where: must name a part of the fabric");
    if (ev && !read_ev(soft, ev, fault, reason))
        return false;
    return !request_form_has(request, "where") || read_where(soft, request, fault, reason);
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

static bool read_kind(
    const struct request *request, struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    fault->what.kind = (enum fault_kind)request_form_number(request, "kind");
    fault->what.direction = (enum fault_direction)request_form_number(request, "direction");
    fault->what.duty_permille = 500;
    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++) {
        const char *name = fault_parameters[i].request;

        if (request_form_has(request, name))
            fault_set(&fault->what, (enum fault_parameter)i, request_form_number(request, name));
        else if (fault_kind_needs(fault->what.kind, (enum fault_parameter)i))
            return refuse_request(
                reason, "%s: %s= is missing", fault_kind_words[fault->what.kind], name);
    }
    return true;
}

/* Checks the limits of real time. */
static bool adapt_fault(
    const struct soft *soft, struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    if (fault_kind_needs(fault->what.kind, FAULT_PERIOD) && fault->what.period_ps < PERIOD_PS_MIN)
        return refuse_request(reason, "the period of a flap must be at least 1us");
    if (!fault_kind_needs(fault->what.kind, FAULT_RATE))
        return true;
    if (fault->what.rate_bps < SOFT_RATE_BPS_MIN)
        return refuse_request(reason, "rate_bps: must be at least %u", SOFT_RATE_BPS_MIN);
    fault->what.rate_bps /= soft->config.slower;
    return fault->what.rate_bps >= SOFT_RATE_BPS_MIN ||
           refuse_request(reason,
               "this fabric is %u times slower: the rate must be at least %u Mb/s",
               soft->config.slower, soft->config.slower);
}

static void read_times(
    const struct soft *soft, const struct request *request, struct soft_fault *fault)
{
    fault->is_held = request_form_has(request, "at_ps");
    fault->what.from_ps = fault->is_held ? request_form_number(request, "at_ps") : soft->now_ps;
    fault->what.until_ps = FAULT_NEVER_PS;
    if (request_form_has(request, "for_ps"))
        fault->what.until_ps = fault->what.from_ps + request_form_number(request, "for_ps");
}

static bool check_fault(
    const struct soft *soft, const struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    struct fault view = soft_fault_view(fault);
    struct problem problem;

    return fault_check(&soft->fabric, &view, &problem) ||
           refuse_request(reason, "%s: %s", problem.member, problem.reason);
}

bool soft_request_fault(const struct soft *soft, const struct request *request,
    struct soft_fault *fault, char reason[static SOFT_REASON_BYTES])
{
    *fault = (struct soft_fault){ 0 };
    read_times(soft, request, fault);
    return soft_request_place(soft, request, fault, reason) && read_kind(request, fault, reason) &&
           adapt_fault(soft, fault, reason) && check_fault(soft, fault, reason);
}
