/* SPDX-License-Identifier: Apache-2.0 */
/* Samples: differences of counters become rates; links that are idle and healthy are left out. */
#include "dashboard/dashboard_sample.h"

#include <string.h>

#include "spec.h"

static const char layout_text[] = "{\"planes\": 2, \"nics\": 2, \"links\": ["
                                  "[\"h0.p0\", 0, 2, 0], [\"h0.p1\", 0, 3, 1],"
                                  "[\"h1.p0\", 1, 2, 0], [\"p0.t0.0-t1.0\", 2, 4, 0]]}";

#define COLUMNS                                                                                    \
    "\"columns\": [\"state\", \"rate_bps\", \"up_bytes\", \"down_bytes\", \"lost\", "              \
    "\"queue_bytes\", \"marked\", \"trimmed\", \"dropped\"]"

/* One second, in which h0.p0 sends half of what it can, and p0.t0.0-t1.0 goes down. */
static const char before_text[] =
    "{\"time_ns\": 1000000000, " COLUMNS ", \"rows\": ["
    "[0, 8000, 100, 50, 0, 0, 0, 0, 0], [0, 8000, 7, 7, 1, 0, 0, 0, 0],"
    "[0, 8000, 0, 0, 0, 0, 0, 0, 0], [0, 8000, 0, 0, 0, 0, 1, 2, 3]]}";
static const char now_text[] = "{\"time_ns\": 2000000000, " COLUMNS ", \"rows\": ["
                               "[0, 8000, 600, 50, 0, 0, 0, 0, 0], [0, 8000, 7, 7, 1, 0, 0, 0, 0],"
                               "[0, 8000, 0, 0, 2, 0, 0, 0, 0], [3, 8000, 0, 0, 0, 99, 5, 7, 9]]}";

static json_t *sample_of(const char *before, const char *now)
{
    json_t *sample = json_object();
    json_t *layout = json_loads(layout_text, 0, NULL);
    json_t *then = before ? json_loads(before, 0, NULL) : NULL;
    json_t *current = json_loads(now, 0, NULL);

    dashboard_sample_links(sample, layout, then, current);
    json_decref(layout);
    json_decref(then);
    json_decref(current);
    return sample;
}

static json_int_t number_in(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static json_int_t in_column(const json_t *sample, const char *column, size_t row)
{
    return json_integer_value(
        json_array_get(json_object_get(json_object_get(sample, "links"), column), row));
}

SPEC("a plane has what its NICs send, the capacity of their links, and what happened on all links")
{
    json_t *sample = sample_of(before_text, now_text);
    const json_t *plane = json_array_get(json_object_get(sample, "planes"), 0);

    EXPECT_EQ(number_in(sample, "interval_ms"), 1000);
    EXPECT_EQ(json_array_size(json_object_get(sample, "planes")), 2);
    EXPECT_EQ(number_in(plane, "bps"), 4000);
    EXPECT_EQ(number_in(plane, "capacity_bps"), 16000);
    EXPECT_EQ(number_in(plane, "links"), 3);
    EXPECT_EQ(number_in(plane, "down"), 1);
    EXPECT_EQ(number_in(plane, "lost"), 2);
    EXPECT_EQ(number_in(plane, "marked"), 4);
    EXPECT_EQ(number_in(plane, "trimmed"), 5);
    EXPECT_EQ(number_in(plane, "dropped"), 6);
    EXPECT_EQ(number_in(plane, "queue_bytes"), 99);
    json_decref(sample);
}

SPEC("the rows are those of links that are not idle and healthy, with their load in thousandths")
{
    json_t *sample = sample_of(before_text, now_text);

    EXPECT_EQ(json_array_size(json_object_get(json_object_get(sample, "links"), "at")), 3);
    EXPECT_EQ(in_column(sample, "at", 0), 0);
    EXPECT_EQ(in_column(sample, "up", 0), 500);
    EXPECT_EQ(in_column(sample, "down", 0), 0);
    EXPECT_EQ(in_column(sample, "at", 1), 2);
    EXPECT_EQ(in_column(sample, "lost", 1), 2);
    EXPECT_EQ(in_column(sample, "at", 2), 3);
    EXPECT_EQ(in_column(sample, "state", 2), 3);
    json_decref(sample);
}

SPEC("the first sample has states and no rates")
{
    json_t *sample = sample_of(NULL, now_text);

    EXPECT_EQ(number_in(sample, "interval_ms"), 0);
    EXPECT_EQ(number_in(json_array_get(json_object_get(sample, "planes"), 0), "bps"), 0);
    EXPECT_EQ(json_array_size(json_object_get(json_object_get(sample, "links"), "at")), 1);
    json_decref(sample);
}

SPEC("counters that became smaller, because the fabric began anew, are no growth")
{
    json_t *sample = sample_of(now_text, before_text);

    EXPECT_EQ(number_in(json_array_get(json_object_get(sample, "planes"), 0), "lost"), 0);
    EXPECT_EQ(number_in(json_array_get(json_object_get(sample, "planes"), 0), "bps"), 0);
    json_decref(sample);
}

SPEC("an answer of another shape makes a sample without links")
{
    json_t *sample = sample_of(before_text, "{\"columns\": [\"state\"], \"rows\": [[1]]}");

    EXPECT_EQ(json_array_size(json_object_get(json_object_get(sample, "links"), "at")), 0);
    EXPECT_EQ(json_array_size(json_object_get(sample, "planes")), 2);
    json_decref(sample);
}
