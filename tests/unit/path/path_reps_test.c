/* SPDX-License-Identifier: Apache-2.0 */
/* The policy `reps`. */
#include "paths.h"
#include "spec.h"

enum {
    EVS = 64,
    RECYCLED_MAX = 8,
    EXPLORED = 16,
};

static struct paths paths;

static void prepare(uint32_t evs, uint64_t seed)
{
    paths_shape(&paths, 2, evs, 0);
    paths.config.policy = path_policies[PATH_POLICY_REPS];
    paths.config.ev_skip = PATH_SKIP_POLICY;
    paths_open(&paths, seed);
}

/* Returns the number of different EVs that `count` packets of a plane use. */
static uint32_t different(uint32_t plane, uint32_t count, uint64_t now_ns)
{
    bool used[2 * EVS] = { false };
    uint32_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t ev_index = path_pick_on(paths.set, plane, now_ns);

        sum += !used[ev_index];
        used[ev_index] = true;
    }
    return sum;
}

SPEC("without acknowledgements, EVs are random")
{
    prepare(EVS, 1);
    EXPECT_GE(different(0, 1000, 0), EVS - 2);
}

SPEC("acknowledged EVs are used again, the oldest first, each once")
{
    prepare(EVS, 2);
    for (uint32_t i = 0; i < 5; i++)
        path_on_unmarked(paths.set, 10 + 3 * i);
    path_on_unmarked(paths.set, 10); /* waits already */
    path_check(paths.set);
    for (uint32_t i = 0; i < 5; i++)
        EXPECT_EQ(path_pick_on(paths.set, 0, 0), 10 + 3 * i);
    EXPECT_GE(different(0, 1000, 0), EVS - 2);
}

SPEC("a plane recycles its own EVs")
{
    prepare(EVS, 3);
    path_on_unmarked(paths.set, 5);
    path_on_unmarked(paths.set, EVS + 7);
    EXPECT_EQ(path_pick_on(paths.set, 1, 0), EVS + 7);
    EXPECT_EQ(path_pick_on(paths.set, 0, 0), 5);
}

SPEC("at most eight EVs of a plane wait, the newest")
{
    prepare(EVS, 4);
    for (uint32_t i = 0; i < 12; i++) {
        path_on_unmarked(paths.set, i);
        path_check(paths.set);
    }
    for (uint32_t i = 4; i < 12; i++)
        EXPECT_EQ(path_pick_on(paths.set, 0, 0), i);
}

SPEC("on a plane with few EVs, fewer wait")
{
    prepare(3, 5);
    for (uint32_t i = 0; i < 30; i++) {
        path_on_unmarked(paths.set, i % 3);
        path_check(paths.set);
        if (i % 4 == 3)
            EXPECT_LT(path_pick_on(paths.set, 0, 0), 3);
    }
    prepare(1, 5);
    path_on_unmarked(paths.set, 0);
    path_check(paths.set);
    EXPECT_EQ(path_pick_on(paths.set, 0, 0), 0);
}

SPEC("after a loss only EVs that worked are used for 10 ms, then random ones")
{
    prepare(EVS, 6);
    for (uint32_t i = 0; i < RECYCLED_MAX; i++)
        path_on_unmarked(paths.set, i);
    path_on_loss(paths.set, 40, false, S(5), S(5));
    EXPECT_EQ(different(0, 1000, S(5)), RECYCLED_MAX);
    EXPECT_EQ(different(0, 1000, S(5) + MS(9)), RECYCLED_MAX);
    EXPECT_GE(different(0, EXPLORED, S(5) + MS(11)), EXPLORED / 2);
    for (uint32_t i = 0; i < RECYCLED_MAX; i++)
        EXPECT_LT(path_pick_on(paths.set, 0, S(5) + MS(11)), RECYCLED_MAX);
}

SPEC("congestion does not freeze the choice, and changes no state")
{
    prepare(EVS, 7);
    path_on_unmarked(paths.set, 0);
    path_on_loss(paths.set, 40, true, S(5), S(5));
    path_on_mark(paths.set, 41, PATH_TRIMMED, S(5));
    path_on_mark(paths.set, 42, PATH_MARKED_SKIP_ONCE, S(5));
    EXPECT_GE(different(0, 1000, S(5)), EVS - 2);
    EXPECT_EQ(paths.change_count, 0);
}

SPEC("an EV that the controller denies is neither recycled nor drawn")
{
    prepare(EVS, 8);
    path_on_unmarked(paths.set, 3);
    path_deny(paths.set, 3, 0);
    path_on_unmarked(paths.set, 3);
    path_check(paths.set);
    for (uint32_t i = 0; i < 1000; i++)
        EXPECT(path_pick_on(paths.set, 0, 0) != 3);
}

SPEC("a retransmission avoids the EV of the lost packet")
{
    prepare(EVS, 9);
    for (uint32_t i = 0; i < EVS; i++) {
        path_on_unmarked(paths.set, i);
        EXPECT(path_pick_other(paths.set, ALL_PLANES, 0, i, 0) != i);
    }
}
