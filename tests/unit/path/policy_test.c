/* SPDX-License-Identifier: Apache-2.0 */
/* Which EV the next packet takes. */
#include "path/ev_table.h"

#include "paths.h"
#include "spec.h"

#define SOON US(1) /* after a mark at 0: it has not lapsed */
#define LATE US(13)

static uint32_t plane_of_pick(struct paths *paths, uint32_t plane_mask)
{
    return path_plane_of(paths->set, path_pick(paths->set, plane_mask, 0));
}

SPEC("planes take turns")
{
    struct paths paths;

    paths_init(&paths, 3, 2, 0);
    for (uint32_t i = 0; i < 12; i++)
        EXPECT_EQ(plane_of_pick(&paths, ALL_PLANES), i % 3);
}

SPEC("planes outside the mask are skipped, and the others continue in turn")
{
    struct paths paths;

    paths_init(&paths, 4, 2, 0);
    EXPECT_EQ(plane_of_pick(&paths, ALL_PLANES), 0);
    EXPECT_EQ(plane_of_pick(&paths, 0xd), 2);
    EXPECT_EQ(plane_of_pick(&paths, 0xd), 3);
    EXPECT_EQ(plane_of_pick(&paths, 0xe), 1);
    EXPECT_EQ(plane_of_pick(&paths, 0x2), 1);
    EXPECT_EQ(path_pick(paths.set, 0, 0), PATH_NONE);
    EXPECT_EQ(path_pick(paths.set, 0x10, 0), PATH_NONE);
}

SPEC("the highest plane takes part")
{
    struct paths paths;

    paths_init(&paths, PATH_PLANE_COUNT_MAX, 1, 0);
    for (uint32_t i = 0; i < 3 * PATH_PLANE_COUNT_MAX; i++)
        EXPECT_EQ(plane_of_pick(&paths, ALL_PLANES), i % PATH_PLANE_COUNT_MAX);
}

SPEC("picks for retransmissions do not change the turns of planes")
{
    struct paths paths;

    paths_init(&paths, 3, 2, 0);
    for (uint32_t i = 0; i < 12; i++) {
        EXPECT_EQ(plane_of_pick(&paths, ALL_PLANES), i % 3);
        path_pick_other(paths.set, ALL_PLANES, i % 2 ? PATH_NONE : 1, PATH_NONE, 0);
    }
}

SPEC("each EV is used exactly once in a rotation, and the order differs between rotations")
{
    struct paths paths;
    uint32_t same_count = 0;
    uint32_t before[8] = { 0 };

    paths_init(&paths, 1, 8, 2);
    for (uint32_t rotation = 0; rotation < 1000; rotation++) {
        bool seen[8] = { 0 };

        for (uint32_t i = 0; i < 8; i++) {
            uint32_t ev_index = path_pick(paths.set, 1, 0);

            EXPECT_LT(ev_index, 8);
            EXPECT(!seen[ev_index]);
            seen[ev_index] = true;
            same_count += before[i] == ev_index;
            before[i] = ev_index;
        }
    }
    EXPECT_GT(same_count, 850); /* 1,000 of 8,000 expected, deviation 30 */
    EXPECT_LT(same_count, 1150);
}

SPEC("the first EV in SKIP that a packet meets returns to GOOD but does not carry this packet")
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct paths paths;
        uint32_t picks = 0;

        paths_shape(&paths, 1, 3, 0);
        paths_open(&paths, seed);
        path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, 0);
        for (; path_state_of(paths.set, 1) == EV_SKIP; picks++)
            EXPECT_NE(path_pick(paths.set, 1, SOON), 1);
        EXPECT_LE(picks, 3); /* the third begins the next rotation */
        EXPECT_EQ(paths.change.cause, PATH_SKIP_ELAPSED);
    }
}

