/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of metrics has a row for all that NICs and fabrics report. */
#include "control/control.h"

#include <string.h>

#include "path/path.h"
#include "spec.h"
#include "switch/switch.h"
#include "transport/transport.h"
#include "wire/drop.h"

SPEC("every counter of a transport is a metric with its help")
{
    for (uint32_t i = 0; i < COUNTER_COUNT; i++) {
        const struct metric *metric =
            metric_find(METRIC_OF_TRANSPORT, counter_descriptions[i].name);

        EXPECT(metric != NULL);
        EXPECT_STR_EQ(metric->help, counter_descriptions[i].help);
        EXPECT_EQ(metric->kind, METRIC_COUNTER);
    }
}

SPEC("every reason for a drop or a loss is a metric")
{
    for (uint32_t i = DROP_NONE + 1; i < DROP_REASON_COUNT; i++)
        EXPECT(metric_find(METRIC_OF_DROP, drop_name((enum drop_reason)i)) &&
               metric_find(METRIC_OF_REFUSAL, drop_name((enum drop_reason)i)));
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        EXPECT(metric_find(METRIC_OF_LOSS, loss_reason_name((enum loss_reason)i)) != NULL);
    EXPECT(metric_find(METRIC_OF_DROP, "none") == NULL);
}

SPEC("a counter of a switch port is a metric, and a maximum is a gauge")
{
    for (uint32_t i = 0; i < PORT_COUNTER_COUNT; i++) {
        const char *name = port_counter_descriptions[i].name;
        bool is_max = strcmp(name + strlen(name) - 4, "_max") == 0;
        const struct metric *metric = metric_find(METRIC_OF_EGRESS, name);

        EXPECT(metric != NULL);
        EXPECT_EQ(metric->kind, is_max ? METRIC_GAUGE : METRIC_COUNTER);
    }
}

SPEC("every state of an EV is a metric")
{
    for (uint32_t i = 0; i < EV_STATE_COUNT; i++)
        EXPECT(metric_find(METRIC_OF_EV, path_state_word((enum path_ev_state)i)) != NULL);
}

SPEC("names of metrics are unique in their group, and each metric has help")
{
    for (uint32_t i = 0; i < metric_count; i++) {
        EXPECT(metric_find(metric_list[i].group, metric_list[i].name) == &metric_list[i]);
        EXPECT_GT(strlen(metric_list[i].help), 2);
        EXPECT(metric_list[i].help[strlen(metric_list[i].help) - 1] != '.');
    }
}

static void expect_unit(enum metric_group group, const char *name, const char *unit)
{
    EXPECT_STR_EQ(metric_unit(metric_find(group, name)), unit);
}

SPEC("the unit of a metric is that of its name")
{
    expect_unit(METRIC_OF_TRANSPORT, "bytes_placed", "bytes");
    expect_unit(METRIC_OF_EGRESS, "data_depth_bytes_max", "bytes");
    expect_unit(METRIC_OF_QP, "base_rtt_ns", "ns");
    expect_unit(METRIC_OF_PORT, "rate_bps", "bps");
    expect_unit(METRIC_OF_TRANSPORT, "data_sent", "count");
    expect_unit(METRIC_OF_QP, "mpr_psns", "count");
}

SPEC("every metric has a group and labels, the first of which is its owner")
{
    json_t *all = metric_json();
    const json_t *metric;
    size_t i;

    json_array_foreach(all, i, metric)
    {
        const json_t *labels = json_object_get(metric, "labels");
        bool is_port = strcmp(json_string_value(json_object_get(metric, "group")), "port") == 0;

        EXPECT_GE(json_array_size(labels), 1);
        EXPECT_STR_EQ(json_string_value(json_array_get(labels, 0)),
            metric_list[i].group == METRIC_OF_HTTP   ? "server"
            : metric_list[i].group >= METRIC_OF_LINK ? "fabric"
                                                     : "device");
        EXPECT_EQ(is_port, metric_list[i].group == METRIC_OF_PORT);
    }
    json_decref(all);
}

SPEC("the JSON of the registry has all metrics")
{
    json_t *all = metric_json();
    const json_t *first = json_array_get(all, 0);

    EXPECT_EQ(json_array_size(all), metric_count);
    EXPECT_STR_EQ(json_string_value(json_object_get(first, "group")), "counter");
    EXPECT_STR_EQ(json_string_value(json_object_get(first, "name")), metric_list[0].name);
    EXPECT_STR_EQ(json_string_value(json_object_get(first, "kind")), "counter");
    EXPECT_STR_EQ(json_string_value(json_object_get(first, "unit")), "count");
    EXPECT_EQ(json_array_size(json_object_get(first, "labels")), 1);
    json_decref(all);
}
