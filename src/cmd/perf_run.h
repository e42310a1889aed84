/* SPDX-License-Identifier: Apache-2.0 */
/* A test from its first size to its last, at one rank. */
#pragma once

#include "cmd/perf_meet.h"
#include "cmd/perf_options.h"

/* Yields CMD_FAILED also when data was wrong; a problem is in `meet`. */
enum cmd_status perf_run(const struct perf_options *, struct perf_meet *);
