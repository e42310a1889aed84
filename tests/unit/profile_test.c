/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles: generated, automatic, explicit. */
#include "path/profile.h"

#include "spec.h"

static struct path_entry entries[PATH_EV_COUNT_MAX];

static struct path_profile generate(struct path_generate wanted, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 0);
    struct path_profile profile;

    path_profile_generate(&profile, &wanted, entries, &prng);
    EXPECT_EQ(profile.entry_count, path_profile_generated_count(&wanted));
    return profile;
}

SPEC("a generated profile has the same number of EVs on each plane, planes ascending")
{
    struct path_profile profile = generate((struct path_generate){ .plane_count = 8,
                                               .uplink_count = 256,
                                               .uplink_bits = 8,
                                               .active_count = 128,
                                               .backup_count = 64 },
        1);

    EXPECT_EQ(profile.entry_count, 192);
    EXPECT_EQ(profile.plane_count, 8);
    EXPECT_EQ(profile.active_per_plane, 16);
    EXPECT_EQ(profile.min_active, 0);
    for (uint32_t i = 0; i < 192; i++) {
        EXPECT_EQ(entries[i].plane, i / 24);
        EXPECT_EQ(entries[i].ev >> 8, i / 24);
        EXPECT(!entries[i].denied);
    }
}

PROPERTY("uplinks of a plane are drawn without repetition, all of them when all are asked for", 50)
{
    uint32_t uplink_count = 1 + (uint32_t)(seed % 100);
    struct path_profile profile = generate((struct path_generate){ .plane_count = 3,
                                               .uplink_count = uplink_count,
                                               .uplink_bits = 9,
                                               .active_count = 3000 },
        seed);
    bool seen[3][512] = { 0 };

    EXPECT_EQ(profile.active_per_plane, uplink_count);
    EXPECT_EQ(profile.entry_count, 3 * uplink_count);
    for (uint32_t i = 0; i < profile.entry_count; i++) {
        uint32_t uplink = entries[i].ev & 511;

        EXPECT_LT(uplink, uplink_count);
        EXPECT(!seen[entries[i].plane][uplink]);
        seen[entries[i].plane][uplink] = true;
    }
}

SPEC("every uplink is drawn equally often, and equally often into the active part")
{
    uint32_t drawn[16] = { 0 };
    uint32_t first[16] = { 0 };
    uint32_t last[16] = { 0 };

    for (uint64_t seed = 0; seed < 4000; seed++) {
        generate((struct path_generate){ .plane_count = 1,
                     .uplink_count = 16,
                     .uplink_bits = 4,
                     .active_count = 4,
                     .backup_count = 4 },
            seed);
        for (uint32_t i = 0; i < 8; i++)
            drawn[entries[i].ev]++;
        first[entries[0].ev]++;
        last[entries[7].ev]++;
    }
    for (uint32_t uplink = 0; uplink < 16; uplink++) {
        EXPECT_GT(drawn[uplink], 1850); /* 2,000 expected, deviation 32 */
        EXPECT_LT(drawn[uplink], 2150);
        EXPECT_GT(first[uplink], 175); /* 250, deviation 15 */
        EXPECT_LT(first[uplink], 325);
        EXPECT_GT(last[uplink], 175);
        EXPECT_LT(last[uplink], 325);
    }
}

SPEC("counts are rounded to a multiple of the planes, at least one active each")
{
    struct path_generate wanted = {
        .plane_count = 8, .uplink_count = 64, .uplink_bits = 8, .active_count = 1
    };

    EXPECT_EQ(path_profile_generated_count(&wanted), 8);
    wanted.active_count = 11;
    EXPECT_EQ(path_profile_generated_count(&wanted), 8);
    wanted.active_count = 12;
    EXPECT_EQ(path_profile_generated_count(&wanted), 16);
    wanted.backup_count = 3;
    EXPECT_EQ(path_profile_generated_count(&wanted), 16);
    wanted.backup_count = 4;
    EXPECT_EQ(path_profile_generated_count(&wanted), 24);
}

SPEC("where uplinks are few, active EVs come before backups")
{
    struct path_profile profile = generate((struct path_generate){ .plane_count = 2,
                                               .uplink_count = 5,
                                               .uplink_bits = 8,
                                               .active_count = 8,
                                               .backup_count = 8 },
        1);

    EXPECT_EQ(profile.entry_count, 10);
    EXPECT_EQ(profile.active_per_plane, 4);
}

SPEC("generating leaves memory behind the last entry alone")
{
    const struct path_generate wanted = {
        .plane_count = 2, .uplink_count = 8, .uplink_bits = 3, .active_count = 4
    };

    entries[path_profile_generated_count(&wanted)].ev = 4711;
    generate(wanted, 1);
    EXPECT_EQ(entries[path_profile_generated_count(&wanted)].ev, 4711);
}

SPEC("a generated profile never exceeds the largest number of EVs")
{
    struct path_profile profile = generate((struct path_generate){ .plane_count = 8,
                                               .uplink_count = 512,
                                               .uplink_bits = 9,
                                               .active_count = 1024,
                                               .backup_count = 512 },
        1);

    EXPECT_EQ(profile.entry_count, PATH_EV_COUNT_MAX);
    EXPECT_EQ(profile.active_per_plane, 128);
}

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

SPEC("the largest plane of a controller's list sets how many are active")
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

SPEC("the entries of a plane are found, also where planes have none")
{
    struct path_entry list[] = { { .plane = 1 }, { .plane = 1 }, { .plane = 3 } };
    struct path_profile profile;

    EXPECT(path_profile_explicit(&profile, list, 3, 5));
    EXPECT_EQ(profile_plane_first(&profile, 0), 0);
    EXPECT_EQ(profile_plane_first(&profile, 1), 0);
    EXPECT_EQ(profile_plane_first(&profile, 2), 2);
    EXPECT_EQ(profile_plane_first(&profile, 3), 2);
    EXPECT_EQ(profile_plane_first(&profile, 4), 3);
    EXPECT_EQ(profile_plane_first(&profile, 5), 3);
}
