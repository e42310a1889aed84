/* SPDX-License-Identifier: Apache-2.0 */
/* The policy `bitmap`. */
#include "paths.h"
#include "spec.h"

enum { EVS = 8 };

static struct paths paths;

static void prepare(uint32_t evs, uint64_t seed)
{
    paths_shape(&paths, 1, evs, 0);
    paths.config.policy = path_policies[PATH_POLICY_BITMAP];
    paths.config.ev_skip = PATH_SKIP_POLICY;
    paths_open(&paths, seed);
}

/* Expects the EV, which alone has a penalty, to miss this many rotations. The first and the last
 * may be counted or not: they have begun, or EV 0 comes before the EV. */
static void expect_missed(uint32_t ev_index, uint32_t rotations)
{
    uint32_t count = 0;
    uint32_t used;

    while ((used = path_pick_on(paths.set, 0, 0)) != ev_index && count < 100)
        count += used == 0;
    EXPECT_GE(count + 1, rotations);
    EXPECT_LE(count, rotations + 1);
}

SPEC("without marks and losses, all EVs take turns")
{
    uint32_t used = 0;

    prepare(EVS, 1);
    for (uint32_t i = 0; i < EVS; i++)
        used |= UINT32_C(1) << path_pick_on(paths.set, 0, 0);
    EXPECT_EQ(used, 0xff);
}

SPEC("a mark costs an EV one turn, a NACK four, a loss fifteen")
{
    static const struct {
        enum path_signal signal;
        uint32_t penalty;
    } cases[] = { { PATH_MARKED_SKIP_ONCE, 1 }, { PATH_TRIMMED, 4 },
        { PATH_MARKED_ALWAYS_SKIP, 15 } };

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        prepare(EVS, 2);
        path_on_mark(paths.set, 5, cases[i].signal, 0);
        expect_missed(5, cases[i].penalty);
    }
    prepare(EVS, 2);
    path_on_loss(paths.set, 5, false, 0, 0);
    expect_missed(5, 15);
    prepare(EVS, 2);
    path_on_loss(paths.set, 5, true, 0, 0); /* a full queue */
    expect_missed(5, 4);
}

SPEC("penalties add up to at most fifteen")
{
    prepare(EVS, 3);
    for (uint32_t i = 0; i < 3; i++)
        path_on_mark(paths.set, 5, PATH_MARKED_SKIP_ONCE, 0);
    expect_missed(5, 3);
    for (uint32_t i = 0; i < 9; i++)
        path_on_mark(paths.set, 5, PATH_TRIMMED, 0);
    expect_missed(5, 15);
    EXPECT_EQ(paths.change_count, 0);
}

SPEC("if all EVs have penalties, packets still leave, until all are worked off")
{
    uint32_t counts[4] = { 0 };

    prepare(4, 4);
    for (uint32_t i = 0; i < 4; i++)
        path_on_mark(paths.set, i, PATH_TRIMMED, 0);
    for (uint32_t i = 0; i < 100; i++)
        EXPECT_LT(path_pick_on(paths.set, 0, 0), 4);
    for (uint32_t i = 0; i < 40; i++)
        counts[path_pick_on(paths.set, 0, 0)]++;
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_GE(counts[i], 9);
        EXPECT_LE(counts[i], 11);
    }
}

SPEC("a retransmission avoids the EV of the lost packet")
{
    prepare(EVS, 5);
    for (uint32_t i = 0; i < 100; i++) {
        path_on_loss(paths.set, i % EVS, false, 0, 0);
        EXPECT(path_pick_other(paths.set, ALL_PLANES, 0, i % EVS, 0) != i % EVS);
    }
    path_check(paths.set);
}
