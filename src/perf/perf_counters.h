/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of the NICs of all ranks during a test, for --counters. */
#pragma once

#include <jansson.h>

#include "perf/perf_end.h"

/* The values of one rank, in the order of the settings. */
struct perf_counters {
    uint64_t values[PERF_COUNTERS_MAX];
};

/* Checks that the NIC of this rank has all requested counters. Returns 0, or -1 with a problem. */
int perf_counters_check(struct perf_end *);
/* Reads the counters of every rank when no packet is in flight any more. Returns 0, or -1 with a
 * problem. */
int perf_counters_gather(struct perf_end *, struct perf_counters all[static PERF_RANKS_MAX]);

void perf_counters_print(const struct perf_end *, const struct perf_counters *all);
/* Returns an object for each rank. */
json_t *perf_counters_json(const struct perf_end *, const struct perf_counters *all);
