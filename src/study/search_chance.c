/* SPDX-License-Identifier: Apache-2.0 */
/* Student's t. */
#include "study/search_chance.h"

#include <math.h>
#include <stdlib.h>

#include "result/result.h"

/* Student's t, both sides, from one degree of freedom on. */
static const double t_95[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
    2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086 };
static const double t_99[] = { 63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250,
    3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845 };

enum { DEGREES = sizeof(t_95) / sizeof(t_95[0]) };

/* The last value stands for more degrees, where it is a little too large. */
static double t_of(uint32_t degrees, int percent)
{
    uint32_t index = (degrees < DEGREES ? degrees : DEGREES) - 1;

    return percent == 99 ? t_99[index] : t_95[index];
}

static double mean_of(const double *values, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

/* Differences from the first value are exactly 0 if all are equal. */
double search_chance_half_width(const double *values, uint32_t count, int percent)
{
    double sum = 0;
    double squares = 0;

    if (count < 2)
        return INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        sum += values[i] - values[0];
        squares += (values[i] - values[0]) * (values[i] - values[0]);
    }
    squares -= sum * sum / count;
    return squares > 0 ? t_of(count - 1, percent) * sqrt(squares / (count - 1) / count) : 0;
}

bool search_chance_is_better(const double *costs, const double *others, uint32_t count, double step)
{
    double *gains = grow_take(count, sizeof(*gains));
    bool are_finite = true;
    bool is_better;
    double gain;

    for (uint32_t i = 0; i < count; i++) {
        gains[i] = others[i] - costs[i];
        are_finite = are_finite && isfinite(gains[i]);
    }
    gain = mean_of(gains, count);
    is_better = are_finite ? gain > step && gain > search_chance_half_width(gains, count, 99)
                           : isfinite(mean_of(costs, count));
    free(gains);
    return is_better;
}
