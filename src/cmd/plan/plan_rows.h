/* SPDX-License-Identifier: Apache-2.0 */
/* Prints figures: as a table, with formulas if wanted, or as JSON. */
#pragma once

#include <jansson.h>

#include "study/study.h"

enum { PLAN_NUMBER_BYTES = 48, PLAN_RANGE_BYTES = 2 * PLAN_NUMBER_BYTES };

/* Writes a number with commas, and as many decimals as a reader needs. */
void plan_rows_number(double value, char out[static PLAN_NUMBER_BYTES]);
/* Writes "least to most", or one number if both are equal. */
void plan_rows_range(struct price_range, char out[static PLAN_RANGE_BYTES]);

void plan_rows_print(const struct size_report *, bool explains);
/* Prints the document and releases it. */
void plan_rows_dump(json_t *);
