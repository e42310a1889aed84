/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of mrc perf. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmd/cmd.h"
#include "perf/perf.h"

struct perf_options {
    struct perf_wish wish;
    bool wants_help;
};

/* arguments[0] is "perf"; the test comes first. */
enum cmd_status perf_options_read(struct perf_options *, int argument_count, char **arguments);
void perf_options_print_help(void);

/* perf_options_check.c: what holds unless told, and what goes together. */
struct perf_test;
void perf_options_default(struct perf_options *, const struct perf_test *);
enum cmd_status perf_options_check(struct perf_options *, const struct perf_test *);
