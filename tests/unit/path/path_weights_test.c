/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of EVs and planes that the plan gives. */
#include "path/ev_table.h"

#include "paths.h"
#include "spec.h"

static void shape_weighted(
    struct paths *paths, const uint8_t *weights, uint32_t planes, uint32_t each)
{
    paths_shape(paths, planes, each, 0);
    paths->config.ev_skip = PATH_SKIP_DELAY;
    paths->config.ev_weights = PATH_WEIGHTS_PLAN;
    for (uint32_t i = 0; i < planes * each; i++)
        paths->entries[i].weight = weights[i];
    path_profile_weigh(&paths->profile);
}

static void open_weighted(struct paths *paths, const uint8_t *weights, uint32_t each, uint64_t seed)
{
    shape_weighted(paths, weights, 1, each);
    paths_open(paths, seed);
    path_next_round(paths->set);
}

static struct ev_table_ev *ev_of(struct paths *paths, uint32_t index)
{
    return &ev_table_evs(paths->set)[index];
}

/* ---- profiles --------------------------------------------------------------------------------*/

SPEC("equal weights have no effect on EVs and planes")
{
    static const uint8_t weights[] = { 240, 0, 240, 0 };
    struct paths paths;

    shape_weighted(&paths, weights, 2, 2);
    EXPECT(!paths.profile.is_weighted);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(paths.entries[i].turns, 0);
    EXPECT_EQ(paths.profile.plane_weights[0], PLANES_EQUAL);
    EXPECT_EQ(paths.profile.plane_weights[1], PLANES_EQUAL);
}

SPEC("turns are rounded to the nearest number")
{
    static const uint8_t weights[] = { 5, 3 };
    struct paths paths;

    shape_weighted(&paths, weights, 1, 2);
    EXPECT_EQ(paths.entries[1].turns, 154); /* 153.6 of 256 */
}

SPEC("the turns of an EV are in proportion to the best of its plane, at least two of 256")
{
    static const uint8_t weights[] = { 240, 60, 1, 225, 30, 10, 0, 20 };
    static const uint8_t turns[] = { 0, 64, 2, 0, 32, 11, 0, 21 }; /* 225 of 240 are as good */
    struct paths paths;

    shape_weighted(&paths, weights, 2, 4);
    EXPECT(paths.profile.is_weighted);
    for (uint32_t i = 0; i < 8; i++)
        EXPECT_EQ(paths.entries[i].turns, turns[i]);
}

SPEC("the share of a plane is the sum of its EVs, at least a 256th of an equal share")
{
    static const uint8_t weights[] = { 240, 240, 60, 60, 0, 120 };
    static const uint8_t uneven[] = { 240, 240, 1, 1 };
    struct paths paths;

    shape_weighted(&paths, weights, 3, 2);
    EXPECT(paths.profile.is_weighted);
    EXPECT_EQ(paths.profile.plane_weights[0], 480 * 3 * PLANES_EQUAL / 960);
    EXPECT_EQ(paths.profile.plane_weights[1], 120 * 3 * PLANES_EQUAL / 960);
    EXPECT_EQ(paths.profile.plane_weights[2], 360 * 3 * PLANES_EQUAL / 960);
    shape_weighted(&paths, uneven, 2, 2);
    EXPECT_EQ(paths.profile.plane_weights[0], 480 * 2 * PLANES_EQUAL / 482);
    EXPECT_EQ(paths.profile.plane_weights[1], 2 * 2 * PLANES_EQUAL / 482);
    EXPECT_EQ(paths.entries[2].turns, 0); /* of its plane, none is better */
    paths.profile.entries[3].weight = 240;
    path_profile_weigh(&paths.profile);
    EXPECT_EQ(paths.profile.plane_weights[1], 241 * 2 * PLANES_EQUAL / 721);
}

