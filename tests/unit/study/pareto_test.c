/* SPDX-License-Identifier: Apache-2.0 */
/* Dominance and fronts. */
#include "study/pareto.h"

#include <math.h>

#include "base/prng.h"
#include "spec.h"

static const struct pareto_scale scale = { .objective_count = 2, .steps = { 1, 10 } };

static struct pareto_value value(double first, double second)
{
    return (struct pareto_value){ .at = { first, second } };
}

static enum pareto_order compare(struct pareto_value first, struct pareto_value second)
{
    return pareto_compare(&scale, &first, &second);
}

SPEC("a value dominates one that is worse in an objective and better in none")
{
    EXPECT_EQ(compare(value(1, 10), value(2, 10)), PARETO_BETTER);
    EXPECT_EQ(compare(value(1, 10), value(2, 20)), PARETO_BETTER);
    EXPECT_EQ(compare(value(2, 20), value(2, 10)), PARETO_WORSE);
    EXPECT_EQ(compare(value(1, 20), value(2, 10)), PARETO_DIFFERENT);
}

SPEC("differences that are less than a step do not count")
{
    EXPECT_EQ(compare(value(1.1, 11), value(0.9, 8)), PARETO_EQUAL);
    EXPECT_EQ(compare(value(1.1, 11), value(0.9, 28)), PARETO_BETTER);
}

SPEC("a value that is missing is worse than any number")
{
    EXPECT_EQ(compare(value(1e9, 10), value(INFINITY, 10)), PARETO_BETTER);
    EXPECT_EQ(compare(value(INFINITY, 10), value(INFINITY, 10)), PARETO_EQUAL);
    EXPECT_EQ(compare(value(INFINITY, 10), value(1, 20)), PARETO_DIFFERENT);
}

SPEC("the front has what nothing dominates, and of equal values the first")
{
    const struct pareto_value values[] = { value(3, 10), value(1, 30), value(3, 10.4), value(2, 30),
        value(2, 20) };
    bool is_front[5];

    EXPECT_EQ(pareto_front(&scale, values, 5, is_front), 3);
    EXPECT(is_front[0] && is_front[1] && is_front[4]);
    EXPECT(!is_front[2] && !is_front[3]);
}

SPEC("thinning takes off what only rounding put on the front")
{
    /* The second is a little better in one objective, but in the next step. */
    const struct pareto_value values[] = { value(1.6, 10), value(1.4, 25), value(0, 100) };
    bool is_front[3];

    EXPECT_EQ(pareto_front(&scale, values, 3, is_front), 3);
    EXPECT_EQ(pareto_thin(&scale, values, 3, is_front), 2);
    EXPECT(is_front[0] && !is_front[1] && is_front[2]);
}

SPEC("of two values that differ by less than a step, thinning keeps the first")
{
    const struct pareto_value values[] = { value(1.6, 16), value(1.4, 14) };
    bool is_front[2] = { true, true };

    EXPECT_EQ(pareto_thin(&scale, values, 2, is_front), 1);
    EXPECT(is_front[0]);
}

PROPERTY("thinning never empties a front", 200)
{
    const struct pareto_scale four = { .objective_count = 4, .steps = { 3, 3, 3, 3 } };
    struct prng prng = prng_stream(seed, 0);
    struct pareto_value values[20] = { 0 };
    bool is_front[20];

    for (int i = 0; i < 20; i++)
        for (int k = 0; k < 4; k++)
            values[i].at[k] = prng_below(&prng, 1000) / 50.0;
    pareto_front(&four, values, 20, is_front);
    EXPECT(pareto_thin(&four, values, 20, is_front) > 0);
}

enum { VALUES = 40, OBJECTIVES = 4 };

static void draw_values(uint64_t seed, struct pareto_value values[static VALUES])
{
    struct prng prng = prng_stream(seed, 0);

    for (int i = 0; i < VALUES; i++)
        for (int k = 0; k < OBJECTIVES; k++)
            values[i].at[k] = prng_below(&prng, 10) - 5.0;
}

PROPERTY("every value is on the front, or a value of the front dominates or equals it", 200)
{
    const struct pareto_scale four = { .objective_count = OBJECTIVES, .steps = { 1, 1, 2, 3 } };
    struct pareto_value values[VALUES] = { 0 };
    bool is_front[VALUES];

    draw_values(seed, values);
    pareto_front(&four, values, VALUES, is_front);
    for (int i = 0; i < VALUES; i++) {
        bool is_covered = is_front[i];

        for (int k = 0; k < VALUES; k++) {
            enum pareto_order order = pareto_compare(&four, &values[k], &values[i]);

            EXPECT(!(is_front[i] && is_front[k] && i != k) || order == PARETO_DIFFERENT);
            is_covered =
                is_covered || (is_front[k] && (order == PARETO_BETTER || order == PARETO_EQUAL));
        }
        EXPECT(is_covered);
    }
}
