/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the answers of NICs into sources of a page of metrics. */
#include "control/metric_collect.h"

#include "control/metric_shown.h"
#include "control/qp_list.h"

static void add_ports(struct metric_page *page, const char *device, const json_t *answer)
{
    json_t *port;
    size_t i;

    json_array_foreach(json_object_get(answer, "ports"), i, port)
    {
        char number[METRIC_PAGE_VALUE_BYTES];
        char plane[METRIC_PAGE_VALUE_BYTES];

        metric_page_add(page, METRIC_OF_PORT, port,
            (const char *const[]){ device, metric_page_number(port, "port", number),
                metric_page_number(port, "plane", plane), NULL });
    }
}

static void add_counters(struct metric_page *page, const char *device, const json_t *answer)
{
    metric_page_add_owned(page, METRIC_OF_TRANSPORT, json_object_get(answer, "counters"), device);
    metric_page_add_owned(page, METRIC_OF_DROP, json_object_get(answer, "drops"), device);
    metric_page_add_owned(page, METRIC_OF_ENGINE, json_object_get(answer, "engine"), device);
}

static void sum_group(enum metric_group group, const json_t *values, json_t *sums)
{
    for (uint32_t i = 0; i < metric_count; i++) {
        const char *name = metric_list[i].name;
        const json_t *value = json_object_get(values, name);

        if (metric_list[i].group == group && json_is_integer(value))
            json_object_set_new(sums, name,
                json_integer(
                    json_integer_value(json_object_get(sums, name)) + json_integer_value(value)));
    }
}

static void add_qps(struct metric_page *page, const char *device, const json_t *qps)
{
    json_t *sums = json_object();
    json_t *states = json_object();
    const json_t *qp;
    size_t i;

    json_array_foreach(qps, i, qp)
    {
        sum_group(METRIC_OF_QP, qp, sums);
        sum_group(METRIC_OF_EV, json_object_get(qp, "ev_states"), states);
    }
    metric_page_add_owned(page, METRIC_OF_QP, sums, device);
    metric_page_add_owned(page, METRIC_OF_EV, states, device);
    json_decref(sums);
    json_decref(states);
}

enum request_result metric_collect_device(
    struct metric_page *page, const char *device, char reason[REQUEST_REASON_BYTES])
{
    json_t *answer = NULL;
    enum request_result result = request_device(device, "stat", &answer, reason);

    if (result != REQUEST_ANSWERED)
        return result;
    add_counters(page, device, answer);
    json_decref(answer);
    result = request_device(device, "port", &answer, reason);
    if (result != REQUEST_ANSWERED)
        return result;
    add_ports(page, device, answer);
    json_decref(answer);
    result = request_device(device, "dev", &answer, reason);
    if (result != REQUEST_ANSWERED)
        return result;
    metric_page_add_owned(page, METRIC_OF_DEVICE, answer, device);
    json_decref(answer);
    result = qp_list_read(device, 0, &answer, reason);
    if (result != REQUEST_ANSWERED)
        return result;
    add_qps(page, device, answer);
    json_decref(answer);
    return REQUEST_ANSWERED;
}

enum request_result metric_collect_fabric(
    struct metric_page *page, const char *fabric, char reason[REQUEST_REASON_BYTES])
{
    struct request_line show;
    json_t *answer = NULL;
    enum request_result result;

    request_line_begin(&show, "show");
    result = request_fabric(fabric, &show, &answer, reason);
    if (result == REQUEST_ANSWERED)
        metric_shown_add(page, fabric, answer);
    json_decref(answer);
    return result;
}
