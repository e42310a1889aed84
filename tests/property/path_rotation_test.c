/* SPDX-License-Identifier: Apache-2.0 */
/* Fairness of the choice of path: planes equal, every EV once per rotation, orders at random. */
#include "paths.h"
#include "spec.h"

static void shape_at_random(struct paths *paths, uint64_t seed, uint32_t backup)
{
    struct prng prng = prng_stream(seed, 9);
    uint32_t planes = 1 + prng_below(&prng, PATH_PLANE_COUNT_MAX);

    paths_shape(paths, planes, 1 + prng_below(&prng, 1 + 320 / planes), backup);
}

PROPERTY("undisturbed, planes take strict turns and every active EV is used once per rotation", 200)
{
    struct paths paths;
    uint32_t planes;
    uint32_t used[PATH_EV_COUNT_MAX] = { 0 };

    shape_at_random(&paths, seed, (uint32_t)(seed % 3));
    planes = paths.profile.plane_count;
    paths_open(&paths, seed);
    for (uint32_t rotation = 1; rotation <= 5; rotation++) {
        for (uint32_t i = 0; i < planes * paths.profile.active_per_plane; i++) {
            uint32_t ev_index = path_pick(paths.set, ALL_PLANES, 0);

            EXPECT_EQ(path_plane_of(paths.set, ev_index), i % planes);
            EXPECT_EQ(++used[ev_index], rotation);
        }
        path_check(paths.set);
    }
}

PROPERTY("marks, losses and recoveries anywhere: packets per plane differ by one at most", 200)
{
    struct paths paths;
    struct prng prng = prng_stream(seed, 1);
    uint32_t planes;
    uint32_t per_plane[PATH_PLANE_COUNT_MAX] = { 0 };
    uint64_t now_ns = 0;

    shape_at_random(&paths, seed, 2);
    planes = paths.profile.plane_count;
    paths.profile.min_active = paths.profile.entry_count; /* every plane keeps all its EVs */
    paths_open(&paths, seed);
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t ev_index = prng_below(&prng, paths.profile.entry_count);

        now_ns += 80;
        per_plane[path_plane_of(paths.set, path_pick(paths.set, ALL_PLANES, now_ns))]++;
        if (prng_below(&prng, 2))
            path_on_mark(paths.set, ev_index, PATH_MARKED_SKIP_ONCE, now_ns);
        if (prng_below(&prng, 10) == 0)
            path_pick_other(paths.set, ALL_PLANES, PATH_NONE, ev_index, now_ns);
        if (prng_below(&prng, 10) == 0)
            path_on_mark(paths.set, ev_index, PATH_MARKED_ALWAYS_SKIP, now_ns);
        for (uint32_t plane = 0; plane < planes; plane++) {
            EXPECT_LE(per_plane[plane], per_plane[0]);
            EXPECT_LE(per_plane[0], per_plane[plane] + 1);
        }
    }
}

PROPERTY("an EV that stays GOOD is never passed over and never used twice in a rotation", 200)
{
    struct prng prng = prng_stream(seed, 1);
    struct paths paths;
    uint32_t used[16] = { 0 };

    /* Of 16 EVs the upper 8 come and go; an EV below is met in every rotation of the plane. */
    paths_shape(&paths, 1, 12, 4);
    paths_open(&paths, seed);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t other = 8 + prng_below(&prng, 8);
        uint32_t fewest = UINT32_MAX;
        uint32_t most = 0;

        used[path_pick(paths.set, 1, i * 100)]++;
        switch (prng_below(&prng, 6)) {
        case 0:
            path_deny(paths.set, other, i * 100);
            break;
        case 1:
            path_allow(paths.set, other, i * 100);
            break;
        case 2:
            path_on_mark(paths.set, other, PATH_TRIMMED, i * 100);
            break;
        }
        path_check(paths.set);
        for (uint32_t ev_index = 0; ev_index < 8; ev_index++) {
            fewest = used[ev_index] < fewest ? used[ev_index] : fewest;
            most = used[ev_index] > most ? used[ev_index] : most;
        }
        EXPECT_LE(most, fewest + 1);
    }
}

SPEC("every order of a rotation is equally likely, also right after another")
{
    uint32_t orders[24][24] = { 0 }; /* of one rotation and of the next, over 4 EVs */
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    for (uint32_t i = 0, before = 0; i < 60000; i++) {
        uint32_t e[4];
        uint32_t order;

        for (uint32_t j = 0; j < 4; j++)
            e[j] = path_pick(paths.set, 1, 0);
        order = e[0] * 6 + (e[1] - (e[1] > e[0])) * 2 + (e[2] > e[3]);
        orders[before][order]++;
        before = order;
    }
    for (uint32_t i = 0; i < 24; i++)
        for (uint32_t j = 0; j < 24; j++) {
            EXPECT_GT(orders[i][j], 50); /* 104 expected, deviation 10 */
            EXPECT_LT(orders[i][j], 160);
        }
}

SPEC("QPs that share a profile do not use the same order of EVs")
{
    struct paths first;
    struct paths second;
    uint32_t same_count = 0;

    paths_shape(&first, 4, 16, 0);
    paths_shape(&second, 4, 16, 0);
    paths_open(&first, 1);
    paths_open(&second, 2);
    for (uint32_t i = 0; i < 6400; i++)
        same_count += path_pick(first.set, ALL_PLANES, 0) == path_pick(second.set, ALL_PLANES, 0);
    EXPECT_LT(same_count, 500); /* 400 of 6,400 by chance, deviation 19 */
}
