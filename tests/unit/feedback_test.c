/* SPDX-License-Identifier: Apache-2.0 */
/* What marks, losses, spurious losses and the controller do to an EV. */
#include "path/ev_table.h"

#include "paths.h"
#include "spec.h"

static void lose_times(struct paths *paths, uint32_t ev_index, uint32_t count, uint64_t now_ns)
{
    for (uint32_t i = 0; i < count; i++)
        path_on_loss(paths->set, ev_index, now_ns, now_ns);
}

/* ---- marks -----------------------------------------------------------------------------------*/

SPEC("SKIP_ONCE and TRIMMED lead to SKIP, ALWAYS_SKIP to ASSUMED_BAD")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    path_on_mark(paths.set, 1, PATH_TRIMMED, 0);
    path_on_mark(paths.set, 2, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_ASSUMED_BAD);
    EXPECT_EQ(path_state_of(paths.set, 3), EV_GOOD);
    path_check(paths.set);
}

SPEC("an unmarked SACK leaves an EV in SKIP")
{
    struct paths paths;

    paths_init(&paths, 1, 2, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    path_on_unmarked(paths.set, 0);
    path_on_delivered(paths.set, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
}

SPEC("ALWAYS_SKIP respects the floor: SKIP instead, counted and told as spared")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.profile.min_active = 4;
    paths_open(&paths, 1);
    path_on_mark(paths.set, 0, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
    EXPECT_EQ(paths.change.cause, PATH_MARKED_SPARED);
    EXPECT_EQ(path_refusals(paths.set), 1);
    path_deny(paths.set, 1, 0);
    path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(path_refusals(paths.set), 1);
}

/* ---- losses ----------------------------------------------------------------------------------*/

SPEC("literal: one loss demotes")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    EXPECT(path_on_loss(paths.set, 2, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 2), EV_ASSUMED_BAD);
}

SPEC("3of8: a loss means SKIP, the third among the last 8 packets demotes")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.loss_to_bad = PATH_LOSS_3OF8;
    paths_open(&paths, 1);
    EXPECT(!path_on_loss(paths.set, 0, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
    EXPECT_EQ(paths.change.cause, PATH_LOST_SPARED);
    EXPECT_EQ(path_refusals(paths.set), 0);
    for (uint32_t i = 0; i < 3; i++)
        path_on_delivered(paths.set, 0);
    EXPECT(!path_on_loss(paths.set, 0, 0, 0));
    for (uint32_t i = 0; i < 2; i++)
        path_on_delivered(paths.set, 0);
    EXPECT(path_on_loss(paths.set, 0, 0, 0)); /* 1 000 1 00 1: eight packets */
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

SPEC("3of8: three losses among 9 packets do not demote")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.loss_to_bad = PATH_LOSS_3OF8;
    paths_open(&paths, 1);
    path_on_loss(paths.set, 0, 0, 0);
    for (uint32_t i = 0; i < 6; i++)
        path_on_delivered(paths.set, 0);
    path_on_loss(paths.set, 0, 0, 0);
    EXPECT(!path_on_loss(paths.set, 0, 0, 0));
}

SPEC("3of8: a timeout while others make progress demotes; otherwise a timeout is a loss")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.loss_to_bad = PATH_LOSS_3OF8;
    paths_open(&paths, 1);
    EXPECT(path_on_timeout(paths.set, 0, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);

    paths_shape(&paths, 1, 16, 0);
    paths.config.loss_to_bad = PATH_LOSS_ADAPTIVE;
    paths_open(&paths, 1);
    EXPECT(path_on_timeout(paths.set, 0, 0, 0));
    EXPECT(path_on_timeout(paths.set, 1, 0, 0));
    EXPECT(!path_on_timeout(paths.set, 2, 0, 0));
}

SPEC("a trimmed packet has come through, as far as losses in a row are concerned")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.loss_to_bad = PATH_LOSS_3OF8;
    paths_open(&paths, 1);
    path_on_loss(paths.set, 0, 0, 0);
    path_on_loss(paths.set, 0, 0, 0);
    for (uint32_t i = 0; i < 6; i++)
        path_on_mark(paths.set, 0, PATH_TRIMMED, 0);
    EXPECT(!path_on_loss(paths.set, 0, 0, 0));
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0); /* delivered separately */
    EXPECT(!path_on_loss(paths.set, 0, 0, 0));
    EXPECT(path_on_loss(paths.set, 0, 0, 0));
}

