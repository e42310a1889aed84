/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the lists of counters, reasons and gauges. */
#include "control/metric.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* clang-format off */
const struct metric metric_list[] = {
#define COUNTER(id, name, help) { METRIC_OF_TRANSPORT, #name, METRIC_COUNTER, help },
#include "transport/counters.def"
#undef COUNTER
#define NO_DROP(id, name, help)
#define DROP(id, name, help) { METRIC_OF_DROP, #name, METRIC_COUNTER, help },
#include "wire/drop.def"
#undef DROP
#define NO_DROP(id, name, help)
#define DROP(id, name, help) { METRIC_OF_REFUSAL, #name, METRIC_COUNTER, help },
#include "wire/drop.def"
#undef DROP
#define ENGINE_METRIC(name, kind, help) { METRIC_OF_ENGINE, #name, METRIC_##kind, help },
#define DEVICE_METRIC(name, kind, help) { METRIC_OF_DEVICE, #name, METRIC_##kind, help },
#define EV_METRIC(name, kind, help) { METRIC_OF_EV, #name, METRIC_##kind, help },
#define PORT_STATE(name, help) { METRIC_OF_PORT, #name, METRIC_GAUGE, help },
#define LINK_STATE(name, help) { METRIC_OF_LINK, #name, METRIC_GAUGE, help },
#define PORT_METRIC(name, kind, help) { METRIC_OF_PORT, #name, METRIC_##kind, help },
#define QP_METRIC(name, kind, help) { METRIC_OF_QP, #name, METRIC_##kind, help },
#define QUEUE_METRIC(name, kind, help) { METRIC_OF_QP, #name, METRIC_##kind, help },
#define LINK_METRIC(name, kind, help) { METRIC_OF_LINK, #name, METRIC_##kind, help },
#define EGRESS_METRIC(name, kind, help) { METRIC_OF_EGRESS, #name, METRIC_##kind, help },
#define FABRIC_METRIC(name, kind, help) { METRIC_OF_FABRIC, #name, METRIC_##kind, help },
#define CONTROLLER_METRIC(name, kind, help) { METRIC_OF_CONTROLLER, #name, METRIC_##kind, help },
#include "control/metrics.def"
#define GAUGE(id, name, help) { METRIC_OF_EGRESS, #name, METRIC_GAUGE, help },
#define COUNTER(id, name, help) { METRIC_OF_EGRESS, #name, METRIC_COUNTER, help },
#include "switch/port_counters.def"
#undef COUNTER
#define HTTP_REFUSAL(id, name, status, help) { METRIC_OF_HTTP, #name, METRIC_COUNTER, help },
#include "http/http_refusals.def"
#define LOSS(id, name, help) { METRIC_OF_LOSS, name, METRIC_COUNTER, help },
#include "network/loss.def"
};
/* clang-format on */

const uint32_t metric_count = sizeof(metric_list) / sizeof(metric_list[0]);

static const struct {
    const char *word;
    const char *labels[5];
} groups[METRIC_GROUP_COUNT] = {
    [METRIC_OF_TRANSPORT] = { "counter", { "device" } },
    [METRIC_OF_DROP] = { "drop", { "device" } },
    [METRIC_OF_ENGINE] = { "engine", { "device" } },
    [METRIC_OF_DEVICE] = { "device", { "device" } },
    [METRIC_OF_PORT] = { "port", { "device", "port", "plane" } },
    [METRIC_OF_QP] = { "qp", { "device", "qpn" } },
    [METRIC_OF_EV] = { "ev", { "device", "qpn" } },
    [METRIC_OF_LINK] = { "link", { "fabric", "from", "link", "plane" } },
    [METRIC_OF_EGRESS] = { "egress", { "fabric", "switch", "port", "plane" } },
    [METRIC_OF_REFUSAL] = { "refusal", { "fabric", "switch" } },
    [METRIC_OF_LOSS] = { "loss", { "fabric" } },
    [METRIC_OF_FABRIC] = { "fabric", { "fabric" } },
    [METRIC_OF_CONTROLLER] = { "controller", { "fabric" } },
    [METRIC_OF_HTTP] = { "http", { "server" } },
};

const struct metric *metric_find(enum metric_group group, const char *name)
{
    for (uint32_t i = 0; i < metric_count; i++)
        if (metric_list[i].group == group && strcmp(metric_list[i].name, name) == 0)
            return &metric_list[i];
    return NULL;
}

const char *metric_group_word(enum metric_group group)
{
    assert(group < METRIC_GROUP_COUNT);
    return groups[group].word;
}

const char *const *metric_labels(enum metric_group group)
{
    assert(group < METRIC_GROUP_COUNT);
    return groups[group].labels;
}

const char *metric_kind_word(enum metric_kind kind)
{
    assert(kind < METRIC_KIND_COUNT);
    return kind == METRIC_COUNTER ? "counter" : "gauge";
}

/* The names of counters, drops and losses are words, and their values are numbers of packets or
 * events, unless a part of the name is a unit. */
const char *metric_unit(const struct metric *metric)
{
    static const char *const units[] = { "bytes", "ns", "bps", "ppm" };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        const char *at = strstr(metric->name, units[i]);
        size_t length = strlen(units[i]);

        if (at && (at == metric->name || at[-1] == '_') &&
            (at[length] == '\0' || at[length] == '_'))
            return units[i];
    }
    return "count";
}

static json_t *labels_json(enum metric_group group)
{
    json_t *labels = json_array();

    for (const char *const *label = metric_labels(group); *label; label++)
        json_array_append_new(labels, json_string(*label));
    return labels;
}

json_t *metric_json(void)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < metric_count; i++)
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:s, s:s, s:o, s:s}", "group",
                     metric_group_word(metric_list[i].group), "name", metric_list[i].name, "kind",
                     metric_kind_word(metric_list[i].kind), "unit", metric_unit(&metric_list[i]),
                     "labels", labels_json(metric_list[i].group), "help", metric_list[i].help));
    return all;
}
