/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a result as a table on a terminal, from its JSON. */
#pragma once

#include <stdio.h>

#include <jansson.h>

void result_table_print(FILE *, const json_t *result);