SPEC("adaptive: first losses demote below an eighth of all EVs, three in a row beyond it")
{
    struct paths paths;

    paths_shape(&paths, 2, 8, 4); /* 24: three may go */
    paths.config.loss_to_bad = PATH_LOSS_ADAPTIVE;
    paths_open(&paths, 1);
    EXPECT(path_on_loss(paths.set, 0, 0, 0));
    EXPECT(path_on_loss(paths.set, 1, 0, 0));
    EXPECT(path_on_loss(paths.set, 12, 0, 0));
    EXPECT(!path_on_loss(paths.set, 13, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 13), EV_SKIP);
    EXPECT(!path_on_loss(paths.set, 13, 0, 0));
    path_on_delivered(paths.set, 13);
    EXPECT(!path_on_loss(paths.set, 13, 0, 0));
    EXPECT(!path_on_loss(paths.set, 13, 0, 0));
    EXPECT(path_on_loss(paths.set, 13, 0, 0));
    EXPECT_EQ(path_refusals(paths.set), 0);
}

SPEC("adaptive: a plane's last EV, if it is spared, takes three losses in a row to go")
{
    struct paths paths;

    paths_shape(&paths, 4, 1, 0);
    paths.config.loss_to_bad = PATH_LOSS_ADAPTIVE;
    paths.config.spares_last_ev = true;
    paths_open(&paths, 1);
    EXPECT(!path_on_loss(paths.set, 2, 0, 0));
    EXPECT(!path_on_loss(paths.set, 2, 0, 0));
    EXPECT_EQ(path_usable_planes(paths.set, 0xf), 0xf);
    EXPECT(path_on_loss(paths.set, 2, 0, 0));
    EXPECT_EQ(path_usable_planes(paths.set, 0xf), 0xb);
}

SPEC("adaptive: one loss takes an EV whose plane has another, in use or in reserve")
{
    struct paths paths;

    paths_shape(&paths, 2, 1, 1);
    paths.config.loss_to_bad = PATH_LOSS_ADAPTIVE;
    paths.config.spares_last_ev = true;
    paths_open(&paths, 1);
    EXPECT(path_on_loss(paths.set, 0, 0, 0));
    EXPECT_EQ(path_usable_planes(paths.set, 3), 3);
    EXPECT(!path_on_loss(paths.set, 1, 0, 0));
}

SPEC("adaptive: EVs denied or bad by ALWAYS_SKIP are not bad through loss")
{
    struct paths paths;

    paths_shape(&paths, 1, 16, 0);
    paths.config.loss_to_bad = PATH_LOSS_ADAPTIVE;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 4; i++)
        path_on_mark(paths.set, i, PATH_MARKED_ALWAYS_SKIP, 0);
    path_deny(paths.set, 4, 0);
    EXPECT(path_on_loss(paths.set, 5, 0, 0));
    EXPECT(path_on_loss(paths.set, 6, 0, 0));
    EXPECT(!path_on_loss(paths.set, 7, 0, 0));
    path_deny(paths.set, 5, 0); /* no longer counted */
    EXPECT(path_on_loss(paths.set, 8, 0, 0));
    path_check(paths.set);
}

