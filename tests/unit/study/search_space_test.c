/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a search: numbers, draws and neighbours. */
#include "study/search_space.h"

#include "spec.h"

static const struct search_space space = {
    .topology_count = 3,
    .axis_count = 2,
    .axes = { { .key = "a", .value_count = 4 }, { .key = "b", .value_count = 2 } },
};

static uint32_t differences(const struct search_point *first, const struct search_point *second)
{
    uint32_t count = first->topology != second->topology;

    for (uint32_t i = 0; i < space.axis_count; i++)
        count += first->values[i] != second->values[i];
    return count;
}

SPEC("a part has the product of the numbers of its values")
{
    EXPECT_EQ(search_space_size(&space, SEARCH_TOPOLOGY), 3);
    EXPECT_EQ(search_space_size(&space, SEARCH_PARAMETERS), 8);
    EXPECT_EQ(search_space_size(&space, SEARCH_JOINT), 24);
}

SPEC("a huge space has a size that does not overflow")
{
    struct search_space huge = { .topology_count = 128, .axis_count = SEARCH_AXES_MAX };

    for (uint32_t i = 0; i < SEARCH_AXES_MAX; i++)
        huge.axes[i].value_count = SEARCH_VALUES_MAX;
    EXPECT_EQ(search_space_size(&huge, SEARCH_JOINT), UINT64_MAX / 2);
}

SPEC("numbers name all points of a part, each once, and 0 is the usual one")
{
    for (int part = 0; part < SEARCH_PART_COUNT; part++)
        for (uint64_t i = 0; i < search_space_size(&space, (enum search_part)part); i++) {
            struct search_point point = search_space_at(&space, (enum search_part)part, i);

            EXPECT(search_space_has((enum search_part)part, &point));
            EXPECT_EQ(i == 0, point.topology == 0 && !search_space_is_tuned(&point));
            for (uint64_t k = 0; k < i; k++) {
                struct search_point other = search_space_at(&space, (enum search_part)part, k);

                EXPECT(!search_space_same(&point, &other));
            }
        }
}

PROPERTY("draws and neighbours stay in their part, and the same seed gives the same", 200)
{
    for (int i = 0; i < SEARCH_PART_COUNT; i++) {
        enum search_part part = (enum search_part)i;
        struct prng prng = prng_stream(seed, 0);
        struct prng again = prng_stream(seed, 0);
        struct search_point point = search_space_draw(&space, part, &prng);
        struct search_point same = search_space_draw(&space, part, &again);
        struct search_point near = search_space_near(&space, part, &point, &prng);
        struct search_point likewise = search_space_near(&space, part, &same, &again);

        EXPECT(search_space_has(part, &point) && search_space_has(part, &near));
        EXPECT(search_space_same(&point, &same) && search_space_same(&near, &likewise));
        EXPECT(differences(&point, &near) <= 2);
        EXPECT(near.topology < 3 && near.values[0] < 4 && near.values[1] < 2);
    }
}

SPEC("neighbours reach every point of the space")
{
    struct prng prng = prng_stream(1, 0);
    struct search_point point = { 0 };
    bool is_seen[24] = { false };
    uint32_t seen = 0;

    for (int i = 0; i < 2000; i++) {
        uint32_t number = point.topology + 3U * point.values[0] + 12U * point.values[1];

        seen += !is_seen[number];
        is_seen[number] = true;
        point = search_space_near(&space, SEARCH_JOINT, &point, &prng);
    }
    EXPECT_EQ(seen, 24);
}
