/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles drawn from the shape of a fabric. */
#include "plan/plan_generate.h"

#include "spec.h"

#include <string.h>

static struct path_entry entries[PATH_EV_COUNT_MAX];

static struct path_profile generate(struct plan_generate wanted, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 0);
    struct path_profile profile;

    plan_generate(&profile, &wanted, entries, &prng);
    EXPECT_EQ(profile.entry_count, plan_generate_count(&wanted));
    return profile;
}

SPEC("a generated profile has the same number of EVs on each plane, planes ascending")
{
    struct path_profile profile = generate((struct plan_generate){ .plane_count = 8,
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
    struct path_profile profile = generate((struct plan_generate){ .plane_count = 3,
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
        generate((struct plan_generate){ .plane_count = 1,
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
    struct plan_generate wanted = {
        .plane_count = 8, .uplink_count = 64, .uplink_bits = 8, .active_count = 1
    };

    EXPECT_EQ(plan_generate_count(&wanted), 8);
    wanted.active_count = 11;
    EXPECT_EQ(plan_generate_count(&wanted), 8);
    wanted.active_count = 12;
    EXPECT_EQ(plan_generate_count(&wanted), 16);
    wanted.backup_count = 3;
    EXPECT_EQ(plan_generate_count(&wanted), 16);
    wanted.backup_count = 4;
    EXPECT_EQ(plan_generate_count(&wanted), 24);
}

SPEC("if uplinks are few, active EVs are filled before backups")
{
    struct path_profile profile = generate((struct plan_generate){ .plane_count = 2,
                                               .uplink_count = 5,
                                               .uplink_bits = 8,
                                               .active_count = 8,
                                               .backup_count = 8 },
        1);

    EXPECT_EQ(profile.entry_count, 10);
    EXPECT_EQ(profile.active_per_plane, 4);
}

SPEC("generating does not write behind the last entry")
{
    const struct plan_generate wanted = {
        .plane_count = 2, .uplink_count = 8, .uplink_bits = 3, .active_count = 4
    };

    entries[plan_generate_count(&wanted)].ev = 4711;
    generate(wanted, 1);
    EXPECT_EQ(entries[plan_generate_count(&wanted)].ev, 4711);
}

SPEC("a generated profile never exceeds the largest number of EVs")
{
    struct path_profile profile = generate((struct plan_generate){ .plane_count = 8,
                                               .uplink_count = 512,
                                               .uplink_bits = 9,
                                               .active_count = 1024,
                                               .backup_count = 512 },
        1);

    EXPECT_EQ(profile.entry_count, PATH_EV_COUNT_MAX);
    EXPECT_EQ(profile.active_per_plane, 128);
}

PROPERTY("slices have every uplink equally often, in different combinations", 100)
{
    struct plan_generate wanted = { .plane_count = 2,
        .uplink_count = 2 + (uint32_t)(seed % 400),
        .uplink_bits = 9,
        .active_count = 2 + (uint32_t)(seed * 7 % 300),
        .backup_count = 2 * (uint32_t)(seed % 5),
        .is_divided = true };
    uint32_t each = plan_generate_count(&wanted) / 2;
    uint32_t slices = plan_generate_slices(&wanted);
    static uint32_t drawn[2][512];

    memset(drawn, 0, sizeof(drawn));
    EXPECT_EQ(slices * each % wanted.uplink_count, 0);
    for (uint32_t slice = 0; slice < slices; slice++) {
        static bool seen[2][512];

        memset(seen, 0, sizeof(seen));
        wanted.slice = slice + slices * (uint32_t)(seed % 3);
        generate(wanted, seed);
        for (uint32_t i = 0; i < 2 * each; i++) {
            uint32_t uplink = entries[i].ev & 511;

            EXPECT_EQ(entries[i].plane, i / each);
            EXPECT(!seen[entries[i].plane][uplink]);
            seen[entries[i].plane][uplink] = true;
            drawn[entries[i].plane][uplink]++;
        }
    }
    for (uint32_t uplink = 0; uplink < wanted.uplink_count; uplink++) {
        EXPECT_EQ(drawn[0][uplink], slices * each / wanted.uplink_count);
        EXPECT_EQ(drawn[1][uplink], slices * each / wanted.uplink_count);
    }
}

SPEC("two slices with half of the uplinks each have nothing in common, and differ by seed")
{
    struct plan_generate wanted = {
        .plane_count = 8, .uplink_count = 256, .uplink_bits = 8, .is_divided = true
    };
    bool first[2048] = { 0 };
    uint32_t common_count = 0;

    EXPECT_EQ(plan_generate_count(&wanted), 1024);
    EXPECT_EQ(plan_generate_slices(&wanted), 2);
    generate(wanted, 1);
    for (uint32_t i = 0; i < 1024; i++)
        first[entries[i].ev] = true;
    wanted.slice = 1;
    generate(wanted, 1);
    for (uint32_t i = 0; i < 1024; i++)
        EXPECT(!first[entries[i].ev]);
    wanted.slice = 0;
    generate(wanted, 2);
    for (uint32_t i = 0; i < 1024; i++)
        common_count += first[entries[i].ev];
    EXPECT_GT(common_count, 412); /* 512 expected, deviation 16 */
    EXPECT_LT(common_count, 612);
}
