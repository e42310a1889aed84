/* SPDX-License-Identifier: Apache-2.0 */
/* The connections of ranks outside the fabric: stream sockets in a star around one rank. They carry
 * addresses, agreements and failures, never the measured data. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/perf_settings.h"

#define PERF_TEXT_BYTES 400

struct perf_meet {
    uint32_t rank;
    uint32_t rank_count;
    bool is_hub;
    int fds[PERF_RANKS_MAX]; /* by rank; all ranks but the hub have only the fd of the hub */
    uint32_t hub;
    char problem[PERF_TEXT_BYTES]; /* the problem, of this rank or another */
};

/* Sends `mine` of every rank to every rank, in order of rank; this is also a barrier. Returns 0, or
 * -1 with a problem. */
int perf_meet_gather(struct perf_meet *, const void *mine, size_t bytes, void *all);

/* Records the problem of this rank unless there is one already. Returns -1. */
__attribute__((format(printf, 2, 3))) int perf_meet_fail(
    struct perf_meet *, const char *format, ...);
/* Does the same without the rank, for a problem of this process only. */
__attribute__((format(printf, 2, 3))) int perf_meet_fail_here(
    struct perf_meet *, const char *format, ...);
/* Checks without waiting whether another rank has failed or ended. Returns 0, or -1 with a problem.
 */
int perf_meet_look(struct perf_meet *);
/* Tells the others that this rank has failed. */
void perf_meet_tell(struct perf_meet *);
void perf_meet_close(struct perf_meet *);