SPEC("planes within a 16th of an equal share count as equal")
{
    static const uint8_t within[] = { 160, 160, 165, 165, 155, 155 };
    static const uint8_t edge[] = { 170, 170, 150, 150 }; /* a 16th of 160 more and less */
    static const uint8_t beyond[] = { 171, 171, 149, 149 };
    static const uint8_t one_less[] = { 240, 240, 240, 220 };
    struct paths paths;

    shape_weighted(&paths, within, 3, 2);
    EXPECT(!paths.profile.is_weighted);
    shape_weighted(&paths, edge, 2, 2);
    EXPECT(!paths.profile.is_weighted);
    shape_weighted(&paths, beyond, 2, 2);
    EXPECT(paths.profile.is_weighted);
    shape_weighted(&paths, one_less, 4, 1);
    EXPECT(paths.profile.is_weighted);
}

SPEC("a plan is rough where one of several paths of a plane has more than two thirds of it")
{
    static const uint8_t two_thirds[] = { 240, 60, 60 };
    static const uint8_t more[] = { 240, 60, 59 };
    struct paths paths;

    shape_weighted(&paths, two_thirds, 1, 3);
    EXPECT(!paths.profile.is_rough);
    shape_weighted(&paths, more, 1, 3);
    EXPECT(paths.profile.is_rough);
    shape_weighted(&paths, two_thirds, 3, 1);
    EXPECT(!paths.profile.is_rough);
}

SPEC("new weights decide again whether a plan is rough")
{
    static const uint8_t weights[] = { 240, 10 };
    struct paths paths;

    shape_weighted(&paths, weights, 1, 2);
    EXPECT(paths.profile.is_rough);
    paths.entries[1].weight = 240;
    path_profile_weigh(&paths.profile);
    EXPECT(!paths.profile.is_rough);
}

SPEC("the length of a plane is the mean of its paths by their weights")
{
    static const uint8_t weights[] = { 240, 60, 240, 240 };
    struct paths paths;

    shape_weighted(&paths, weights, 2, 2);
    paths.profile.entries[0].extra = -10;
    paths.profile.entries[1].extra = 40;
    paths.profile.entries[3].extra = 30;
    path_profile_weigh(&paths.profile);
    EXPECT_EQ(paths.profile.plane_extras[0], 0);
    EXPECT_EQ(paths.profile.plane_extras[1], 15);
}

SPEC("a plane without EVs does not reduce the share of others")
{
    struct path_entry entries[2] = { { .ev = 1, .plane = 0 }, { .ev = 2, .plane = 2 } };
    struct path_profile profile;

    EXPECT(path_profile_explicit(&profile, entries, 2, 3));
    path_profile_weigh(&profile);
    EXPECT(!profile.is_weighted);
    EXPECT_EQ(profile.plane_weights[0], PLANES_EQUAL);
    EXPECT_EQ(profile.plane_weights[2], PLANES_EQUAL);
}

SPEC("planes start with the given shares")
{
    static const struct path_profile profile = { .plane_weights = { 6144, 2048 } };
    uint32_t bytes[2] = { 0 };
    struct planes planes;

    planes_init(&planes, 2);
    planes_start_with(&planes, &profile, 10000);
    for (uint32_t i = 0; i < 400; i++) {
        uint32_t plane = planes_choose(&planes, 3, 3, 4000000);

        planes_on_sent(&planes, plane, 1000);
        bytes[plane] += 1000;
    }
    EXPECT_EQ(bytes[0], 300000);
    EXPECT_EQ(bytes[1], 100000);
}

/* ---- dealing ---------------------------------------------------------------------------------*/

SPEC("packets are distributed in exact proportion to weights")
{
    static const uint8_t weights[] = { 240, 120, 60, 80, 240, 30 };
    static const uint32_t turns[] = { 256, 128, 64, 85, 256, 32 };
    uint32_t used[6] = { 0 };
    struct paths paths;

    open_weighted(&paths, weights, 6, 7);
    for (uint32_t i = 0; i < 10 * (256 + 128 + 64 + 85 + 256 + 32); i++)
        used[path_pick_on(paths.set, 0, 0)]++;
    for (uint32_t i = 0; i < 6; i++) {
        EXPECT_GE(used[i] + 1, 10 * turns[i]); /* the last rotation may lack one of each */
        EXPECT_LE(used[i], 10 * turns[i] + 1);
    }
    EXPECT_EQ(paths.change_count, 0);
    path_check(paths.set);
}