SPEC("at the floor a loss means SKIP, with a new mark, and the refusal is counted")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.profile.min_active = 3;
    paths_open(&paths, 1);
    EXPECT(path_on_loss(paths.set, 0, 0, 0));
    EXPECT(!path_on_loss(paths.set, 1, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(paths.change.cause, PATH_LOST_SPARED);
    EXPECT_EQ(path_refusals(paths.set), 1);
    EXPECT(!path_on_loss(paths.set, 1, US(8), US(8)));
    EXPECT_EQ(path_refusals(paths.set), 2);
    for (uint32_t i = 0; i < 6; i++) /* one rotation resets it, unless its mark is fresh */
        EXPECT_NE(path_pick(paths.set, 1, US(13)), 0);
}

SPEC("three lost in a row go below the floor, the last usable EV never goes")
{
    struct paths paths;

    paths_shape(&paths, 1, 3, 0);
    paths.profile.min_active = 3;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT(!path_on_loss(paths.set, i, 0, 0));
        EXPECT(!path_on_loss(paths.set, i, 0, 0));
        EXPECT_EQ(path_on_loss(paths.set, i, 0, 0), i < 2);
    }
    lose_times(&paths, 2, 20, 0);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SKIP);
    EXPECT_EQ(path_usable_count(paths.set), 1);
    path_on_mark(paths.set, 2, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SKIP);
}

SPEC("a delivery in between ends the row")
{
    struct paths paths;

    paths_shape(&paths, 1, 3, 0);
    paths.profile.min_active = 3;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 10; i++) {
        lose_times(&paths, 0, 2, 0);
        path_on_delivered(paths.set, 0);
    }
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
}

SPEC("losses of packets sent before an EV came back change nothing, later ones do")
{
    struct paths paths;
    uint64_t now_ns = 1000;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, 500, now_ns);
    paths_answer_probes(&paths, 0, 3, &now_ns);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT(!path_on_loss(paths.set, 0, now_ns - 1, now_ns + 10));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT(path_on_loss(paths.set, 0, now_ns, now_ns + 10));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

SPEC("what came back makes no difference to EVs that were never gone")
{
    struct paths paths;
    uint64_t now_ns = 1000;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, 500, now_ns);
    paths_answer_probes(&paths, 0, 3, &now_ns);
    EXPECT(path_on_loss(paths.set, 1, 500, now_ns + 10));
}

/* EV 0 is back from being bad at `back_ns`. */
static void bring_back(struct paths *paths, uint64_t back_ns)
{
    uint64_t now_ns = back_ns - MS(20);

    paths_init(paths, 1, 4, 0);
    path_on_loss(paths->set, 0, now_ns, now_ns);
    while (now_ns < back_ns - MS(1) && path_state_of(paths->set, 0) == EV_ASSUMED_BAD)
        paths_answer_probes(paths, 0, 1, &now_ns);
    EXPECT_EQ(path_state_of(paths->set, 0), EV_GOOD);
}

SPEC("a new period soon after an EV came back does not make old losses new")
{
    struct paths paths;

    bring_back(&paths, S(5));
    path_on_loss(paths.set, 2, S(5), S(5) + MS(1));
    EXPECT(!path_on_loss(paths.set, 0, S(5) - MS(20), S(5) + MS(2)));
}

SPEC("long after an EV came back the return of another one does not excuse its losses")
{
    struct paths paths;
    uint64_t now_ns = S(12);

    bring_back(&paths, S(5));
    path_on_loss(paths.set, 2, now_ns, now_ns);
    paths_answer_probes(&paths, 2, 3, &now_ns);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_GOOD);
    EXPECT(path_on_loss(paths.set, 0, now_ns - 1, now_ns));
}

SPEC("an EV that came back starts with a clean record")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_shape(&paths, 1, 4, 0);
    paths.config.loss_to_bad = PATH_LOSS_3OF8;
    paths_open(&paths, 1);
    lose_times(&paths, 0, 3, 0);
    paths_answer_probes(&paths, 0, 3, &now_ns);
    EXPECT(!path_on_loss(paths.set, 0, now_ns, now_ns));
    EXPECT(!path_on_loss(paths.set, 0, now_ns, now_ns));
    EXPECT(path_on_loss(paths.set, 0, now_ns, now_ns));
}

/* ---- spurious losses -------------------------------------------------------------------------*/

SPEC("a spurious loss gives the EV back its state: GOOD, or SKIP if it was that")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, 0, 0);
    path_on_spurious(paths.set, 0, 10);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT_EQ(paths.change.cause, PATH_SPURIOUS);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, 0);
    path_on_loss(paths.set, 1, 0, 0);
    path_on_spurious(paths.set, 1, 10);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    path_check(paths.set);
}

