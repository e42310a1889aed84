/* SPDX-License-Identifier: Apache-2.0 */
/* What chance explains. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns half the width of the confidence interval of the mean of `count` values, with 95 or 99
 * percent, by Student's t; INFINITY for a single one. */
double search_chance_half_width(const double *values, uint32_t count, int percent);
/* Returns whether the first is better by more than a step and by more than chance explains (99
 * percent): the differences of the same seeds are compared. */
bool search_chance_is_better(
    const double *costs, const double *others, uint32_t count, double step);