SPEC("an EV with a quarter of the turns takes every fourth, without bursts and gaps")
{
    static const uint8_t weights[] = { 240, 240, 240, 60 };
    struct paths paths;
    uint32_t taken = 0;
    uint32_t rotation;
    uint32_t last;

    open_weighted(&paths, weights, 4, 3);
    last = ev_table_rotations(paths.set)[0];
    for (uint32_t i = 0; i < 2000; i++) {
        if (path_pick_on(paths.set, 0, 0) != 3)
            continue;
        rotation = ev_table_rotations(paths.set)[0] - (paths.set->planes[0].position == 0 ? 1u : 0);
        if (taken++ > 0)
            EXPECT_EQ((uint8_t)(rotation - last), 4);
        last = rotation;
    }
    EXPECT_GE(taken, 153); /* one of 13 */
    EXPECT_LE(taken, 155);
}

SPEC("EVs of the same weight, and different QPs, have different rotations")
{
    static const uint8_t weights[] = { 240, 60, 60, 60, 60, 60, 60, 60, 60 };
    uint32_t in_rotation[4] = { 0 };
    struct paths paths;

    open_weighted(&paths, weights, 9, 3);
    for (uint32_t i = 0; i < 12; i++)
        in_rotation[ev_table_rotations(paths.set)[0] % 4] += path_pick_on(paths.set, 0, 0) > 0;
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_LE(in_rotation[i], 4); /* of 8 in all */
    EXPECT_NE(ev_table_rotations(paths.set)[0], 3);
}

SPEC("if only EVs with few turns are left, they share in proportion")
{
    static const uint8_t weights[] = { 240, 20, 10 };
    uint32_t used[3] = { 0 };
    struct paths paths;

    open_weighted(&paths, weights, 3, 1);
    path_deny(paths.set, 0, 0);
    for (uint32_t i = 0; i < 32 * 30; i++) /* 21 and 11 of 256 */
        used[path_pick_on(paths.set, 0, 0)]++;
    EXPECT_EQ(used[0], 0);
    EXPECT_GE(used[1], 21 * 30 - 1);
    EXPECT_LE(used[1], 21 * 30 + 1);
}

SPEC("an EV to avoid is not picked while there is another, however few its turns")
{
    static const uint8_t weights[] = { 240, 5 };
    struct paths paths;

    open_weighted(&paths, weights, 2, 1);
    for (uint32_t i = 0; i < 20; i++) {
        EXPECT_EQ(path_pick_other(paths.set, 1, 0, 0, 0), 1);
        EXPECT_EQ(path_pick_other(paths.set, 1, 0, 1, 0), 0);
    }
    path_deny(paths.set, 0, 0);
    EXPECT_EQ(path_pick_other(paths.set, 1, 0, 1, 0), 1);
}

SPEC("weights count with ev_weights=plan and ev_skip=delay only")
{
    static const uint8_t weights[] = { 240, 60 };

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t used[2] = { 0 };
        struct paths paths;

        shape_weighted(&paths, weights, 1, 2);
        if (i == 0)
            paths.config.ev_weights = PATH_WEIGHTS_EQUAL;
        else
            paths.config.ev_skip = PATH_SKIP_LITERAL;
        paths_open(&paths, 1);
        for (uint32_t k = 0; k < 20; k++)
            used[path_pick_on(paths.set, 0, 0)]++;
        EXPECT_EQ(used[1], 10);
        EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    }
}

/* ---- learning --------------------------------------------------------------------------------*/

