/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of contenders: figures of their runs, mean and spread over seeds, as JSON
 * (mrc-compare(1)), as a table, and as comma-separated values. */
#pragma once

#include <stdio.h>

#include <jansson.h>

enum comparison_unit {
    COMPARISON_RATE, /* bit/s */
    COMPARISON_FRACTION,
    COMPARISON_TIME, /* us */
    COMPARISON_COUNT,
};

struct comparison_figure {
    const char *key;
    const char *heading;
    enum comparison_unit unit;
    const char *path; /* in a run */
    const char *per;  /* its divisor; "": none */
};

enum comparison_figure_index {
#define FIGURE(key, heading, UNIT, path, per) COMPARISON_FIGURE_##key,
#include "result/comparison_figures.def"
#undef FIGURE
    COMPARISON_FIGURE_COUNT,
};
extern const struct comparison_figure comparison_figures[COMPARISON_FIGURE_COUNT];

/* Returns key, heading and unit of each figure, in this order. */
json_t *comparison_figures_json(void);

/* Replaces series and events of a run by "recovery": what its faults cost. */
void comparison_reduce(json_t *run);

/* Returns a figure of one run, which was reduced; NAN: the run does not have it. */
double comparison_value(const json_t *run, int index);

/* Returns the figures of a contender in a case: mean, deviation, min and max of each over the
 * runs, which were reduced. */
json_t *comparison_entry(const json_t *runs);

/* `comparison`: the document of mrc-compare(1). */
void comparison_print(FILE *, const json_t *comparison);
/* A line for each case and contender. Returns 0 or a negative errno. */
int comparison_write_csv(json_t *comparison, const char *path);
