/* SPDX-License-Identifier: Apache-2.0 */
/* Differences of counters become rates, link by link and for each plane. */
#include "dashboard/dashboard_sample.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLANES_MAX = 64,
    STATE_DOWN = 3, /* the bits of both directions */
    STATE_IMPAIRED = 12,
};

/* The columns that a sample needs, by name. */
#define SAMPLE_COLUMNS(X)                                                                          \
    X(state)                                                                                       \
    X(rate_bps) X(up_bytes) X(down_bytes) X(lost) X(queue_bytes) X(marked) X(trimmed) X(dropped)

enum sample_column {
#define X(name) COLUMN_##name,
    SAMPLE_COLUMNS(X)
#undef X
        COLUMN_COUNT,
};

struct plane_sum {
    int64_t bps; /* that NICs send */
    int64_t capacity_bps;
    int64_t links;
    int64_t down;
    int64_t impaired;
    int64_t lost;
    int64_t marked;
    int64_t trimmed;
    int64_t dropped;
    int64_t queue_bytes; /* the longest */
};

struct sampling {
    const json_t *rows_before;
    const json_t *rows;
    size_t places[COLUMN_COUNT];
    int64_t interval_ns; /* 0: unknown */
    int64_t nic_count;
    struct plane_sum planes[PLANES_MAX];
    /* Columns of the sample, with only the links that are not idle and healthy. */
    json_t *at, *state, *up, *down, *lost, *queue;
};

/* ---- reading --------------------------------------------------------------------------------- */

static const char *const column_names[COLUMN_COUNT] = {
#define X(name) #name,
    SAMPLE_COLUMNS(X)
#undef X
};

static bool find_column(const json_t *columns, const char *name, size_t *place)
{
    for (*place = 0; *place < json_array_size(columns); ++*place) {
        const char *found = json_string_value(json_array_get(columns, *place));

        if (found && strcmp(found, name) == 0)
            return true;
    }
    return false;
}

static bool find_columns(const json_t *answer, size_t places[COLUMN_COUNT])
{
    for (uint32_t i = 0; i < COLUMN_COUNT; i++)
        if (!find_column(json_object_get(answer, "columns"), column_names[i], &places[i]))
            return false;
    return true;
}

static int64_t value_at(
    const struct sampling *sampling, const json_t *rows, size_t link, enum sample_column column)
{
    return json_integer_value(json_array_get(json_array_get(rows, link), sampling->places[column]));
}

static int64_t now_at(const struct sampling *sampling, size_t link, enum sample_column column)
{
    return value_at(sampling, sampling->rows, link, column);
}

/* Returns the increase of a counter; 0 if the fabric began anew. */
static int64_t growth(const struct sampling *sampling, size_t link, enum sample_column column)
{
    int64_t before =
        sampling->rows_before ? value_at(sampling, sampling->rows_before, link, column) : INT64_MAX;
    int64_t now = now_at(sampling, link, column);

    return now > before ? now - before : 0;
}

