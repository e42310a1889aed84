/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a soft fabric and its NICs. */
#include "dashboard/dashboard_soft.h"

#include <stdio.h>
#include <string.h>

#include "dashboard/dashboard_log.h"
#include "dashboard/dashboard_sample.h"
#include "dashboard/dashboard_sums.h"

enum {
    WORDS_MAX = 16,
    DEVICE_BYTES = 32,
};

void dashboard_soft_fini(struct dashboard_soft *soft)
{
    json_decref(soft->layout);
    json_decref(soft->links);
    json_decref(soft->sums);
    soft->layout = soft->links = soft->sums = NULL;
}

/* ---- requests -------------------------------------------------------------------------------- */

static json_t *ask_fabric(const struct dashboard_soft *soft, const struct request_line *request,
    char reason[REQUEST_REASON_BYTES])
{
    json_t *answer = NULL;

    if (request_fabric(soft->fabric, request, &answer, reason) == REQUEST_NOT_RUNNING)
        snprintf(reason, REQUEST_REASON_BYTES, "the fabric '%s' does not run", soft->fabric);
    return answer;
}

static json_t *ask_word(
    const struct dashboard_soft *soft, const char *word, char reason[REQUEST_REASON_BYTES])
{
    struct request_line request;

    request_line_begin(&request, word);
    return ask_fabric(soft, &request, reason);
}

/* The layout never changes, so it is asked for once. */
static const json_t *keep_layout(struct dashboard_soft *soft, char reason[REQUEST_REASON_BYTES])
{
    if (!soft->layout) {
        soft->layout = ask_word(soft, "layout", reason);
        json_object_set_new(soft->layout, "kind", json_string("soft"));
        json_object_set_new(soft->layout, "can", json_pack("[s]", "fault"));
    }
    return soft->layout;
}

static json_t *show_layout(void *context, char reason[REQUEST_REASON_BYTES])
{
    return json_incref((json_t *)keep_layout(context, reason));
}

void dashboard_soft_devices(
    struct dashboard_soft *soft, void (*visit)(void *context, const char *device), void *context)
{
    char reason[REQUEST_REASON_BYTES];
    const json_t *layout = keep_layout(soft, reason);
    json_int_t first = json_integer_value(json_object_get(layout, "first_device"));
    json_int_t count = json_integer_value(json_object_get(layout, "nics"));

    for (json_int_t i = 0; i < count && i < DEVICE_LIST_MAX; i++) {
        char device[DEVICE_BYTES];

        snprintf(device, sizeof(device), "mrc%d", (int)(first + i));
        visit(context, device);
    }
}

/* ---- samples --------------------------------------------------------------------------------- */

static void add_device(void *context, const char *device)
{
    char reason[REQUEST_REASON_BYTES];
    json_t *stat = NULL;
    json_t *qps = NULL;

    if (request_device(device, "stat", &stat, reason) == REQUEST_ANSWERED &&
        qp_list_read(device, 0, &qps, reason) == REQUEST_ANSWERED)
        dashboard_sums_add(context, stat, qps);
    json_decref(stat);
    json_decref(qps);
}

static bool has_fault(const json_t *faults, const json_t *wanted)
{
    const json_t *fault;
    size_t i;

    json_array_foreach(
        faults, i, fault) if (json_equal((json_t *)fault, (json_t *)wanted)) return true;
    return false;
}

/* The time of a fault that began is that of the fabric; that of its end is not known. */
static uint64_t wall_ms_of(const json_t *fault, bool has_begun)
{
    json_int_t from_ns = json_integer_value(json_object_get(fault, "from_ns"));

    return dashboard_log_wall_ms(has_begun ? (uint64_t)from_ns : 0);
}

/* Reports the faults that are in `some` and not in `others`. */
static void tell_faults(
    struct dashboard_soft *soft, const char *event, const json_t *some, const json_t *others)
{
    bool has_begun = strcmp(event, "fault_began") == 0;
    const json_t *fault;
    size_t i;

    json_array_foreach(some, i, fault)
    {
        json_t *told;

        if (has_fault(others, fault))
            continue;
        told = json_deep_copy(fault);
        json_object_del(told, "from_ns");
        json_object_set_new(told, "event", json_string(event));
        json_object_set_new(
            told, "time_ms", json_integer((json_int_t)wall_ms_of(fault, has_begun)));
        soft->on_event(soft->context, told);
        json_decref(told);
    }
}

static void compare_faults(struct dashboard_soft *soft, const json_t *now)
{
    const json_t *faults = json_object_get(now, "faults");
    const json_t *before = json_object_get(soft->links, "faults");

    if (!soft->on_event)
        return;
    tell_faults(soft, "fault_began", faults, before);
    tell_faults(soft, "fault_ended", before, faults);
}

