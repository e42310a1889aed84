/* SPDX-License-Identifier: Apache-2.0 */
/* A distribution of durations as JSON: mrc-result(5). */
#pragma once

#include <jansson.h>

#include "measure/measure.h"

/* Returns count, min, p50, p99, p999 and max in microseconds; null instead of a figure if there is
 * no duration. Sorts the durations. */
json_t *result_distribution(struct measure_numbers *durations_ps);
