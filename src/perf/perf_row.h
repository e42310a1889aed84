/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a table of mrc perf, and its header. */
#pragma once

#include <jansson.h>

#include "perf/perf_report.h"

void perf_row_print_header(const struct perf_run *, bool in_gbits);
void perf_row_print(const struct perf_run *, struct perf_row *, bool in_gbits);
json_t *perf_row_json(const struct perf_run *, struct perf_row *);

/* Returns whether several ranks send to one. */
bool perf_row_has_fairness(const struct perf_run *);
/* Returns Jain's index of their rates, 1 if there is none. */
double perf_row_fairness(const struct perf_run *, const struct perf_row *);
double perf_row_bus_bytes_per_s(const struct perf_run *, const struct perf_row *);
