/* SPDX-License-Identifier: Apache-2.0 */
/* The policy `single`. */
#include "paths.h"
#include "spec.h"

static struct paths paths;

static void prepare(uint64_t seed)
{
    paths_shape(&paths, 2, 8, 0);
    paths.config.policy = path_policies[PATH_POLICY_SINGLE];
    paths_open(&paths, seed);
}

SPEC("a single path carries all packets of a plane")
{
    uint32_t first[2];

    prepare(1);
    for (uint32_t plane = 0; plane < 2; plane++)
        first[plane] = path_pick_on(paths.set, plane, 0);
    for (uint32_t i = 0; i < 40; i++) {
        EXPECT_EQ(path_pick_on(paths.set, i % 2, US(i)), first[i % 2]);
        EXPECT_EQ(path_plane_of(paths.set, first[i % 2]), i % 2);
    }
}

SPEC("QPs draw their single paths independently")
{
    uint32_t used = 0;

    for (uint64_t seed = 1; seed <= 100; seed++) {
        prepare(seed);
        used |= UINT32_C(1) << path_pick_on(paths.set, 0, 0);
    }
    EXPECT_EQ(used, 0xff);
}

SPEC("a packet that avoids the single path takes another EV of its plane")
{
    uint32_t usual;
    uint32_t other;

    prepare(2);
    usual = path_pick_on(paths.set, 1, 0);
    other = path_pick_other(paths.set, ALL_PLANES, 1, usual, 0);
    EXPECT(other != usual);
    EXPECT_EQ(path_plane_of(paths.set, other), 1);
    EXPECT_EQ(path_pick_other(paths.set, ALL_PLANES, 1, other, 0), usual);
}

SPEC("when the single path fails, another one carries the packets")
{
    uint32_t usual;

    prepare(3);
    usual = path_pick_on(paths.set, 0, 0);
    path_on_mark(paths.set, usual, PATH_MARKED_ALWAYS_SKIP, US(1));
    EXPECT_EQ(path_state_of(paths.set, usual), EV_ASSUMED_BAD);
    EXPECT(path_pick_on(paths.set, 0, US(2)) != usual);
    EXPECT_EQ(path_plane_of(paths.set, path_pick_on(paths.set, 0, US(2))), 0);
}

SPEC("probes in silence try all EVs of the plane")
{
    uint32_t used = 0;

    prepare(4);
    for (uint32_t i = 0; i < 8; i++)
        used |= UINT32_C(1) << path_pick_other(paths.set, ALL_PLANES, 0, PATH_NONE, US(i));
    EXPECT_EQ(used, 0xff);
    path_check(paths.set);
}
