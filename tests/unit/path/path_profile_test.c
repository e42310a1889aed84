/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles: automatic, explicit. */
#include "path/path_profile.h"

#include "spec.h"

static struct path_entry entries[PATH_EV_COUNT_MAX];

SPEC("an automatic profile has different EVs of 16 bits, all active")
{
    struct prng prng = prng_stream(3, 0);
    struct path_profile profile;
    uint32_t high_count = 0;

    path_profile_auto(&profile, 4, 256, entries, &prng);
    EXPECT_EQ(profile.entry_count, 1024);
    EXPECT_EQ(profile.plane_count, 4);
    EXPECT_EQ(profile.active_per_plane, 256);
    for (uint32_t i = 0; i < 1024; i++) {
        EXPECT_EQ(entries[i].plane, i / 256);
        EXPECT_LT(entries[i].ev, 65536);
        EXPECT_EQ(path_profile_find(&profile, entries[i].ev), i);
        high_count += entries[i].ev >> 15;
    }
    EXPECT_GT(high_count, 432); /* 512, deviation 16 */
    EXPECT_LT(high_count, 592);
}

SPEC("a controller's list is sorted by plane and keeps its order within a plane")
{
    struct path_entry list[] = { { .ev = 50, .plane = 2 }, { .ev = 10, .plane = 0 },
        { .ev = 40, .plane = 2, .denied = true }, { .ev = 11, .plane = 0 },
        { .ev = 5, .plane = 2 } };
    static const uint32_t sorted[] = { 10, 11, 50, 40, 5 };
    struct path_profile profile;

    EXPECT(path_profile_explicit(&profile, list, 5, 3));
    for (uint32_t i = 0; i < 5; i++)
        EXPECT_EQ(list[i].ev, sorted[i]);
    EXPECT(list[3].denied);
    EXPECT_EQ(profile.active_per_plane, 3);
    EXPECT_EQ(profile.entry_count, 5);
    EXPECT_EQ(profile.plane_count, 3);
}

SPEC("the largest plane of a list of a controller determines the number of active EVs")
{
    struct path_entry middle[] = { { .plane = 1 }, { .plane = 0 }, { .plane = 1 }, { .plane = 2 } };
    struct path_entry first[] = { { .plane = 0 }, { .plane = 1 }, { .plane = 0 } };
    struct path_profile profile;

    EXPECT(path_profile_explicit(&profile, middle, 4, 3));
    EXPECT_EQ(profile.active_per_plane, 2);
    EXPECT(path_profile_explicit(&profile, first, 3, 2));
    EXPECT_EQ(profile.active_per_plane, 2);
}

SPEC("a controller's list with a plane out of range, too long or empty is refused")
{
    static struct path_entry long_list[PATH_EV_COUNT_MAX + 1];
    struct path_entry list[] = { { .plane = 0 }, { .plane = 2 } };
    struct path_profile profile;

    EXPECT(path_profile_explicit(&profile, list, 2, 3));
    EXPECT(!path_profile_explicit(&profile, list, 2, 2));
    EXPECT(!path_profile_explicit(&profile, list, 0, 3));
    EXPECT(path_profile_explicit(&profile, list, 2, PATH_PLANE_COUNT_MAX));
    EXPECT(!path_profile_explicit(&profile, list, 2, PATH_PLANE_COUNT_MAX + 1));
    EXPECT(path_profile_explicit(&profile, long_list, PATH_EV_COUNT_MAX, 3));
    EXPECT(!path_profile_explicit(&profile, long_list, PATH_EV_COUNT_MAX + 1, 3));
}

SPEC("an EV is found by its value, a foreign one is not")
{
    struct path_entry list[] = { { .ev = 7 }, { .ev = 9 } };
    struct path_profile profile;

    EXPECT(path_profile_explicit(&profile, list, 2, 1));
    EXPECT_EQ(path_profile_find(&profile, 7), 0);
    EXPECT_EQ(path_profile_find(&profile, 9), 1);
    EXPECT_EQ(path_profile_find(&profile, 8), PATH_NONE);
}

SPEC("the entries of a plane are found, also if planes have none")
{
    struct path_entry list[] = { { .plane = 1 }, { .plane = 1 }, { .plane = 3 } };
    struct path_profile profile;

    EXPECT(path_profile_explicit(&profile, list, 3, 5));
    EXPECT_EQ(path_profile_plane_first(&profile, 0), 0);
    EXPECT_EQ(path_profile_plane_first(&profile, 1), 0);
    EXPECT_EQ(path_profile_plane_first(&profile, 2), 2);
    EXPECT_EQ(path_profile_plane_first(&profile, 3), 2);
    EXPECT_EQ(path_profile_plane_first(&profile, 4), 3);
    EXPECT_EQ(path_profile_plane_first(&profile, 5), 3);
}

SPEC("a shuffle changes the order of entries and loses none")
{
    struct prng prng = prng_stream(1, 1);
    uint32_t moved = 0;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < 100; i++)
        entries[i] = (struct path_entry){ .ev = i };
    path_entries_shuffle(entries, 100, &prng);
    for (uint32_t i = 0; i < 100; i++) {
        moved += entries[i].ev != i;
        sum += entries[i].ev;
    }
    EXPECT_GT(moved, 80);
    EXPECT_EQ(sum, 99 * 100 / 2);
}
