/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of an experiment by sets of values: mean and spread of each set over its seeds. */
#pragma once

#include <stdio.h>

#include <jansson.h>

/* Prints a table with a line per set and workload, and how many runs meet each criterion. */
void result_sets_print(FILE *, const json_t *result);
