/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a test from its first size to its last, at one rank. */
#pragma once

#include "perf/perf_meet.h"
#include "perf/perf_settings.h"

/* Returns 0, or -1 if a problem is in `meet`, data was wrong, or the test was interrupted. */
int perf_run(const struct perf_wish *, struct perf_meet *);
