/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks meet besides the fabric: stream sockets in a star around one rank. It carries
 * addresses, agreements and bad news, never the data that is measured. */
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
    int fds[PERF_RANKS_MAX]; /* by rank; all but the hub's own have one fd, that of the hub */
    uint32_t hub;
    char problem[PERF_TEXT_BYTES]; /* what has gone wrong, here or elsewhere */
};

/* Hands `mine` of every rank to every rank, in order of rank, and so is a barrier. 0, or -1 with a
 * problem. */
int perf_meet_gather(struct perf_meet *, const void *mine, size_t bytes, void *all);

/* Takes the problem of this rank down unless there is one; returns -1. */
__attribute__((format(printf, 2, 3))) int perf_meet_fail(
    struct perf_meet *, const char *format, ...);
/* The same without the rank, for a problem that concerns this process alone. */
__attribute__((format(printf, 2, 3))) int perf_meet_fail_here(
    struct perf_meet *, const char *format, ...);
/* Looks whether another rank has failed or is gone: 0, or -1 with a problem. Does not wait. */
int perf_meet_look(struct perf_meet *);
/* Tells the others that this rank goes on no longer. */
void perf_meet_tell(struct perf_meet *);
void perf_meet_close(struct perf_meet *);