SPEC("a packet resets one SKIP at most")
{
    struct paths paths;

    paths_init(&paths, 1, 16, 0);
    for (uint32_t i = 1; i < 16; i++)
        path_on_mark(paths.set, i, PATH_MARKED_SKIP_ONCE, 0);
    for (uint32_t packet = 0; packet < 5; packet++) {
        uint32_t before = paths.change_count;
        uint32_t ev_index = path_pick(paths.set, 1, SOON);

        EXPECT_EQ(path_state_of(paths.set, ev_index), EV_GOOD);
        EXPECT_LE(paths.change_count - before, 1);
        EXPECT(paths.change_count == before || paths.change.ev_index != ev_index);
    }
    EXPECT_GE(paths.change_count, 15 + 2);
}

SPEC("a marked EV is skipped exactly once")
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct paths paths;
        uint32_t used = 0;

        paths_shape(&paths, 1, 4, 0);
        paths_open(&paths, seed);
        path_on_mark(paths.set, 2, PATH_MARKED_SKIP_ONCE, 0);
        for (uint32_t i = 0; i < 3; i++) /* the rest of the rotation */
            EXPECT_NE(path_pick(paths.set, 1, SOON), 2);
        for (uint32_t i = 0; i < 4; i++)
            used += path_pick(paths.set, 1, SOON) == 2;
        EXPECT_EQ(used, 1);
    }
}

SPEC("one base RTT after its mark an EV carries packets as if it had not been marked")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    for (uint32_t i = 0; i < 4; i++)
        path_on_mark(paths.set, i, PATH_MARKED_SKIP_ONCE, 0);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t ev_index = path_pick(paths.set, 1, LATE);

        EXPECT_EQ(path_state_of(paths.set, ev_index), EV_GOOD);
        EXPECT_EQ(paths.change.ev_index, ev_index);
    }
    EXPECT_EQ(paths.change_count, 8);
}

SPEC("if no EV is GOOD, the EV marked longest ago carries the packet and stays in SKIP")
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct paths paths;
        uint32_t ev_index;

        paths_shape(&paths, 1, 4, 0);
        paths_open(&paths, seed);
        path_on_mark(paths.set, 3, PATH_MARKED_SKIP_ONCE, US(1));
        path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, US(3));
        path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, US(5));
        path_on_mark(paths.set, 2, PATH_MARKED_SKIP_ONCE, US(7));
        ev_index = path_pick(paths.set, 1, US(8));
        EXPECT_EQ(paths.change.cause, PATH_SKIP_ELAPSED); /* one was met and reset */
        EXPECT_EQ(ev_index, paths.change.ev_index == 3 ? 1 : 3);
        EXPECT_EQ(path_state_of(paths.set, ev_index), EV_SKIP);
        EXPECT_EQ(paths.change_count, 5);
    }
}

SPEC("a second mark restarts the time of the first")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    for (uint32_t i = 0; i < 4; i++)
        path_on_mark(paths.set, i, PATH_MARKED_SKIP_ONCE, US(i));
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, US(8));
    EXPECT_NE(path_pick(paths.set, 1, US(9)), 0);
}

SPEC("if all marks but one have expired, the EVs with expired marks carry the packets")
{
    struct paths paths;

    paths_init(&paths, 1, 3, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, US(0));
    path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, US(0));
    path_on_mark(paths.set, 2, PATH_MARKED_SKIP_ONCE, US(12));
    for (uint32_t i = 0; i < 2; i++)
        EXPECT_NE(path_pick(paths.set, 1, US(13)), 2);
}

