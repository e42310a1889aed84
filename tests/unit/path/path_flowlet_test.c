/* SPDX-License-Identifier: Apache-2.0 */
/* The policy `flowlet`. */
#include "paths.h"
#include "spec.h"

static struct paths paths;

static void prepare(uint32_t gap_ns)
{
    paths_shape(&paths, 2, 64, 0);
    paths.config.policy = path_policies[PATH_POLICY_FLOWLET];
    paths.config.flowlet_gap_ns = gap_ns;
    paths_open(&paths, 1);
}

/* Returns the number of changes of the EV of plane 0 in 100 packets at this distance. */
static uint32_t changes_at(uint64_t distance_ns)
{
    uint32_t before = path_pick_on(paths.set, 0, S(1));
    uint32_t changes = 0;

    for (uint32_t i = 1; i <= 100; i++) {
        uint32_t ev_index = path_pick_on(paths.set, 0, S(1) + i * distance_ns);

        changes += ev_index != before;
        before = ev_index;
    }
    return changes;
}

SPEC("packets without a pause take one EV of each plane")
{
    uint32_t other;

    prepare(US(5));
    EXPECT_EQ(changes_at(US(5) - 1), 0);
    other = path_pick_on(paths.set, 1, S(1) + US(499));
    for (uint32_t i = 0; i < 10; i++)
        EXPECT_EQ(path_pick_on(paths.set, 1, S(1) + US(500 + i)), other);
}

SPEC("after a pause the next packets take another EV")
{
    prepare(US(5));
    EXPECT_GE(changes_at(US(5)), 90); /* one in 64 draws repeats the EV */
}

SPEC("a pause is one base RTT unless the parameter says otherwise")
{
    prepare(0);
    EXPECT_EQ(changes_at(PATHS_BASE_RTT_NS - 1), 0);
    EXPECT_GE(changes_at(PATHS_BASE_RTT_NS), 90);
}

SPEC("a retransmission avoids the EV of the lost packet, and the flowlet stays")
{
    uint32_t usual;

    prepare(US(5));
    usual = path_pick_on(paths.set, 0, S(1));
    EXPECT(path_pick_other(paths.set, ALL_PLANES, 0, usual, S(1)) != usual);
    EXPECT_EQ(path_pick_on(paths.set, 0, S(1) + US(1)), usual);
}
