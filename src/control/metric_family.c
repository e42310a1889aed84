/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the names that Prometheus shows from the names of the registry. */
#include "control/metric_family.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- groups ---------------------------------------------------------------------------------- */

/* Either a prefix of the name, or the family of all metrics of the group. */
static const struct {
    const char *prefix;
    const char *family;
    const char *label;
    const char *help;
} groups[METRIC_GROUP_COUNT] = {
    [METRIC_OF_TRANSPORT] = { .prefix = "" },
    [METRIC_OF_DROP] = { .family = "dropped_packets",
        .label = "reason",
        .help = "packets that a NIC received and dropped" },
    [METRIC_OF_ENGINE] = { .prefix = "engine_" },
    [METRIC_OF_DEVICE] = { .prefix = "device_" },
    [METRIC_OF_PORT] = { .prefix = "port_" },
    [METRIC_OF_QP] = { .prefix = "qp_" },
    [METRIC_OF_EV] = { .family = "evs", .label = "state", .help = "entropy values of all QPs" },
    [METRIC_OF_LINK] = { .prefix = "link_" },
    [METRIC_OF_EGRESS] = { .prefix = "switch_" },
    [METRIC_OF_REFUSAL] = { .family = "switch_refused_packets",
        .label = "reason",
        .help = "packets that a switch dropped on arrival" },
    [METRIC_OF_LOSS] = { .family = "fabric_lost_packets",
        .label = "reason",
        .help = "packets that a fabric lost" },
    [METRIC_OF_FABRIC] = { .prefix = "fabric_" },
    [METRIC_OF_CONTROLLER] = { .prefix = "controller_" },
    [METRIC_OF_HTTP] = { .family = "http_refused",
        .label = "reason",
        .help = "requests and connections that a server refused" },
};

/* Metrics of a group whose names begin alike and whose values are parts of a sum: the rest of the
 * name is the label. */
static const struct part {
    enum metric_group group;
    const char *begin;
    const char *family;
    const char *label;
    const char *help;
} parts[] = {
    { METRIC_OF_TRANSPORT, "retransmit_", "retransmitted_packets", "rule",
        "data packets sent again" },
    { METRIC_OF_EGRESS, "trimmed_", "switch_trimmed_packets", "at",
        "data packets trimmed to their headers" },
    { METRIC_OF_EGRESS, "dropped_", "switch_dropped_packets", "reason",
        "packets dropped in front of a link" },
};

/* The words that other exporters use for the cause of a retransmission. */
static const struct {
    const char *rule;
    const char *reason;
} reasons[] = {
    { "trimmed", "trim" },
    { "trimmed_lasthop", "trim" },
    { "time", "sack" },
    { "count", "sack" },
    { "probe", "sack" },
    { "timeout", "rto" },
};

static const char *reason_of(const char *rule)
{
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (strcmp(rule, reasons[i].rule) == 0)
            return reasons[i].reason;
    return rule;
}

/* ---- units ----------------------------------------------------------------------------------- */

static const struct {
    const char *unit; /* of metric_unit() */
    const char *base;
    double divisor;
} units[] = {
    { "bytes", "_bytes", 1 },
    { "ns", "_seconds", 1e9 },
    { "bps", "_bytes_per_second", 8 },
    { "ppm", "_ratio", 1e6 },
};

enum { REST_BYTES = 48 };

/* Writes the name without its unit: "bytes_placed" and "placed_bytes" become "placed". */
static void write_without_unit(const char *name, const char *unit, char out[REST_BYTES])
{
    const char *at = strstr(name, unit);
    size_t before = (size_t)(at - name);
    const char *after = at + strlen(unit);

    if (before == 0 && *after)
        after++;
    else if (before > 0)
        before--;
    snprintf(out, REST_BYTES, "%.*s%s", (int)before, name, after);
}

static void write_name(
    const struct metric *metric, const char *prefix, struct metric_family *family)
{
    const char *unit = metric_unit(metric);
    const char *total = metric->kind == METRIC_COUNTER ? "_total" : "";
    char rest[REST_BYTES];

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        const char *base = units[i].base;

        if (strcmp(unit, units[i].unit) != 0)
            continue;
        write_without_unit(metric->name, unit, rest);
        family->divisor = units[i].divisor;
        if (!rest[0] && prefix[0]) /* "link_" and "bytes" */
            snprintf(family->name, sizeof(family->name), "mrc_%s%s%s", prefix, base + 1, total);
        else
            snprintf(family->name, sizeof(family->name), "mrc_%s%s%s%s", prefix, rest, base, total);
        return;
    }
    snprintf(family->name, sizeof(family->name), "mrc_%s%s%s", prefix, metric->name, total);
}

/* ---- families -------------------------------------------------------------------------------- */

static void add_label(struct metric_family *family, const char *name, const char *value)
{
    assert(family->label_count < METRIC_FAMILY_LABELS_MAX);
    family->labels[family->label_count++] = (struct metric_label){ name, value };
}

static void name_family(const struct metric *metric, const char *name, struct metric_family *family)
{
    snprintf(family->name, sizeof(family->name), "mrc_%s%s", name,
        metric->kind == METRIC_COUNTER ? "_total" : "");
}

static const struct part *find_part(const struct metric *metric)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i].group == metric->group &&
            strncmp(metric->name, parts[i].begin, strlen(parts[i].begin)) == 0)
            return &parts[i];
    return NULL;
}

static void describe_part(
    const struct metric *metric, const struct part *part, struct metric_family *family)
{
    const char *rest = metric->name + strlen(part->begin);

    name_family(metric, part->family, family);
    family->help = part->help;
    add_label(family, part->label, rest);
    if (metric->group == METRIC_OF_TRANSPORT)
        add_label(family, "reason", reason_of(rest));
}

void metric_family_of(const struct metric *metric, struct metric_family *family)
{
    const struct part *part = find_part(metric);

    assert(metric->group < METRIC_GROUP_COUNT);
    *family = (struct metric_family){
        .help = metric->help,
        .scope = metric->group == METRIC_OF_QP ? "; the sum of all QPs of a device" : "",
        .divisor = 1,
    };
    if (groups[metric->group].family) {
        name_family(metric, groups[metric->group].family, family);
        family->help = groups[metric->group].help;
        add_label(family, groups[metric->group].label, metric->name);
    } else if (part) {
        describe_part(metric, part, family);
    } else {
        write_name(metric, groups[metric->group].prefix, family);
    }
}