SPEC("the only EV of a plane is used even when this packet has just reset it")
{
    struct paths paths;

    paths_init(&paths, 1, 1, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    EXPECT_EQ(path_pick(paths.set, 1, SOON), 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
}

SPEC("a plane that has only EVs in SKIP keeps its turn")
{
    struct paths paths;

    paths_init(&paths, 2, 2, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, 0);
    for (uint32_t i = 0; i < 6; i++)
        EXPECT_EQ(plane_of_pick(&paths, ALL_PLANES), i % 2);
}

SPEC("a plane without usable EVs is skipped")
{
    struct paths paths;

    paths_init(&paths, 3, 1, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    for (uint32_t i = 0; i < 6; i++)
        EXPECT_EQ(plane_of_pick(&paths, ALL_PLANES), i % 2 ? 2 : 0);
}

SPEC("on a given plane EVs rotate, and planes keep their turns")
{
    struct paths paths;
    uint32_t used[6] = { 0 };

    paths_init(&paths, 3, 2, 0);
    EXPECT_EQ(plane_of_pick(&paths, ALL_PLANES), 0);
    for (uint32_t i = 0; i < 20; i++)
        used[path_pick_on(paths.set, 2, 0)]++;
    EXPECT_EQ(used[4], 10);
    EXPECT_EQ(used[5], 10);
    EXPECT_EQ(plane_of_pick(&paths, ALL_PLANES), 1);
    path_on_mark(paths.set, 4, PATH_MARKED_SKIP_ONCE, 0);
    path_on_mark(paths.set, 5, PATH_MARKED_SKIP_ONCE, 0);
    EXPECT_EQ(path_plane_of(paths.set, path_pick_on(paths.set, 2, LATE)), 2);
    EXPECT_EQ(paths.change.cause, PATH_SKIP_ELAPSED);
}

SPEC("from the tick at which a skip ends, the packet that meets the EV uses it")
{
    for (uint64_t seed = 0; seed < 20; seed++)
        for (uint32_t before = 0; before < 2; before++) {
            struct paths paths;
            uint32_t picked;

            paths_shape(&paths, 1, 3, 0);
            paths_open(&paths, seed); /* 10 us: six ticks of 2048 ns */
            path_on_mark(paths.set, 0, PATH_TRIMMED, 0);
            do
                picked = path_pick(paths.set, 1, 6 * 2048 - before);
            while (path_state_of(paths.set, 0) == EV_SKIP);
            EXPECT_EQ(picked == 0, !before);
        }
}

/* ---- shares by delay -------------------------------------------------------------------------*/

/* A plane of four whose EV 0 has this weight. */
static void open_weighted(struct paths *paths, uint32_t weight, uint64_t seed)
{
    paths_shape(paths, 1, 4, 0);
    paths->config.ev_skip = PATH_SKIP_DELAY;
    paths_open(paths, seed);
    path_next_round(paths->set);
    path_on_delay(paths->set, 0, 256, 0);
    ev_table_evs(paths->set)[0].weight = (uint8_t)weight;
}

SPEC("an EV in SKIP is used as often as its weight says, the others equally")
{
    static const uint32_t weights[] = { 16, 64, 192 };

    for (uint32_t i = 0; i < 3; i++) {
        uint32_t expected = 40000 * weights[i] / (weights[i] + 3 * 256);
        uint32_t used[4] = { 0 };
        struct paths paths;

        open_weighted(&paths, weights[i], i);
        for (uint32_t k = 0; k < 40000; k++)
            used[path_pick(paths.set, 1, LATE)]++;
        EXPECT_GT(used[0], expected - 250); /* deviation 50 at most */
        EXPECT_LT(used[0], expected + 250);
        for (uint32_t other = 1; other < 4; other++) {
            EXPECT_GE(used[other] + 2, (40000 - used[0]) / 3);
            EXPECT_LE(used[other], (40000 - used[0]) / 3 + 2);
        }
        EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP); /* no time ends it */
        EXPECT_EQ(paths.change_count, 1);
    }
}

SPEC("an EV with a share of 0 is never used, and one with 254 in all but two of 256 turns")
{
    struct paths paths;
    uint32_t passed_over = 0;

    open_weighted(&paths, 0, 1);
    for (uint32_t i = 0; i < 4000; i++)
        EXPECT_NE(path_pick(paths.set, 1, 0), 0);
    open_weighted(&paths, 254, 1);
    for (uint32_t rotation = 0; rotation < 10000; rotation++) {
        bool used = false;

        do
            used = path_pick(paths.set, 1, 0) == 0 || used;
        while (paths.set->planes[0].position != 0);
        passed_over += !used;
    }
    EXPECT_GT(passed_over, 35); /* 78 expected, deviation 9 */
    EXPECT_LT(passed_over, 121);
}

SPEC("an EV with a share is not used for a packet that avoids it")
{
    struct paths paths;

    open_weighted(&paths, 239, 1);
    for (uint32_t i = 0; i < 200; i++)
        EXPECT_NE(path_pick_other(paths.set, 1, 0, 0, 0), 0);
}

SPEC("if no EV is GOOD and no turn admits the packet, the EV with the largest share carries it")
{
    static const uint8_t weights[] = { 2, 5, 3, 4 };
    struct paths paths;
    uint32_t used[4] = { 0 };

    paths_shape(&paths, 1, 4, 0);
    paths.config.ev_skip = PATH_SKIP_DELAY;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 4; i++) {
        ev_table_apply(paths.set, i, PATH_DELAYED, 0);
        ev_table_evs(paths.set)[i].weight = weights[i];
    }
    for (uint32_t i = 0; i < 1000; i++)
        used[path_pick(paths.set, 1, 0)]++;
    EXPECT_GT(used[1], 950);
    for (uint32_t i = 0; i < 200; i++)
        EXPECT_NE(path_pick_other(paths.set, 1, 0, 1, 0), 1);
}

/* ---- another EV ------------------------------------------------------------------------------*/

SPEC("a retransmission goes on the plane asked for, and not on the EV to avoid")
{
    struct paths paths;

    paths_init(&paths, 3, 2, 0);
    for (uint32_t i = 0; i < 20; i++) {
        EXPECT_EQ(path_pick_other(paths.set, ALL_PLANES, 1, 2, 0), 3);
        EXPECT_NE(path_pick_other(paths.set, ALL_PLANES, 2, 2, 0) / 2, 1);
    }
}

SPEC("an EV that a retransmission avoids keeps its turn for other packets")
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct paths paths;
        uint32_t used[4] = { 0 };

        paths_shape(&paths, 1, 4, 0);
        paths_open(&paths, seed);
        used[path_pick_other(paths.set, 1, 0, 2, 0)]++;
        used[path_pick_other(paths.set, 1, 0, 2, 0)]++;
        used[path_pick(paths.set, 1, 0)]++;
        used[path_pick(paths.set, 1, 0)]++;
        for (uint32_t i = 0; i < 4; i++)
            EXPECT_EQ(used[i], 1);
    }
}