SPEC("it stays bad if another loss, a probe or ALWAYS_SKIP has spoken against it since")
{
    struct paths paths;
    uint64_t now_ns;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, 0, 0);
    path_on_loss(paths.set, 0, 0, 1);
    path_on_spurious(paths.set, 0, 10);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);

    path_on_loss(paths.set, 1, 0, 0);
    path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, 1);
    path_on_spurious(paths.set, 1, 10);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 2, 0, 0);
    now_ns = path_probe_deadline_ns(paths.set);
    EXPECT_EQ(path_probe_next(paths.set, 1, now_ns), 2);
    now_ns = path_probe_deadline_ns(paths.set);
    EXPECT_EQ(path_probe_next(paths.set, 1, now_ns), PATH_NONE);
    path_on_spurious(paths.set, 2, now_ns);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_ASSUMED_BAD);
}

SPEC("what ALWAYS_SKIP or the controller did, no spurious loss undoes")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_ALWAYS_SKIP, 0);
    path_on_spurious(paths.set, 0, 10);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
    path_on_loss(paths.set, 1, 0, 0);
    path_deny(paths.set, 1, 0);
    path_on_spurious(paths.set, 1, 10);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_DENIED);
}

SPEC("a spurious loss that did not demote no longer counts")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.loss_to_bad = PATH_LOSS_3OF8;
    paths_open(&paths, 1);
    lose_times(&paths, 0, 2, 0);
    path_on_spurious(paths.set, 0, 0);
    EXPECT(!path_on_loss(paths.set, 0, 0, 0));
    EXPECT(path_on_loss(paths.set, 0, 0, 0));
}

SPEC("after a spurious loss the rest of its burst changes nothing")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, 100, 1000);
    path_on_spurious(paths.set, 0, 2000);
    EXPECT(!path_on_loss(paths.set, 0, 900, 2100));
    EXPECT(path_on_loss(paths.set, 0, 2000, 3000));
}

/* ---- skip_backoff ----------------------------------------------------------------------------*/

/* Rotations of a plane of two in which EV 0 is passed over. */
static uint32_t rotations_skipped(struct paths *paths, uint64_t now_ns)
{
    uint32_t picks = 0;

    while (path_pick(paths->set, 1, now_ns) != 0)
        picks++;
    return picks;
}

SPEC("skip_backoff: an unmarked SACK makes the next mark the first again, and ends a long skip")
{
    struct paths paths;

    paths_shape(&paths, 1, 2, 0);
    paths.config.skip_backoff = true;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 4; i++)
        path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    path_on_unmarked(paths.set, 0);
    EXPECT_LE(rotations_skipped(&paths, 0), 3);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    EXPECT_LE(rotations_skipped(&paths, 0), 3);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    EXPECT_GE(rotations_skipped(&paths, 0), 4);
}

SPEC("skip_backoff: an EV that came back or was replaced has no marks behind it")
{
    for (uint32_t replaced = 0; replaced < 2; replaced++) {
        struct paths paths;
        uint64_t now_ns = 0;

        paths_shape(&paths, 1, 2, 0);
        paths.config.skip_backoff = true;
        paths_open(&paths, 1);
        for (uint32_t i = 0; i < 5; i++)
            path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
        if (replaced) {
            path_replaced(paths.set, 0, now_ns);
        } else {
            path_on_loss(paths.set, 0, 0, 0);
            paths_answer_probes(&paths, 0, 3, &now_ns);
        }
        EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
        EXPECT_EQ(ev_table_backoffs(paths.set)[0].marks, 0);
        path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, now_ns);
        EXPECT_LE(rotations_skipped(&paths, now_ns), 3);
    }
}

SPEC("skip_backoff: a short skip follows a long one that a demotion cut off")
{
    struct paths paths;

    paths_shape(&paths, 1, 2, 0);
    paths.config.skip_backoff = true;
    paths.config.loss_to_bad = PATH_LOSS_3OF8;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 5; i++)
        path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    path_deny(paths.set, 0, 0);
    path_allow(paths.set, 0, 0);
    path_on_loss(paths.set, 0, 0, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
    EXPECT_LE(rotations_skipped(&paths, 0), 3);
}

