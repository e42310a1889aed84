/* SPDX-License-Identifier: Apache-2.0 */
/* Writes trace events of transports as JSON lines in order of time. The events of one call of
 * sim_run() are not in order, so they are kept until it returns. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/trace.h"

struct study_traced; /* an event that is kept */

struct study_trace {
    FILE *file; /* NULL: no traces */
    struct study_traced *waiting;
    size_t count;
    size_t room;
    int error; /* negative errno of the first write that failed */
};

/* If the path is NULL, nothing is traced. Returns 0 or a negative errno. */
int study_trace_open(struct study_trace *, const char *path);
void study_trace_event(struct study_trace *, uint32_t nic, const struct trace_event *);
/* Writes the events that are kept. */
void study_trace_flush(struct study_trace *);
/* Writes the rest. Returns 0 or the first error. */
int study_trace_close(struct study_trace *);
