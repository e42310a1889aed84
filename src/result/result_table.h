/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a result as a table on a terminal, from its JSON. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

/* Prints the only run. Of several runs, prints mean and spread of each set of values and, if
 * `are_all`, each run before that. */
void result_table_print(FILE *, const json_t *result, bool are_all);