SPEC("a longer delay reduces the turns of an EV, a shorter one raises them above the plan")
{
    static const uint8_t weights[] = { 240, 60, 240 };
    struct paths paths;

    open_weighted(&paths, weights, 3, 1);
    EXPECT_EQ(ev_of(&paths, 1)->weight, 64);
    path_on_delay(paths.set, 1, 256, 0);
    EXPECT_EQ(ev_of(&paths, 1)->weight, 47); /* 64 - 64 / 4 - 1 */
    for (uint32_t round = 0; round < 200; round++) {
        path_next_round(paths.set);
        path_on_delay(paths.set, 1, -128, 0);
    }
    EXPECT_EQ(ev_of(&paths, 1)->weight, 254);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    path_check(paths.set);
}

SPEC("a GOOD EV takes all turns, another as many as its weight")
{
    static const uint8_t weights[] = { 240, 60, 20 };
    struct paths paths;

    open_weighted(&paths, weights, 3, 1);
    EXPECT_EQ(path_turns_of(paths.set, 0), 255);
    EXPECT_EQ(path_turns_of(paths.set, 1), 64);
    EXPECT_EQ(path_turns_of(paths.set, 2), 21);
}

SPEC("if the plan is rough, a delay reduces the turns of an EV faster, down to one of 256")
{
    static const uint8_t weights[] = { 240, 60, 20 };
    struct paths paths;

    open_weighted(&paths, weights, 3, 1);
    EXPECT(paths.profile.is_rough);
    path_on_delay(paths.set, 1, 256, 0);
    EXPECT_EQ(ev_of(&paths, 1)->weight, 31); /* 64 - 64 / 2 - 1 */
    for (uint32_t round = 0; round < 50; round++) {
        path_next_round(paths.set);
        path_on_delay(paths.set, 1, 256, 0);
    }
    EXPECT_EQ(ev_of(&paths, 1)->weight, 1);
    path_next_round(paths.set);
    path_on_delay(paths.set, 1, -128, 0);
    EXPECT_GT(ev_of(&paths, 1)->weight, 1);
    path_check(paths.set);
}

/* Three planes with two EVs of the full share each. */
static void open_lengths(struct paths *paths, const int16_t extras[static 6])
{
    static const uint8_t weights[] = { 240, 240, 240, 240, 120, 120 };

    shape_weighted(paths, weights, 3, 2);
    for (uint32_t i = 0; i < 6; i++)
        paths->entries[i].extra = extras[i];
    paths_open(paths, 1);
}

SPEC("the near planes are those with the shortest paths, but for the length of cables")
{
    static const int16_t extras[] = { -20, 0, -17, 0, 0, 0 }; /* 3 * 64 ns: 39 m */
    struct paths paths;

    open_lengths(&paths, extras);
    EXPECT_EQ(path_near_planes(paths.set, 7, 0), 1);
    EXPECT_EQ(path_near_planes(paths.set, 7, 3 * PATH_EXTRA_NS - 1), 1);
    EXPECT_EQ(path_near_planes(paths.set, 7, 3 * PATH_EXTRA_NS), 3);
    EXPECT_EQ(path_near_planes(paths.set, 7, 20 * PATH_EXTRA_NS), 7);
    EXPECT_EQ(path_near_planes(paths.set, 6, 3 * PATH_EXTRA_NS), 2);
    EXPECT_EQ(path_near_planes(paths.set, 0, 3 * PATH_EXTRA_NS), 0);
}

SPEC("paths that have failed or are denied do not make a plane near")
{
    static const int16_t extras[] = { -20, 0, 0, -10, 5, 5 };
    struct paths paths;

    open_lengths(&paths, extras);
    EXPECT_EQ(path_near_planes(paths.set, 7, 0), 1);
    EXPECT(path_on_loss(paths.set, 0, false, 1, 1));
    EXPECT(path_state_of(paths.set, 0) > EV_SKIP);
    EXPECT_EQ(path_near_planes(paths.set, 7, 0), 2);
    path_deny(paths.set, 3, 0);
    EXPECT_EQ(path_near_planes(paths.set, 7, 0), 3);
}

