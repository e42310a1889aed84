/* SPDX-License-Identifier: Apache-2.0 */
/* The policy `retire`. */
#include "paths.h"
#include "spec.h"

enum { EVS = 8 };

static struct paths paths;

static void prepare(enum path_loss_to_bad loss_to_bad)
{
    paths_shape(&paths, 1, EVS, 0);
    paths.config.policy = path_policies[PATH_POLICY_RETIRE];
    paths.config.loss_to_bad = loss_to_bad;
    paths_open(&paths, 1);
}

SPEC("an EV that turns bad is denied and not probed")
{
    prepare(PATH_LOSS_LITERAL);
    EXPECT(path_on_loss(paths.set, 3, false, US(1), US(2)));
    EXPECT_EQ(path_state_of(paths.set, 3), EV_DENIED);
    EXPECT_EQ(path_bad_count(paths.set), 0);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    for (uint32_t i = 0; i < 100; i++)
        EXPECT(path_pick_on(paths.set, 0, S(i)) != 3);
    path_check(paths.set);
}

SPEC("a loss that proves spurious does not bring it back, the controller does")
{
    prepare(PATH_LOSS_LITERAL);
    path_on_loss(paths.set, 3, false, US(1), US(2));
    path_on_spurious(paths.set, 3, US(3));
    EXPECT_EQ(path_state_of(paths.set, 3), EV_DENIED);
    path_allow(paths.set, 3, US(4));
    EXPECT_EQ(path_state_of(paths.set, 3), EV_GOOD);
}

SPEC("a suspect EV that answers a probe returns; one that is silent is denied")
{
    uint64_t now_ns = US(2);

    prepare(PATH_LOSS_COMPARED);
    EXPECT(path_on_loss(paths.set, 3, false, US(1), now_ns));
    EXPECT_EQ(path_state_of(paths.set, 3), EV_SUSPECT);
    paths_answer_probes(&paths, 3, 10, &now_ns);
    EXPECT_EQ(path_state_of(paths.set, 3), EV_GOOD);

    EXPECT(path_on_loss(paths.set, 5, false, now_ns, now_ns));
    EXPECT_EQ(path_state_of(paths.set, 5), EV_SUSPECT);
    while (path_probe_deadline_ns(paths.set) != UINT64_MAX && now_ns < S(1)) {
        now_ns = path_probe_deadline_ns(paths.set);
        path_probe_next(paths.set, ALL_PLANES, now_ns);
    }
    EXPECT_EQ(path_state_of(paths.set, 5), EV_DENIED);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    path_check(paths.set);
}

SPEC("the last usable EV is never retired")
{
    prepare(PATH_LOSS_LITERAL);
    for (uint32_t i = 0; i < 10 * EVS; i++)
        path_on_loss(paths.set, i % EVS, false, US(i), US(i));
    EXPECT_EQ(path_usable_count(paths.set), 1);
    EXPECT_LT(path_pick_on(paths.set, 0, S(1)), EVS);
    path_check(paths.set);
}
