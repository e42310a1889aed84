/* SPDX-License-Identifier: Apache-2.0 */
/* Runs by sets of values: mean and spread of each set over its seeds. */
#pragma once

#include <stdio.h>

#include <jansson.h>

#define RESULT_SETS_LABEL_BYTES 256

/* Returns a list of sets, in the order of the runs; a set is the list of its runs. The caller
 * releases it. */
json_t *result_sets_of(const json_t *runs);
/* Writes the label of the run without its seed: that of the set. */
void result_sets_label(const json_t *run, char out[static RESULT_SETS_LABEL_BYTES]);

/* Prints a table with a line per set and workload, and how many runs meet each criterion. */
void result_sets_print(FILE *, const json_t *result);
