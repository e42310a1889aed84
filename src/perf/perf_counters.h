/* SPDX-License-Identifier: Apache-2.0 */
/* What the NICs of all ranks counted during a test, for --counters. */
#pragma once

#include <jansson.h>

#include "perf/perf_end.h"

/* In the order of the settings; of one rank. */
struct perf_counters {
    uint64_t values[PERF_COUNTERS_MAX];
};

/* The NIC of this rank has all counters that are wanted: 0, or -1 with a problem. */
int perf_counters_check(struct perf_end *);
/* Of every rank, once no packet is under way any more. 0, or -1 with a problem. */
int perf_counters_gather(struct perf_end *, struct perf_counters all[static PERF_RANKS_MAX]);

void perf_counters_print(const struct perf_end *, const struct perf_counters *all);
/* An object for each rank. */
json_t *perf_counters_json(const struct perf_end *, const struct perf_counters *all);
