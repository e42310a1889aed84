/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, draws and neighbours of points. */
#include "study/search_space.h"

#include <assert.h>
#include <string.h>

enum {
    CHANGED_OF = 3, /* a draw changes one of so many axes */
    TWICE_OF = 3,   /* a neighbour differs in two choices one time of so many */
};

#define SIZE_MOST (UINT64_MAX / 2)

bool search_space_same(const struct search_point *first, const struct search_point *second)
{
    return first->topology == second->topology &&
           memcmp(first->values, second->values, sizeof(first->values)) == 0;
}

bool search_space_is_tuned(const struct search_point *point)
{
    for (uint32_t i = 0; i < SEARCH_AXES_MAX; i++)
        if (point->values[i])
            return true;
    return false;
}

bool search_space_has(enum search_part part, const struct search_point *point)
{
    if (part == SEARCH_TOPOLOGY)
        return !search_space_is_tuned(point);
    return part == SEARCH_JOINT || point->topology == 0;
}

/* ---- choices --------------------------------------------------------------------------------- */

/* Choice 0 is the topology, the others are the axes. Returns the number of its values. */
static uint32_t choice_count(
    const struct search_space *space, enum search_part part, uint32_t choice)
{
    if (choice == 0)
        return part == SEARCH_PARAMETERS ? 1 : space->topology_count;
    return part == SEARCH_TOPOLOGY ? 1 : space->axes[choice - 1].value_count;
}

static uint32_t choice_get(const struct search_point *point, uint32_t choice)
{
    return choice == 0 ? point->topology : point->values[choice - 1];
}

static void choice_set(struct search_point *point, uint32_t choice, uint32_t value)
{
    if (choice == 0)
        point->topology = value;
    else
        point->values[choice - 1] = (uint8_t)value;
}

uint64_t search_space_size(const struct search_space *space, enum search_part part)
{
    uint64_t size = 1;

    for (uint32_t choice = 0; choice <= space->axis_count; choice++) {
        uint32_t count = choice_count(space, part, choice);

        assert(count > 0);
        size = size > SIZE_MOST / count ? SIZE_MOST : size * count;
    }
    return size;
}

struct search_point search_space_at(
    const struct search_space *space, enum search_part part, uint64_t number)
{
    struct search_point point = { 0 };

    for (uint32_t choice = 0; choice <= space->axis_count; choice++) {
        uint32_t count = choice_count(space, part, choice);

        choice_set(&point, choice, (uint32_t)(number % count));
        number /= count;
    }
    return point;
}

/* ---- chance ---------------------------------------------------------------------------------- */

struct search_point search_space_draw(
    const struct search_space *space, enum search_part part, struct prng *prng)
{
    struct search_point point = { 0 };

    for (uint32_t choice = 0; choice <= space->axis_count; choice++) {
        uint32_t value = prng_below(prng, choice_count(space, part, choice));

        if (choice == 0 || prng_below(prng, CHANGED_OF) == 0)
            choice_set(&point, choice, value);
    }
    return point;
}

/* Takes another value of a choice that has one. */
static void change_one(const struct search_space *space, enum search_part part,
    struct search_point *point, struct prng *prng)
{
    uint32_t free_choices[SEARCH_AXES_MAX + 1];
    uint32_t count = 0;
    uint32_t choice;
    uint32_t step;

    for (uint32_t i = 0; i <= space->axis_count; i++)
        if (choice_count(space, part, i) > 1)
            free_choices[count++] = i;
    if (count == 0)
        return;
    choice = free_choices[prng_below(prng, count)];
    count = choice_count(space, part, choice);
    step = 1 + prng_below(prng, count - 1);
    choice_set(point, choice, (choice_get(point, choice) + step) % count);
}

struct search_point search_space_near(const struct search_space *space, enum search_part part,
    const struct search_point *point, struct prng *prng)
{
    struct search_point near = *point;

    change_one(space, part, &near, prng);
    if (prng_below(prng, TWICE_OF) == 0)
        change_one(space, part, &near, prng);
    return near;
}
