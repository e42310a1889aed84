/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and spread of a figure over several runs. */
#pragma once

#include <stdint.h>

#include <jansson.h>

struct result_spread {
    uint32_t count; /* runs that have the figure; 0: the other members are 0 */
    double mean;
    double squares; /* sum of squared differences from the mean, by Welford's method */
    double least;
    double most;
};

void result_spread_add(struct result_spread *, double value);
/* Returns the spread of member `key` of a workload, or of its member `object` unless that is
 * NULL. */
struct result_spread result_spread_of(
    const json_t *runs, const char *workload, const char *object, const char *key);
/* Returns the standard deviation; 0 for a single run. */
double result_spread_deviation(const struct result_spread *);
