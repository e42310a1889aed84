/* SPDX-License-Identifier: Apache-2.0 */
/* Compares every value with every other: there are some thousands. */
#include "study/pareto.h"

#include <math.h>

static double rounded(
    const struct pareto_scale *scale, const struct pareto_value *value, uint32_t i)
{
    return isfinite(value->at[i]) ? floor(value->at[i] / scale->steps[i] + 0.5) : value->at[i];
}

enum pareto_order pareto_compare(const struct pareto_scale *scale, const struct pareto_value *first,
    const struct pareto_value *second)
{
    bool is_better = false;
    bool is_worse = false;

    for (uint32_t i = 0; i < scale->objective_count; i++) {
        double mine = rounded(scale, first, i);
        double its = rounded(scale, second, i);

        is_better = is_better || mine < its;
        is_worse = is_worse || mine > its;
    }
    if (is_better)
        return is_worse ? PARETO_DIFFERENT : PARETO_BETTER;
    return is_worse ? PARETO_WORSE : PARETO_EQUAL;
}

static bool is_best(const struct pareto_scale *scale, const struct pareto_value *values,
    uint32_t count, uint32_t index)
{
    for (uint32_t i = 0; i < count; i++) {
        enum pareto_order order;

        if (i == index)
            continue;
        order = pareto_compare(scale, &values[i], &values[index]);
        if (order == PARETO_BETTER || (order == PARETO_EQUAL && i < index))
            return false;
    }
    return true;
}

uint32_t pareto_front(const struct pareto_scale *scale, const struct pareto_value *values,
    uint32_t count, bool *is_front)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++) {
        is_front[i] = is_best(scale, values, count, i);
        found += is_front[i];
    }
    return found;
}

/* Returns whether the second gains a step in no objective. If the first does not either, the one
 * with the lower index counts. */
static bool is_enough(const struct pareto_scale *scale, const struct pareto_value *values,
    uint32_t first, uint32_t second)
{
    bool is_better = first < second;

    for (uint32_t i = 0; i < scale->objective_count; i++) {
        double gain = values[first].at[i] - values[second].at[i];

        if (gain >= scale->steps[i])
            return false;
        is_better = is_better || -gain >= scale->steps[i];
    }
    return is_better;
}

static bool is_covered(const struct pareto_scale *scale, const struct pareto_value *values,
    uint32_t count, const bool *is_front, uint32_t index)
{
    for (uint32_t i = 0; i < count; i++)
        if (i != index && is_front[i] && is_enough(scale, values, i, index))
            return true;
    return false;
}

uint32_t pareto_thin(const struct pareto_scale *scale, const struct pareto_value *values,
    uint32_t count, bool *is_front)
{
    uint32_t remaining = 0;

    for (uint32_t i = count; i-- > 0;) {
        is_front[i] = is_front[i] && !is_covered(scale, values, count, is_front, i);
        remaining += is_front[i];
    }
    return remaining;
}
