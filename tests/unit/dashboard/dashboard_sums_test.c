/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over NICs, what changed between two of them, and the log of events. */
#include "dashboard/dashboard_sums.h"

#include <stdlib.h>
#include <string.h>

#include "dashboard/dashboard_log.h"
#include "spec.h"

static json_t *sums_of(json_int_t placed_bytes, json_int_t again)
{
    json_t *sums = json_object();
    json_t *stat = json_pack("{s:{s:I, s:I, s:I, s:i}}", "counters", "bytes_placed", placed_bytes,
        "retransmit_time", again, "retransmit_count", again, "data_sent", 10);
    json_t *qps = json_pack(
        "[{s:{s:i, s:i}}, {s:{s:i}}]", "ev_states", "good", 3, "bad", 1, "ev_states", "good", 2);

    dashboard_sums_add(sums, stat, qps);
    dashboard_sums_add(sums, stat, qps);
    json_decref(stat);
    json_decref(qps);
    return sums;
}

static json_int_t number_in(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

SPEC("NICs are added up, and the difference of two sums is a rate")
{
    json_t *before = sums_of(1000, 4);
    json_t *now = sums_of(2000, 7);
    json_t *nics = dashboard_sums_compare(before, now, 2.0);

    EXPECT_EQ(number_in(nics, "devices"), 2);
    EXPECT_EQ(number_in(nics, "qps"), 4);
    EXPECT_EQ(number_in(nics, "goodput_bps"), 8000);
    EXPECT_EQ(number_in(json_object_get(nics, "retransmitted"), "sack"), 12);
    EXPECT_EQ(number_in(json_object_get(nics, "retransmitted"), "rto"), 0);
    EXPECT_EQ(number_in(json_object_get(nics, "evs"), "good"), 10);
    EXPECT_EQ(number_in(json_object_get(nics, "evs"), "bad"), 2);
    json_decref(before);
    json_decref(now);
    json_decref(nics);
}

SPEC("the first sums have no rates, and no NICs are zeros")
{
    json_t *now = sums_of(2000, 7);
    json_t *nothing = json_object();
    json_t *first = dashboard_sums_compare(NULL, now, 0);
    json_t *empty = dashboard_sums_compare(now, nothing, 1);

    EXPECT_EQ(number_in(first, "goodput_bps"), 0);
    EXPECT_EQ(number_in(first, "sent"), 0);
    EXPECT_EQ(number_in(empty, "devices"), 0);
    EXPECT_EQ(number_in(empty, "goodput_bps"), 0);
    json_decref(now);
    json_decref(nothing);
    json_decref(first);
    json_decref(empty);
}

SPEC("the log keeps the last events in their order")
{
    static struct dashboard_log log;
    json_t *read;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    for (int i = 0; i < DASHBOARD_LOG_MAX + 10; i++) {
        json_t *event = json_pack("{s:i}", "number", i);

        EXPECT(dashboard_log_add(&log, event) != NULL);
        json_decref(event);
    }
    dashboard_log_write(&log, out);
    fclose(out);
    read = json_loads(text, 0, NULL);
    EXPECT_EQ(json_array_size(read), DASHBOARD_LOG_MAX);
    EXPECT_EQ(number_in(json_array_get(read, 0), "number"), 10);
    EXPECT_EQ(
        number_in(json_array_get(read, DASHBOARD_LOG_MAX - 1), "number"), DASHBOARD_LOG_MAX + 9);
    json_decref(read);
    free(text);
    dashboard_log_fini(&log);
}