/* A fabric that was started anew may be another one. */
static bool fits_layout(const json_t *layout, const json_t *links)
{
    return json_array_size(json_object_get(layout, "links")) ==
           json_array_size(json_object_get(links, "rows"));
}

static json_t *ask_links(struct dashboard_soft *soft, char reason[REQUEST_REASON_BYTES])
{
    json_t *links = keep_layout(soft, reason) ? ask_word(soft, "links", reason) : NULL;

    if (links && !fits_layout(soft->layout, links)) {
        dashboard_soft_fini(soft);
        keep_layout(soft, reason);
    }
    return links;
}

static json_t *take_sample(void *context, char reason[REQUEST_REASON_BYTES])
{
    struct dashboard_soft *soft = context;
    json_t *now = ask_links(soft, reason);
    json_t *sums = json_object();
    json_t *sample;
    double interval_s;

    if (!now) {
        json_decref(sums);
        return NULL;
    }
    dashboard_soft_devices(soft, add_device, sums);
    sample = json_pack("{s:I, s:o, s:[], s:[]}", "time_ms", (json_int_t)dashboard_log_wall_ms(0),
        "faults", json_incref(json_object_get(now, "faults")), "verdicts", "drained");
    dashboard_sample_links(sample, soft->layout, soft->links, now);
    interval_s = (double)json_integer_value(json_object_get(sample, "interval_ms")) / 1000;
    json_object_set_new(sample, "nics", dashboard_sums_compare(soft->sums, sums, interval_s));
    compare_faults(soft, now);
    json_decref(soft->links);
    json_decref(soft->sums);
    soft->links = now;
    soft->sums = sums;
    return sample;
}

/* ---- QPs and EVs ----------------------------------------------------------------------------- */

static void add_qps(void *context, const char *device)
{
    char reason[REQUEST_REASON_BYTES];
    json_t *qps = NULL;

    if (qp_list_read(device, 0, &qps, reason) == REQUEST_ANSWERED)
        json_array_append_new(context, json_pack("{s:s, s:O}", "device", device, "qps", qps));
    json_decref(qps);
}

static json_t *list_qps(void *context, char reason[REQUEST_REASON_BYTES])
{
    json_t *devices = json_array();

    (void)reason;
    dashboard_soft_devices(context, add_qps, devices);
    return devices;
}

static json_t *list_evs(
    void *context, const char *device, uint32_t qpn, char reason[REQUEST_REASON_BYTES])
{
    char request[32];
    json_t *answer = NULL;

    (void)context;
    snprintf(request, sizeof(request), "ev %u", qpn);
    if (request_device(device, request, &answer, reason) == REQUEST_NOT_RUNNING)
        snprintf(reason, REQUEST_REASON_BYTES, "no process has %.60s open", device);
    return answer;
}

/* ---- wishes ---------------------------------------------------------------------------------- */

static json_t *inject_fault(
    struct dashboard_soft *soft, const json_t *list, char reason[REQUEST_REASON_BYTES])
{
    char *words[WORDS_MAX + 1] = { NULL };
    struct fault_words fault = { .next = words, .rate_bps_min = soft->rate_bps_min };
    struct request_line request;
    const json_t *word;
    size_t i;

    json_array_foreach(list, i, word)
    {
        if (i == WORDS_MAX || !json_is_string(word)) {
            snprintf(
                reason, REQUEST_REASON_BYTES, "fault is a list of at most %d words", WORDS_MAX);
            return NULL;
        }
        words[fault.left++] = (char *)json_string_value(word);
    }
    if (fault.left == 0) {
        snprintf(reason, REQUEST_REASON_BYTES, "fault has no words, such as link h0.p0 down");
        return NULL;
    }
    return fault_words_read(&fault, &request, reason) ? ask_fabric(soft, &request, reason) : NULL;
}

static json_t *carry_out(void *context, const json_t *wish, char reason[REQUEST_REASON_BYTES])
{
    if (json_is_array(json_object_get(wish, "fault")))
        return inject_fault(context, json_object_get(wish, "fault"), reason);
    if (json_is_true(json_object_get(wish, "clear")))
        return ask_word(context, "clear all", reason);
    snprintf(reason, REQUEST_REASON_BYTES,
        "a soft fabric takes {\"fault\": [WORDS]} and {\"clear\": true}; a controller drains");
    return NULL;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static void measure_device(void *context, const char *device)
{
    char reason[REQUEST_REASON_BYTES];

    metric_collect_device(context, device, reason);
}

static void measure_all(void *context, struct metric_page *page)
{
    struct dashboard_soft *soft = context;
    char reason[REQUEST_REASON_BYTES];

    metric_collect_fabric(page, soft->fabric, reason);
    dashboard_soft_devices(soft, measure_device, page);
}

const struct dashboard_source dashboard_soft_source = {
    .layout = show_layout,
    .sample = take_sample,
    .qps = list_qps,
    .evs = list_evs,
    .act = carry_out,
    .measure = measure_all,
};
