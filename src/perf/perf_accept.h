/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts ranks of mrc perf that connect by TCP. */
#pragma once

#include "perf/perf_meet.h"

/* Sent by a rank that connects. */
struct perf_hello {
    uint32_t magic;
    uint32_t rank;
    uint32_t rank_count;
    uint32_t settings_bytes; /* serves as a version number */
};

struct perf_hello perf_accept_hello(const struct perf_meet *);

/* Waits until all ranks have sent their hello. A client that sends nothing, or something else, does
 * not delay them. */
/* Returns 0, or -1 with a problem in `meet`. */
int perf_accept_all(struct perf_meet *, int listener);

/* Records the interrupt as the problem. Returns -1. */
int perf_accept_interrupted(struct perf_meet *);

/* Sets the options of a connection between ranks. */
void perf_accept_set_up(int fd);