SPEC("a config that turns skip_backoff on later does not reach sets without the memory for it")
{
    struct paths paths;

    paths_init(&paths, 1, 2, 0);
    paths.config.skip_backoff = true;
    memset(paths.memory + path_set_bytes(2, false), 0x5a, 64);
    for (uint32_t i = 0; i < 4; i++) {
        path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
        path_pick(paths.set, 1, 0);
        path_on_unmarked(paths.set, 0);
        path_replaced(paths.set, 0, 0);
    }
    for (uint32_t i = 0; i < 64; i++)
        EXPECT_EQ(paths.memory[path_set_bytes(2, false) + i], 0x5a);
}

/* ---- the controller --------------------------------------------------------------------------*/

SPEC("a denied EV leaves the rotation whatever the floor, and only allowing it brings it back")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_shape(&paths, 1, 2, 1);
    paths.profile.min_active = 2;
    paths_open(&paths, 1);
    path_deny(paths.set, 0, 0);
    path_deny(paths.set, 1, 0);
    path_deny(paths.set, 2, 0);
    EXPECT_EQ(path_usable_count(paths.set), 0);
    EXPECT_EQ(path_pick(paths.set, 1, 0), PATH_NONE);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    path_on_loss(paths.set, 0, 0, 0);
    path_on_probe_answered(paths.set, 0, false, false, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_DENIED);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    path_allow(paths.set, 1, 0);
    EXPECT_EQ(path_pick(paths.set, 1, 0), 1);
    EXPECT_EQ(paths.change.cause, PATH_ADMIN_ALLOW);
    path_on_loss(paths.set, 1, now_ns, now_ns);
    path_allow(paths.set, 1, now_ns);
    path_check(paths.set);
}

SPEC("allowing does not bring back a bad EV")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, 0, 0);
    path_allow(paths.set, 0, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

SPEC("an allowed EV has no past")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.loss_to_bad = PATH_LOSS_3OF8;
    paths_open(&paths, 1);
    lose_times(&paths, 0, 2, 100);
    path_deny(paths.set, 0, 200);
    path_allow(paths.set, 0, 300);
    EXPECT(!path_on_loss(paths.set, 0, 100, 400));
    EXPECT(!path_on_loss(paths.set, 0, 300, 400));
    EXPECT(!path_on_loss(paths.set, 0, 300, 400));
    EXPECT(path_on_loss(paths.set, 0, 300, 400));
}

SPEC("a replaced EV starts GOOD without a past, whatever it was")
{
    struct paths paths;

    paths_shape(&paths, 1, 5, 0);
    paths.config.loss_to_bad = PATH_LOSS_3OF8;
    paths_open(&paths, 1);
    lose_times(&paths, 0, 2, 100);
    lose_times(&paths, 1, 3, 100);
    path_deny(paths.set, 2, 100);
    for (uint32_t i = 0; i < 4; i++) {
        path_replaced(paths.set, i, 200);
        EXPECT_EQ(path_state_of(paths.set, i), EV_GOOD);
        EXPECT(path_is_active(paths.set, i));
        EXPECT(!path_on_loss(paths.set, i, 199, 300));
        EXPECT_EQ(path_state_of(paths.set, i), EV_GOOD);
        EXPECT(!path_on_loss(paths.set, i, 200, 300));
        EXPECT(!path_on_loss(paths.set, i, 200, 300));
    }
    EXPECT_EQ(path_bad_count(paths.set), 0);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    path_check(paths.set);
}

SPEC("an EV replaced by a denied one is denied")
{
    struct paths paths;

    paths_init(&paths, 1, 2, 1);
    paths.entries[0].denied = true;
    path_replaced(paths.set, 0, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_DENIED);
    EXPECT(path_is_active(paths.set, 2));
    paths.entries[0].denied = false;
    path_replaced(paths.set, 0, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    path_check(paths.set);
}
