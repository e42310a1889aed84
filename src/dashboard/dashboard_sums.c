/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up NICs, and compares two sums. */
#include "dashboard/dashboard_sums.h"

#include <string.h>

#include "control/control.h"

static void add_number(json_t *sums, const char *key, json_int_t value)
{
    json_object_set_new(
        sums, key, json_integer(json_integer_value(json_object_get(sums, key)) + value));
}

/* Returns a member that is an object, which is created if it does not exist. */
static json_t *part_of(json_t *sums, const char *key)
{
    if (!json_object_get(sums, key))
        json_object_set_new(sums, key, json_object());
    return json_object_get(sums, key);
}

static void add_object(json_t *sums, const json_t *values)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)values, key, value) if (json_is_integer(value))
        add_number(sums, key, json_integer_value(value));
}

void dashboard_sums_add(json_t *sums, const json_t *stat, const json_t *qps)
{
    json_t *evs = part_of(sums, "evs");
    const json_t *qp;
    size_t i;

    add_object(part_of(sums, "counters"), json_object_get(stat, "counters"));
    add_number(sums, "devices", 1);
    add_number(sums, "qps", (json_int_t)json_array_size(qps));
    json_array_foreach(qps, i, qp) add_object(evs, json_object_get(qp, "ev_states"));
}

/* A NIC that was closed makes sums smaller. */
static json_int_t growth(const json_t *before, const json_t *now, const char *counter)
{
    json_int_t first =
        json_integer_value(json_object_get(json_object_get(before, "counters"), counter));
    json_int_t last =
        json_integer_value(json_object_get(json_object_get(now, "counters"), counter));

    return before && last > first ? last - first : 0;
}

/* By reason: trim, sack, rto, nack, ... */
static json_t *retransmitted(const json_t *before, const json_t *now)
{
    json_t *reasons = json_object();

    for (uint32_t i = 0; i < metric_count; i++) {
        struct metric_family family;

        if (metric_list[i].group != METRIC_OF_TRANSPORT)
            continue;
        metric_family_of(&metric_list[i], &family);
        if (family.label_count > 1 && strcmp(family.labels[1].name, "reason") == 0)
            add_number(reasons, family.labels[1].value, growth(before, now, metric_list[i].name));
    }
    return reasons;
}

static json_t *or_zero(const json_t *object, const char *key)
{
    return json_integer(json_integer_value(json_object_get(object, key)));
}

json_t *dashboard_sums_compare(const json_t *before, const json_t *now, double interval_s)
{
    json_t *nics = json_object();
    json_t *evs = json_object_get(now, "evs");
    double bytes = (double)growth(before, now, "bytes_placed");

    json_object_set_new(nics, "devices", or_zero(now, "devices"));
    json_object_set_new(nics, "qps", or_zero(now, "qps"));
    json_object_set_new(nics, "goodput_bps",
        json_integer((json_int_t)(interval_s > 0 ? 8 * bytes / interval_s : 0)));
    json_object_set_new(nics, "sent", json_integer(growth(before, now, "data_sent")));
    json_object_set_new(nics, "timeouts", json_integer(growth(before, now, "timeout_fired")));
    json_object_set_new(nics, "retransmitted", retransmitted(before, now));
    json_object_set_new(nics, "evs", evs ? json_incref(evs) : json_object());
    return nics;
}
