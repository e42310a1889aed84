/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of mrc perf. */
#pragma once

#include "cmd/options.h"
#include "perf/perf.h"

extern const struct option_table perf_option_table;

/* Like options_read(). arguments[0] is "perf", arguments[1] the test. */
bool perf_options_read(struct perf_wish *, int argument_count, char **arguments, enum cmd_status *);

/* perf_options_check.c: defaults, and checks of combinations. */
void perf_options_default(struct perf_wish *, const struct perf_test *);
enum cmd_status perf_options_check(struct perf_wish *, const struct perf_test *);
