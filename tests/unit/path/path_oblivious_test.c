/* SPDX-License-Identifier: Apache-2.0 */
/* The policy `oblivious`. */
#include "paths.h"
#include "spec.h"

enum { EVS = 8 };

static struct paths paths;

static void prepare(uint64_t seed)
{
    paths_shape(&paths, 2, EVS, 0);
    paths.config.policy = path_policies[PATH_POLICY_OBLIVIOUS];
    paths.config.ev_skip = PATH_SKIP_POLICY;
    paths_open(&paths, seed);
}

/* Picks one rotation of the plane; returns the EVs as bits. */
static uint32_t rotate(uint32_t plane)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < EVS; i++)
        used |= UINT32_C(1) << path_pick_on(paths.set, plane, US(i));
    return used;
}

SPEC("oblivious spraying uses each EV of a plane once in a rotation")
{
    prepare(1);
    for (uint32_t i = 0; i < 10; i++) {
        EXPECT_EQ(rotate(0), 0xff);
        EXPECT_EQ(rotate(1), 0xff00);
    }
}

SPEC("oblivious spraying takes another order in each rotation")
{
    uint32_t same = 0;

    prepare(2);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t first = path_pick_on(paths.set, 0, 0);

        for (uint32_t k = 1; k < EVS; k++)
            path_pick_on(paths.set, 0, 0);
        same += first == path_pick_on(paths.set, 0, 0);
        for (uint32_t k = 1; k < EVS; k++)
            path_pick_on(paths.set, 0, 0);
    }
    EXPECT_LE(same, 30); /* 12.5 on average */
}

SPEC("marks, trims and losses change nothing for oblivious spraying")
{
    prepare(3);
    for (uint32_t i = 0; i < 20; i++) {
        path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, US(i));
        path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, US(i));
        path_on_mark(paths.set, 2, PATH_TRIMMED, US(i));
        EXPECT(!path_on_loss(paths.set, 3, false, US(i), US(i)));
        EXPECT(!path_on_delay(paths.set, 4, 256, US(i)));
        path_next_round(paths.set);
    }
    path_check(paths.set);
    EXPECT_EQ(paths.change_count, 0);
    EXPECT_EQ(path_usable_count(paths.set), 2 * EVS);
    EXPECT_EQ(rotate(0), 0xff);
}

SPEC("a retransmission avoids the EV of the lost packet, if there is another")
{
    prepare(4);
    for (uint32_t i = 0; i < 100; i++)
        EXPECT(path_pick_other(paths.set, ALL_PLANES, 0, i % EVS, US(i)) != i % EVS);
    paths_shape(&paths, 1, 1, 0);
    paths.config.policy = path_policies[PATH_POLICY_OBLIVIOUS];
    paths.config.ev_skip = PATH_SKIP_POLICY;
    paths_open(&paths, 1);
    EXPECT_EQ(path_pick_other(paths.set, ALL_PLANES, 0, 0, 0), 0);
}

SPEC("the controller still denies EVs of oblivious spraying")
{
    prepare(5);
    path_deny(paths.set, 3, US(1));
    for (uint32_t i = 0; i < 100; i++)
        EXPECT(path_pick_on(paths.set, 0, US(2)) != 3);
}
