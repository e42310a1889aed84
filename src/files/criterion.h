/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison of two expressions over the names of a summary:
 *
 *     goodput_fraction >= 0.95
 *     workloads.cross.completion_us.p50 - workloads.local.completion_us.p50 < 2.5
 *
 * Expressions consist of numbers, names, + - * / and parentheses, with one of >= <= > < == !=
 * between the sides. A minus sign has blanks around it, because names may contain one. */
#pragma once

#include <stdbool.h>

#define CRITERION_PROBLEM_BYTES 160
#define CRITERION_NAME_BYTES    160

/* Returns the value of a name. False: it has none. */
typedef bool criterion_lookup(void *context, const char *name, double *value);

enum criterion_result {
    CRITERION_HOLDS,
    CRITERION_FAILS,
    CRITERION_UNKNOWN,   /* a name without a value: see `problem` */
    CRITERION_MALFORMED, /* a syntax error: see `problem` */
};

struct criterion_outcome {
    enum criterion_result result;
    double value; /* of the left side */
    char problem[CRITERION_PROBLEM_BYTES];
};

void criterion_evaluate(
    const char *text, criterion_lookup *, void *context, struct criterion_outcome *);
