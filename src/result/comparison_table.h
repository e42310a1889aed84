/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of a comparison that are not about one case. */
#pragma once

#include <stdio.h>

#include <jansson.h>

/* Returns the width of the column with the names of contenders. */
int comparison_table_names(const json_t *entries);

/* Recovery by kind of failure, if there were any. */
void comparison_table_recovery(FILE *, const json_t *comparison);
/* The settings that were found, if there was a search. */
void comparison_table_search(FILE *, const json_t *comparison);
/* What NICs and switches keep. */
void comparison_table_states(FILE *, const json_t *comparison);
/* The fabric of each contender, and what it costs. */
void comparison_table_costs(FILE *, const json_t *comparison);
