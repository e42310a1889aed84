/* SPDX-License-Identifier: Apache-2.0 */
/* The output of mrc perf: tables in the format of perftest and nccl-tests, JSON, progress. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "perf/perf_counters.h"
#include "perf/perf_test.h"

/* The results for one size. */
struct perf_row {
    uint64_t size_bytes;
    uint64_t iterations;
    uint64_t time_ns;  /* of the slowest rank, for all batches together */
    uint64_t bytes;    /* sent by all ranks */
    uint64_t peak_bps; /* of the fastest batch */
    uint64_t wrong;    /* bytes, or elements of a collective */
    uint64_t *samples_ns;
    uint64_t sample_count;
    uint64_t rank_bytes[PERF_RANKS_MAX]; /* sent by each rank */
    uint64_t rank_ns[PERF_RANKS_MAX];    /* the time that it took */
};

struct perf_report {
    const struct perf_wish *wish;
    const struct perf_run *run;
    bool is_on; /* this process prints */
    bool is_progress_shown;
    json_t *rows;
    json_t *intervals; /* of the current row */
    double bus_sum;
    uint32_t row_count;
    double fairness_min; /* over all rows */
    uint64_t wrong;
    struct perf_counters counters[PERF_RANKS_MAX];
    bool has_counters;
    uint64_t interval_began_ns;
    uint64_t interval_bytes;
    uint64_t row_began_ns;
    uint64_t progress_ns;
};

void perf_report_begin(struct perf_report *, const struct perf_wish *, const struct perf_run *);
void perf_report_row_begins(struct perf_report *);
/* Called after each batch: `bytes` more were sent, and `done_permille` of the row is done. */
void perf_report_batch(struct perf_report *, uint64_t bytes, uint64_t done_permille);
void perf_report_row(struct perf_report *, struct perf_row *);
/* Reads the counters of the NICs after all sizes, if requested. A problem is in `meet`. */
void perf_report_counters(struct perf_report *);
/* `problem` is NULL after a success. Returns 0, or -1 if there was a problem or data was wrong. */
int perf_report_end(struct perf_report *, const char *problem, bool was_interrupted);
