/* SPDX-License-Identifier: Apache-2.0 */
/* Brings the ranks of mrc perf together: forked here, or by TCP. */
#pragma once

#include <sys/types.h>

#include "perf/perf_meet.h"

struct perf_start {
    pid_t children[PERF_RANKS_MAX];
    uint32_t child_count;
    bool is_child; /* the parent speaks for it */
};

/* On success this process is rank meet->rank. With --local it forks: all ranks return from it. */
/* 0, or -1 with a problem in `meet`. */
int perf_start(struct perf_start *, const struct perf_wish *, struct perf_meet *);
/* After the meeting is closed: waits for the children; those that hang are killed. */
void perf_start_wait(struct perf_start *);
