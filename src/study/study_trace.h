/* SPDX-License-Identifier: Apache-2.0 */
/* What transports trace, as JSON lines in the order of time. Events of one call of sim_run() come
 * in no particular order, so they wait here until it is over. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/trace.h"

struct study_traced; /* an event that waits */

struct study_trace {
    FILE *file; /* NULL: no traces */
    struct study_traced *waiting;
    size_t count;
    size_t room;
    int error; /* negative errno of the first write that failed */
};

/* The path may be NULL: then nothing is traced. 0 or a negative errno. */
int study_trace_open(struct study_trace *, const char *path);
void study_trace_event(struct study_trace *, uint32_t nic, const struct trace_event *);
/* Writes what waits. */
void study_trace_flush(struct study_trace *);
/* The same; 0 or the first error. */
int study_trace_close(struct study_trace *);
