/* SPDX-License-Identifier: Apache-2.0 */
/* Connects the ranks of mrc perf: forked here, or by TCP. */
#pragma once

#include <sys/types.h>

#include "perf/perf_meet.h"

struct perf_start {
    pid_t children[PERF_RANKS_MAX];
    uint32_t child_count;
    bool is_child; /* the parent reports for it */
};

/* On success this process is rank meet->rank. With --local it forks, and all ranks return. */
/* Returns 0, or -1 with a problem in `meet`. */
int perf_start(struct perf_start *, const struct perf_wish *, struct perf_meet *);
/* Called after the meeting is closed: waits for the children, and kills those that hang. */
void perf_start_wait(struct perf_start *);