static int64_t rate_bps(const struct sampling *sampling, int64_t bytes)
{
    return sampling->interval_ns ? (int64_t)((double)bytes * 8e9 / (double)sampling->interval_ns)
                                 : 0;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void add_to_plane(
    const struct sampling *sampling, struct plane_sum *plane, size_t link, bool is_host_link)
{
    int64_t state = now_at(sampling, link, COLUMN_state);
    int64_t queue_bytes = now_at(sampling, link, COLUMN_queue_bytes);

    if (is_host_link) {
        plane->bps += rate_bps(sampling, growth(sampling, link, COLUMN_up_bytes));
        plane->capacity_bps += now_at(sampling, link, COLUMN_rate_bps);
    }
    plane->links++;
    plane->down += (state & STATE_DOWN) != 0;
    plane->impaired += (state & STATE_DOWN) == 0 && (state & STATE_IMPAIRED) != 0;
    plane->lost += growth(sampling, link, COLUMN_lost);
    plane->marked += growth(sampling, link, COLUMN_marked);
    plane->trimmed += growth(sampling, link, COLUMN_trimmed);
    plane->dropped += growth(sampling, link, COLUMN_dropped);
    plane->queue_bytes = queue_bytes > plane->queue_bytes ? queue_bytes : plane->queue_bytes;
}

/* Returns the load of one direction in thousandths. */
static int64_t load_of(const struct sampling *sampling, size_t link, enum sample_column bytes)
{
    int64_t capacity_bps = now_at(sampling, link, COLUMN_rate_bps);
    int64_t bps = rate_bps(sampling, growth(sampling, link, bytes));

    return capacity_bps > 0 ? (int64_t)(1000.0 * (double)bps / (double)capacity_bps + 0.5) : 0;
}

static void append_number(json_t *column, int64_t value)
{
    json_array_append_new(column, json_integer(value));
}

static void add_row(struct sampling *sampling, size_t link)
{
    int64_t state = now_at(sampling, link, COLUMN_state);
    int64_t up = load_of(sampling, link, COLUMN_up_bytes);
    int64_t down = load_of(sampling, link, COLUMN_down_bytes);
    int64_t lost = growth(sampling, link, COLUMN_lost) + growth(sampling, link, COLUMN_dropped);

    if (!state && !up && !down && !lost)
        return;
    append_number(sampling->at, (int64_t)link);
    append_number(sampling->state, state);
    append_number(sampling->up, up);
    append_number(sampling->down, down);
    append_number(sampling->lost, lost);
    append_number(sampling->queue, now_at(sampling, link, COLUMN_queue_bytes));
}

static void add_links(struct sampling *sampling, const json_t *layout)
{
    const json_t *links = json_object_get(layout, "links");
    size_t count = json_array_size(links);

    for (size_t i = 0; i < count && i < json_array_size(sampling->rows); i++) {
        const json_t *link = json_array_get(links, i);
        int64_t first = json_integer_value(json_array_get(link, 1));
        int64_t plane = json_integer_value(json_array_get(link, 3));

        if (plane >= 0 && plane < PLANES_MAX)
            add_to_plane(sampling, &sampling->planes[plane], i, first < sampling->nic_count);
        add_row(sampling, i);
    }
}

/* ---- the sample ------------------------------------------------------------------------------ */

static json_t *plane_json(const struct plane_sum *plane)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "bps",
        (json_int_t)plane->bps, "capacity_bps", (json_int_t)plane->capacity_bps, "links",
        (json_int_t)plane->links, "down", (json_int_t)plane->down, "impaired",
        (json_int_t)plane->impaired, "lost", (json_int_t)plane->lost, "marked",
        (json_int_t)plane->marked, "trimmed", (json_int_t)plane->trimmed, "dropped",
        (json_int_t)plane->dropped, "queue_bytes", (json_int_t)plane->queue_bytes);
}

static json_t *planes_json(const struct sampling *sampling, const json_t *layout)
{
    json_int_t count = json_integer_value(json_object_get(layout, "planes"));
    json_t *planes = json_array();

    for (json_int_t i = 0; i < count && i < PLANES_MAX; i++)
        json_array_append_new(planes, plane_json(&sampling->planes[i]));
    return planes;
}

static int64_t interval_ns(const json_t *before, const json_t *now)
{
    int64_t then_ns = json_integer_value(json_object_get(before, "time_ns"));
    int64_t now_ns = json_integer_value(json_object_get(now, "time_ns"));

    return before && now_ns > then_ns ? now_ns - then_ns : 0;
}

void dashboard_sample_links(
    json_t *sample, const json_t *layout, const json_t *before, const json_t *now)
{
    struct sampling *sampling = calloc(1, sizeof(*sampling));

    if (!sampling)
        return;
    sampling->rows_before = before ? json_object_get(before, "rows") : NULL;
    sampling->rows = json_object_get(now, "rows");
    sampling->interval_ns = interval_ns(before, now);
    sampling->nic_count = json_integer_value(json_object_get(layout, "nics"));
    sampling->at = json_array();
    sampling->state = json_array();
    sampling->up = json_array();
    sampling->down = json_array();
    sampling->lost = json_array();
    sampling->queue = json_array();
    if (find_columns(now, sampling->places))
        add_links(sampling, layout);
    json_object_set_new(sample, "interval_ms", json_integer(sampling->interval_ns / 1000000));
    json_object_set_new(sample, "planes", planes_json(sampling, layout));
    json_object_set_new(sample, "links",
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "at", sampling->at, "state", sampling->state,
            "up", sampling->up, "down", sampling->down, "lost", sampling->lost, "queue_bytes",
            sampling->queue));
    free(sampling);
}
