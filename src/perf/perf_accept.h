/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of mrc perf that connect by TCP. */
#pragma once

#include "perf/perf_meet.h"

/* Said by a rank that connects. */
struct perf_hello {
    uint32_t magic;
    uint32_t rank;
    uint32_t rank_count;
    uint32_t settings_bytes; /* a cheap version number */
};

struct perf_hello perf_accept_hello(const struct perf_meet *);

/* Until all ranks have said their hello. A client that says nothing, or something else, holds up
 * none of them. */
/* 0, or -1 with a problem in `meet`. */
int perf_accept_all(struct perf_meet *, int listener);

/* Takes that down as the problem; returns -1. */
int perf_accept_interrupted(struct perf_meet *);

/* What every connection between ranks needs. */
void perf_accept_set_up(int fd);
