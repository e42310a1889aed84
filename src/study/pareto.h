/* SPDX-License-Identifier: Apache-2.0 */
/* Points that are the best when several objectives count. All objectives are costs: less is better.
 *
 * Values are rounded to whole steps before they are compared, so that differences that do not count
 * do not put a point on the front. Dominance of rounded values has no cycles. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { PARETO_OBJECTIVES_MAX = 8 };

struct pareto_scale {
    uint32_t objective_count;
    double steps[PARETO_OBJECTIVES_MAX]; /* more than 0 */
};

struct pareto_value {
    double at[PARETO_OBJECTIVES_MAX]; /* INFINITY: worse than all numbers */
};

enum pareto_order {
    PARETO_EQUAL,
    PARETO_BETTER,    /* the first dominates the second */
    PARETO_WORSE,     /* the second dominates the first */
    PARETO_DIFFERENT, /* each is better in one objective */
    PARETO_ORDER_COUNT,
};

enum pareto_order pareto_compare(
    const struct pareto_scale *, const struct pareto_value *, const struct pareto_value *);

/* Says of each value whether it is on the front: no other dominates it, and none before it is
 * equal. Returns how many are. */
uint32_t pareto_front(
    const struct pareto_scale *, const struct pareto_value *, uint32_t count, bool *is_front);

/* Takes values off the front that only rounding put there: they gain less than a step in every
 * objective over one that remains. Returns how many remain, at least one. */
uint32_t pareto_thin(
    const struct pareto_scale *, const struct pareto_value *, uint32_t count, bool *is_front);