SPEC("if the plane asked for is not in the mask or has no usable EV, planes take turns")
{
    struct paths paths;

    paths_init(&paths, 3, 1, 0);
    path_on_loss(paths.set, 2, false, 0, 0);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(path_pick_other(paths.set, ALL_PLANES, 2, PATH_NONE, 0), i % 2);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(path_pick_other(paths.set, 0x2, 0, PATH_NONE, 0), 1);
        EXPECT_EQ(path_pick_other(paths.set, 0x1, PATH_NONE, PATH_NONE, 0), 0);
    }
    EXPECT_EQ(path_pick_other(paths.set, 0x4, PATH_NONE, PATH_NONE, 0), PATH_NONE);
}

SPEC("the only EV of a plane sends its retransmission to another plane, if there is one")
{
    struct paths paths;

    paths_init(&paths, 2, 1, 0);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(path_pick_other(paths.set, ALL_PLANES, 0, 0, 0), 1);
        EXPECT_EQ(path_pick_other(paths.set, 0x1, 0, 0, 0), 0);
        EXPECT_EQ(path_pick_other(paths.set, ALL_PLANES, 1, 1, 0), 0);
        EXPECT_EQ(path_pick_other(paths.set, 0x2, 1, 1, 0), 1);
    }
}

SPEC("every plane of one EV gives its retransmission to another plane, whatever plane is asked for")
{
    struct paths paths;

    paths_init(&paths, 4, 1, 0);
    for (uint32_t avoid = 0; avoid < 4; avoid++)
        for (uint32_t plane = 0; plane < 4; plane++)
            EXPECT_NE(path_pick_other(paths.set, ALL_PLANES, plane, avoid, 0), avoid);
}

