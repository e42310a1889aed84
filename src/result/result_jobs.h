/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs in the result, and in the table. */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "measure/measure.h"

/* Returns the figures of all jobs, by name. */
json_t *result_jobs(const struct measure_record *);

/* Prints a line for each job; nothing if there are none (NULL). */
void result_jobs_print(FILE *, const json_t *jobs);
