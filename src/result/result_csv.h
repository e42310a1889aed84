/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of all runs as comma-separated values, for spreadsheets and data frames. */
#pragma once

#include <stdio.h>

#include <jansson.h>

/* Writes a line per run and workload after a line with the names of the columns. Returns 0 or a
 * negative errno. The file appears complete or not at all. */
int result_csv_write(json_t *result, const char *path);
/* Likewise with a line per set and workload: mean, standard deviation, least and greatest value
 * over the runs of the set. */
int result_csv_write_sets(json_t *result, const char *path);

/* Writes one cell. A value that is missing or null is an empty cell; lists and mappings are
 * JSON. */
void result_csv_cell(FILE *, const json_t *value);
