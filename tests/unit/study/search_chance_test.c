/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals, and what is better by more than chance explains. */
#include "study/search_chance.h"

#include <math.h>

#include "spec.h"

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) < 1e-3;
}

SPEC("an interval has the width of Student's t")
{
    static const double values[] = { 1, 2, 3, 4 }; /* deviation 1.29099, t 3.182 and 5.841 */

    EXPECT(is_near(search_chance_half_width(values, 4, 95), 2.0539));
    EXPECT(is_near(search_chance_half_width(values, 4, 99), 3.7703));
    EXPECT(isinf(search_chance_half_width(values, 1, 95)));
}

SPEC("equal values have an interval without width")
{
    static const double values[] = { 7, 7, 7 };

    EXPECT(search_chance_half_width(values, 3, 95) == 0);
}

SPEC("differences of the same seeds decide, not those between seeds")
{
    static const double costs[] = { 10, 20, 30, 40 };
    static const double others[] = { 12.1, 21.9, 32.0, 42.1 };

    EXPECT(search_chance_is_better(costs, others, 4, 1));
    EXPECT(!search_chance_is_better(others, costs, 4, 1));
}

SPEC("a gain below the step, or one that chance explains, is none")
{
    static const double costs[] = { 10, 20, 30 };
    static const double a_little_more[] = { 10.5, 20.5, 30.5 };
    static const double scattered[] = { 10, 28, 31 };

    EXPECT(!search_chance_is_better(costs, a_little_more, 3, 1));
    EXPECT(!search_chance_is_better(costs, scattered, 3, 1));
}

SPEC("a figure is better than one that is missing, and two that are missing are alike")
{
    static const double costs[] = { 10, 20 };
    static const double missing[] = { INFINITY, 20 };

    EXPECT(search_chance_is_better(costs, missing, 2, 1));
    EXPECT(!search_chance_is_better(missing, costs, 2, 1));
    EXPECT(!search_chance_is_better(missing, missing, 2, 1));
}