SPEC("an EV in SKIP is preferred to the EV to avoid")
{
    struct paths paths;

    paths_init(&paths, 1, 2, 0);
    for (uint32_t i = 0; i < 10; i++) {
        path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, 0);
        EXPECT_EQ(path_pick_other(paths.set, 1, 0, 0, SOON), 1);
    }
}

SPEC("an EV that this packet has just reset is preferred to the EV to avoid")
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct paths paths;

        paths_shape(&paths, 1, 2, 0);
        paths_open(&paths, seed);
        if (path_pick(paths.set, 1, 0) != 0) /* then 1 is next */
            continue;
        path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, 0);
        EXPECT_EQ(path_pick_other(paths.set, 1, 0, 0, SOON), 1);
        EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    }
}

SPEC("an EV to avoid that is not in rotation has no effect")
{
    struct paths paths;

    paths_init(&paths, 1, 2, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(path_pick_other(paths.set, 1, 0, 0, 0), 1);
}

SPEC("an EV to avoid is avoided also if its mark has expired or this packet resets it")
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct paths paths;

        paths_shape(&paths, 1, 3, 0);
        paths_open(&paths, seed);
        for (uint32_t i = 0; i < 12; i++) {
            path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
            EXPECT_NE(path_pick_other(paths.set, 1, 0, 0, i % 2 ? SOON : LATE), 0);
        }
    }
}

/* ---- nothing usable --------------------------------------------------------------------------*/

SPEC("without a usable EV, planes take turns, and suspects come before bad EVs, these by damping")
{
    struct paths paths;

    paths_init(&paths, 3, 4, 0);
    for (uint32_t i = 0; i < 12; i++) {
        ev_table_apply(paths.set, i, i < 8 ? PATH_LOST : PATH_ADMIN_DENY, 0);
        ev_table_evs(paths.set)[i].damping = (7 - i) & 7u;
    }
    path_deny(paths.set, 7, 0);
    ev_table_apply(paths.set, 1, PATH_PROBE_ANSWERED, 0);
    ev_table_apply(paths.set, 1, PATH_SUSPECTED, 0);
    EXPECT_EQ(path_pick(paths.set, ALL_PLANES, 0), PATH_NONE);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(path_pick_desperate(paths.set, ALL_PLANES), 1); /* a suspect */
        EXPECT_EQ(path_pick_desperate(paths.set, ALL_PLANES), 6);
        path_check(paths.set);
    }
    path_deny(paths.set, 1, 0);
    EXPECT_EQ(path_pick_desperate(paths.set, 1), 3);
    EXPECT_EQ(path_pick_desperate(paths.set, 0x4), PATH_NONE);
    EXPECT_EQ(path_pick_desperate(paths.set, 0), PATH_NONE);
}

SPEC("a suspect is preferred to a bad EV without damping")
{
    for (uint32_t suspect = 0; suspect < 2; suspect++) {
        struct paths paths;

        paths_init(&paths, 1, 2, 0);
        ev_table_apply(paths.set, suspect, PATH_SUSPECTED, 0);
        ev_table_apply(paths.set, 1 - suspect, PATH_LOST, 0);
        for (uint32_t i = 0; i < 4; i++)
            EXPECT_EQ(path_pick_desperate(paths.set, 1), suspect);
    }
}

SPEC("equally bad EVs take turns")
{
    struct paths paths;
    uint32_t used[4] = { 0 };

    paths_init(&paths, 2, 4, 0);
    for (uint32_t i = 0; i < 4; i++)
        path_on_loss(paths.set, i, false, 0, 0);
    for (uint32_t i = 0; i < 12; i++)
        used[path_pick_desperate(paths.set, 1)]++;
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(used[i], 3);
}
