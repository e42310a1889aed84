/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics in the text format of Prometheus. Values are added in any order, object by object; the
 * text has all samples of a family together, as the format demands. */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "control/metric.h"

#define METRIC_PAGE_VALUE_BYTES 64
#define METRIC_PAGE_LABELS_MAX  4

/* The values of one thing: a port, a link. */
struct metric_source {
    enum metric_group group;
    json_t *values;
    char labels[METRIC_PAGE_LABELS_MAX][METRIC_PAGE_VALUE_BYTES]; /* in order of metric_labels() */
    uint32_t label_count;
    uint32_t next; /* of the group */
};

struct metric_page {
    struct metric_source *sources;
    uint32_t count;
    uint32_t limit;
    uint32_t first[METRIC_GROUP_COUNT]; /* 0: none; otherwise its number plus 1 */
    uint32_t last[METRIC_GROUP_COUNT];
};

/* A page that is all zeros is empty. */
void metric_page_fini(struct metric_page *);

/* Adds the values of an object whose keys are names of the group; numbers and booleans count, and
 * all others are ignored. Keeps a reference to it. `labels` are the values of the first labels of
 * the group, and end with NULL. Without memory, nothing is added. */
void metric_page_add(
    struct metric_page *, enum metric_group, json_t *values, const char *const *labels);
/* The same for a group whose first label is sufficient. */
void metric_page_add_owned(
    struct metric_page *, enum metric_group, json_t *values, const char *owner);
/* Writes an integer of an object for use as a label. Returns `out`. */
const char *metric_page_number(
    const json_t *object, const char *key, char out[static METRIC_PAGE_VALUE_BYTES]);

void metric_page_write(const struct metric_page *, FILE *to);