SPEC("while shares are held, lesser EVs get no turns; they return to the planned shares")
{
    static const uint8_t weights[] = { 240, 60, 20 };
    struct paths paths;

    open_weighted(&paths, weights, 3, 1);
    path_on_delay(paths.set, 0, 256, 0);
    path_hold_shares(paths.set, true, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    path_next_round(paths.set);
    EXPECT(!path_on_delay(paths.set, 0, 256, 0));
    EXPECT(!path_on_delay(paths.set, 1, -128, 0));
    for (uint32_t i = 0; i < 600; i++)
        EXPECT_EQ(path_pick(paths.set, 1, 0), 0);
    path_hold_shares(paths.set, false, 0);
    EXPECT_EQ(path_turns_of(paths.set, 1), 64);
    EXPECT_EQ(path_turns_of(paths.set, 2), 21);
    path_check(paths.set);
}

SPEC(
    "while shares are held, the best of the lesser EVs replaces one that fails or must not be used")
{
    static const uint8_t weights[] = { 240, 60, 20 };
    struct paths paths;

    open_weighted(&paths, weights, 3, 1);
    path_hold_shares(paths.set, true, 0);
    EXPECT_EQ(path_pick_other(paths.set, 1, 0, 0, 0), 1);
    path_on_mark(paths.set, 0, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
    for (uint32_t i = 0; i < 100; i++)
        EXPECT_EQ(path_pick(paths.set, 1, 0), 1);
    path_hold_shares(paths.set, false, 0);
    EXPECT_EQ(path_turns_of(paths.set, 1), 64);
    path_check(paths.set);
}

SPEC("while delays are equal, the share of an EV returns to the planned one")
{
    static const uint8_t weights[] = { 240, 60, 60 };
    struct paths paths;

    open_weighted(&paths, weights, 3, 1);
    ev_of(&paths, 1)->weight = 10;
    ev_of(&paths, 2)->weight = 254;
    for (uint32_t round = 0; round < 150; round++) {
        path_next_round(paths.set);
        path_on_delay(paths.set, 1, 0, 0);
        path_on_delay(paths.set, 2, 0, 0);
    }
    EXPECT_EQ(ev_of(&paths, 1)->weight, 64);
    EXPECT_EQ(ev_of(&paths, 2)->weight, 64);
}

SPEC("if the best EVs of a plane are late, the others grow in proportion")
{
    static const uint8_t weights[] = { 240, 120, 60 };
    struct paths paths;

    open_weighted(&paths, weights, 3, 1);
    path_on_delay(paths.set, 0, 256, 0); /* 191, which becomes 255 */
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT_EQ(ev_of(&paths, 1)->weight, 128 * 255 / 191);
    EXPECT_EQ(ev_of(&paths, 2)->weight, 64 * 255 / 191);
}

SPEC("an EV that was bad returns with the share that it had, one that was denied as planned")
{
    static const uint8_t weights[] = { 240, 60, 240 };
    struct paths paths;
    uint64_t now_ns = 0;

    open_weighted(&paths, weights, 3, 1);
    path_on_delay(paths.set, 1, 256, 0);
    path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);
    paths_answer_probes(&paths, 1, 100, &now_ns);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(ev_of(&paths, 1)->weight, 47);
    path_check(paths.set);

    shape_weighted(&paths, weights, 1, 3);
    paths.entries[1].denied = true;
    paths_open(&paths, 1);
    path_allow(paths.set, 1, 0);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(ev_of(&paths, 1)->weight, 64);
}

SPEC("an EV that replaces another starts with its own planned share")
{
    static const uint8_t weights[] = { 240, 60, 240 };
    struct paths paths;

    open_weighted(&paths, weights, 3, 1);
    path_on_delay(paths.set, 1, 256, 0);
    path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, 0);
    paths.entries[1].turns = 128;
    path_replaced(paths.set, 1, 0);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(ev_of(&paths, 1)->weight, 128);
}
