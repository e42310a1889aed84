/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of the tables of a comparison, and the members of its document. */
#pragma once

#include <jansson.h>

#include "result/comparison.h"

enum { COMPARISON_CELL_BYTES = 64 };

struct comparison_cell {
    char text[COMPARISON_CELL_BYTES];
};

/* Returns 0 or "" if there is no such member. */
double comparison_cell_number(const json_t *, const char *key);
const char *comparison_cell_text(const json_t *, const char *key);

struct comparison_cell comparison_cell_value(enum comparison_unit, double value);
/* "256 to 512"; "512" if both are equal; "-" for 0. */
struct comparison_cell comparison_cell_range(double least, double most);
/* Returns how long recovery took on average, or that it did not happen in some of the runs. */
struct comparison_cell comparison_cell_recovery(
    const json_t *spread, double unrecovered, double runs);

/* Returns the larger of `columns` and the length of the text. */
int comparison_cell_wider(int columns, const char *text);
