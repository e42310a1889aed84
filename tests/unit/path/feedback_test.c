/* SPDX-License-Identifier: Apache-2.0 */
/* What marks, losses, spurious losses and the controller do to an EV. */
#include "path/ev_table.h"

#include "paths.h"
#include "spec.h"

static struct ev_table_ev *ev_of(const struct paths *paths, uint32_t ev_index)
{
    return &ev_table_evs(paths->set)[ev_index];
}

static bool lose(struct paths *paths, uint32_t ev_index)
{
    bool is_out = path_on_loss(paths->set, ev_index, false, 0, 0);

    path_check(paths->set);
    return is_out;
}

static void lose_times(struct paths *paths, uint32_t ev_index, uint32_t count, uint64_t now_ns)
{
    for (uint32_t i = 0; i < count; i++)
        path_on_loss(paths->set, ev_index, false, now_ns, now_ns);
}

/* ---- marks -----------------------------------------------------------------------------------*/

SPEC("only a further ALWAYS_SKIP counts as another failure of a bad EV")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(ev_of(&paths, 0)->more_against, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    EXPECT_EQ(ev_of(&paths, 0)->more_against, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(ev_of(&paths, 0)->more_against, 1);
}

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
    path_on_delivered(paths.set, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
}

SPEC("where delays are measured a trim counts as twice the usual delay, and SKIP_ONCE does not "
     "change the share")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.ev_skip = PATH_SKIP_DELAY;
    paths_open(&paths, 1);
    path_next_round(paths.set);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    path_on_mark(paths.set, 1, PATH_TRIMMED, 0);
    path_on_mark(paths.set, 2, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(path_turns_of(paths.set, 0), 255);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(paths.set->suspect_count, 0);
    EXPECT_EQ(ev_of(&paths, 1)->weight, 191); /* 255 - 255 / 4 - 1 */
    EXPECT_EQ(path_state_of(paths.set, 2), EV_ASSUMED_BAD);
}

/* Returns how often the EV is used in the next `count` packets. */
static uint32_t uses_of(struct paths *paths, uint32_t ev_index, uint32_t count)
{
    uint32_t uses = 0;

    for (uint32_t i = 0; i < count; i++)
        uses += path_pick(paths->set, 1, 0) == ev_index;
    return uses;
}

SPEC("where delays are measured a marked EV misses one turn, and is GOOD then")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.ev_skip = PATH_SKIP_DELAY;
    paths_open(&paths, 1);
    path_on_mark(paths.set, 2, PATH_MARKED_SKIP_ONCE, 0);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SKIP);
    EXPECT_EQ(uses_of(&paths, 2, 3), 0);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_GOOD);
    EXPECT_EQ(uses_of(&paths, 2, 4), 1);
}

SPEC("marks on half of the EVs of a plane leave the others GOOD")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.ev_skip = PATH_SKIP_DELAY;
    paths_open(&paths, 1);
    for (uint32_t ev = 0; ev < 4; ev++)
        path_on_mark(paths.set, ev, PATH_MARKED_SKIP_ONCE, 0);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_GOOD);
    EXPECT_EQ(path_state_of(paths.set, 3), EV_GOOD);
}

SPEC("a delay counts from the round after the mark on")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.ev_skip = PATH_SKIP_DELAY;
    paths_open(&paths, 1);
    path_next_round(paths.set);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0);
    path_on_delay(paths.set, 0, 256, 7);
    EXPECT_EQ(path_turns_of(paths.set, 0), 255);
    path_next_round(paths.set);
    path_on_delay(paths.set, 0, 256, 7);
    EXPECT_EQ(path_turns_of(paths.set, 0), 191);
}

SPEC("ALWAYS_SKIP makes a suspect bad, and counts against an EV that is not in use")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    ev_table_apply(paths.set, 0, PATH_SUSPECTED, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
    EXPECT_EQ(path_refusals(paths.set), 0);
    path_on_spurious(paths.set, 0, 1);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

SPEC("ALWAYS_SKIP respects the floor: the EV is in SKIP instead, and is counted and reported as "
     "spared")
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
    EXPECT(path_on_loss(paths.set, 2, false, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 2), EV_ASSUMED_BAD);
}

SPEC("a delivery counts up to 255 since the last loss, and ends losses in a row")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.profile.min_active = 4;
    paths_open(&paths, 1);
    EXPECT_EQ(ev_of(&paths, 0)->run, 255);
    lose_times(&paths, 0, 2, 0);
    EXPECT_EQ(ev_of(&paths, 0)->run, 0);
    EXPECT_EQ(ev_of(&paths, 0)->in_a_row, 2);
    path_on_delivered(paths.set, 0);
    EXPECT_EQ(ev_of(&paths, 0)->run, 1);
    EXPECT_EQ(ev_of(&paths, 0)->in_a_row, 0);
    for (uint32_t i = 0; i < 300; i++)
        path_on_delivered(paths.set, 0);
    EXPECT_EQ(ev_of(&paths, 0)->run, 255);
}

SPEC("a trimmed packet counts as delivered for loss detection")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.profile.min_active = 4;
    paths_open(&paths, 1);
    lose_times(&paths, 0, 2, 0);
    path_on_mark(paths.set, 0, PATH_TRIMMED, 0);
    EXPECT_EQ(ev_of(&paths, 0)->in_a_row, 0);
    EXPECT_EQ(ev_of(&paths, 0)->run, 1);
    lose_times(&paths, 0, 2, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, 0); /* delivered separately */
    EXPECT_EQ(ev_of(&paths, 0)->in_a_row, 2);
}

/* ---- losses compared with those of other paths -----------------------------------------------*/

static void open_compared(struct paths *paths, uint32_t planes, uint32_t active, uint32_t backup)
{
    paths_shape(paths, planes, active, backup);
    paths->config.loss_to_bad = PATH_LOSS_COMPARED;
    paths_open(paths, 1);
}

static void open_compared_by_delay(struct paths *paths)
{
    paths_shape(paths, 1, 8, 0);
    paths->config.loss_to_bad = PATH_LOSS_COMPARED;
    paths->config.ev_skip = PATH_SKIP_DELAY;
    paths_open(paths, 1);
}

SPEC("compared: a loss where all others deliver makes an EV suspect")
{
    struct paths paths;

    open_compared(&paths, 1, 8, 0);
    EXPECT(lose(&paths, 2));
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SUSPECT);
    EXPECT_EQ(paths.change.cause, PATH_SUSPECTED);
    EXPECT_EQ(path_refusals(paths.set), 0);
    EXPECT_EQ(path_bad_count(paths.set), 0);
    EXPECT(!lose(&paths, 2));
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SUSPECT);
    path_on_spurious(paths.set, 2, 1); /* the second loss speaks against it */
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SUSPECT);
}

SPEC("compared: losses of an EV whose packets are late demote it only after three in a row")
{
    struct paths paths;

    open_compared_by_delay(&paths);
    path_on_delay(paths.set, 3, 100, 0);
    EXPECT(!path_on_loss(paths.set, 3, false, 0, 0));
    EXPECT(!path_on_loss(paths.set, 3, false, 0, 0));
    EXPECT_EQ(ev_table_evs(paths.set)[3].damping, 0);
    EXPECT(path_on_loss(paths.set, 3, false, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 3), EV_SUSPECT);

    path_on_late(paths.set, 4, 0); /* a loss had not happened */
    EXPECT(!path_on_loss(paths.set, 4, false, 0, 0));
    path_on_delay(paths.set, 4, 0, 0); /* a packet was in time */
    path_on_delivered(paths.set, 4);
    EXPECT(path_on_loss(paths.set, 4, false, 0, 0));
}

SPEC("a packet declared lost that arrives late costs its path a quarter of its share, once a round")
{
    struct paths paths;

    open_compared_by_delay(&paths);
    path_next_round(paths.set);
    path_on_late(paths.set, 3, 0);
    EXPECT_EQ(path_state_of(paths.set, 3), EV_SKIP);
    EXPECT_EQ(ev_of(&paths, 3)->weight, 191); /* 255 - 255 / 4 - 1 */
    path_on_late(paths.set, 3, 0);
    EXPECT_EQ(ev_of(&paths, 3)->weight, 191);
    path_next_round(paths.set);
    path_on_late(paths.set, 3, 0);
    EXPECT_EQ(ev_of(&paths, 3)->weight, 143);
}

SPEC("a suspect path that was slow keeps its share when a probe is answered, or its loss was none")
{
    for (uint32_t is_spurious = 0; is_spurious < 2; is_spurious++) {
        struct paths paths;
        uint64_t now_ns = 0;

        paths_shape(&paths, 1, 8, 0);
        paths.config.loss_to_bad = PATH_LOSS_COMPARED;
        paths.config.ev_skip = PATH_SKIP_DELAY;
        paths_open(&paths, 1);
        path_next_round(paths.set);
        path_on_late(paths.set, 3, 0);
        path_next_round(paths.set);
        for (uint32_t i = 0; i < 3; i++)
            path_on_loss(paths.set, 3, false, 0, 0);
        EXPECT_EQ(path_state_of(paths.set, 3), EV_SUSPECT);
        ev_of(&paths, 3)->in_a_row = 0; /* a late packet has arrived */
        if (is_spurious)
            path_on_spurious(paths.set, 3, 0);
        else
            paths_answer_probes(&paths, 3, 9, &now_ns);
        EXPECT_EQ(path_state_of(paths.set, 3), EV_SKIP);
        EXPECT_EQ(ev_of(&paths, 3)->weight, is_spurious ? 143 : 191);
    }
}

SPEC("compared: where a quarter of the others lost recently, demotion takes two losses in a row")
{
    struct paths paths;

    open_compared(&paths, 1, 9, 0);
    ev_of(&paths, 1)->run = 127;
    ev_of(&paths, 2)->run = 128;
    ev_of(&paths, 3)->run = 8;
    EXPECT(lose(&paths, 0)); /* six of eight have 128 in a row */

    open_compared(&paths, 1, 9, 0);
    ev_of(&paths, 1)->run = ev_of(&paths, 2)->run = ev_of(&paths, 3)->run = 127;
    EXPECT(!lose(&paths, 0));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT_EQ(path_refusals(paths.set), 1);
    EXPECT(lose(&paths, 0));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SUSPECT);
}

SPEC("compared: where more than half of the others lost just now, demotion takes three in a row")
{
    for (uint32_t lossy = 4; lossy <= 5; lossy++) {
        struct paths paths;

        open_compared(&paths, 1, 9, 0);
        for (uint32_t i = 1; i <= lossy; i++)
            ev_of(&paths, i)->run = 7;
        for (uint32_t i = lossy + 1; i < 9; i++)
            ev_of(&paths, i)->run = 8;
        EXPECT(!lose(&paths, 0));
        EXPECT_EQ(lose(&paths, 0), lossy == 4);
        EXPECT_EQ(lose(&paths, 0), lossy == 5);
        EXPECT_EQ(path_state_of(paths.set, 0), EV_SUSPECT);
    }
}

SPEC("compared: an EV is compared only with EVs of its plane that are in rotation")
{
    struct paths paths;

    open_compared(&paths, 2, 5, 5);
    for (uint32_t i = 5; i < 20; i++)
        ev_of(&paths, i)->run = 0; /* backups and the other plane */
    EXPECT(lose(&paths, 0));

    open_compared(&paths, 2, 5, 5);
    for (uint32_t i = 1; i < 5; i++)
        ev_of(&paths, i)->run = 0;
    EXPECT(!lose(&paths, 0));
    EXPECT(!lose(&paths, 0));
    EXPECT(lose(&paths, 0));
}

SPEC("compared: a delivery in between restarts the count")
{
    struct paths paths;

    open_compared(&paths, 1, 8, 0);
    for (uint32_t i = 1; i < 8; i++)
        ev_of(&paths, i)->run = 0;
    for (uint32_t i = 0; i < 10; i++) {
        EXPECT(!lose(&paths, 0));
        EXPECT(!lose(&paths, 0));
        path_on_delivered(paths.set, 0);
    }
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
}

SPEC("compared: a loss that may be congestion does not count, unless it is the third in a row")
{
    for (uint32_t literal = 0; literal < 2; literal++) {
        struct paths paths;

        paths_shape(&paths, 1, 8, 0);
        paths.config.loss_to_bad = PATH_LOSS_COMPARED;
        paths.config.ev_skip = literal ? PATH_SKIP_LITERAL : PATH_SKIP_DELAY;
        paths_open(&paths, 1);
        ev_of(&paths, 0)->damping = 2;
        ev_of(&paths, 0)->run = 0;
        path_next_round(paths.set);
        for (uint32_t i = 1; i <= 2; i++) {
            EXPECT(!path_on_loss(paths.set, 0, true, 0, 0));
            EXPECT_EQ(path_state_of(paths.set, 0), literal ? EV_SKIP : EV_GOOD);
            EXPECT_EQ(path_refusals(paths.set), i);
            EXPECT_EQ(ev_of(&paths, 0)->damping, 2);
        }
        EXPECT(path_on_loss(paths.set, 0, true, 0, 0));
        EXPECT_EQ(path_state_of(paths.set, 0), EV_SUSPECT);
    }
}

SPEC("compared: a spared loss that is not congestion leaves an EV GOOD")
{
    struct paths paths;

    open_compared(&paths, 1, 4, 0); /* one suspect at a time */
    EXPECT(lose(&paths, 0));
    EXPECT(!lose(&paths, 1));
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    EXPECT_EQ(path_refusals(paths.set), 1);
}

SPEC("compared: at most a quarter of a plane is suspect for fewer than three losses")
{
    struct paths paths;

    open_compared(&paths, 2, 8, 4); /* twelve: three */
    EXPECT(lose(&paths, 0));
    EXPECT(lose(&paths, 1));
    EXPECT(lose(&paths, 2));
    EXPECT(!lose(&paths, 3));
    EXPECT(lose(&paths, 12)); /* the other plane */
    path_deny(paths.set, 2, 0);
    EXPECT(lose(&paths, 4));
    EXPECT(!lose(&paths, 3));
    EXPECT(lose(&paths, 3));
    EXPECT_EQ(path_state_of(paths.set, 3), EV_SUSPECT);
}

SPEC("compared: the last EV of a plane is demoted after three losses in a row")
{
    struct paths paths;

    open_compared(&paths, 4, 1, 4);
    for (uint32_t i = 1; i < 5; i++)
        path_deny(paths.set, i, 0);
    EXPECT(!lose(&paths, 0));
    EXPECT(!lose(&paths, 0));
    EXPECT(lose(&paths, 0));
    EXPECT_EQ(path_usable_planes(paths.set, 0xf), 0xe);
}

SPEC("compared: the floor also applies to suspects")
{
    struct paths paths;

    paths_shape(&paths, 1, 8, 0);
    paths.config.loss_to_bad = PATH_LOSS_COMPARED;
    paths.profile.min_active = 8;
    paths_open(&paths, 1);
    EXPECT(!lose(&paths, 0));
    EXPECT(!lose(&paths, 0));
    EXPECT_EQ(path_refusals(paths.set), 2);
    EXPECT(lose(&paths, 0));
}

SPEC("compared: an EV that loses again and again turns bad by one loss")
{
    for (uint32_t damping = 1; damping <= 3; damping++) {
        struct paths paths;

        open_compared(&paths, 1, 8, 0);
        ev_of(&paths, 0)->damping = damping & 7u;
        ev_of(&paths, 0)->run = 20;
        EXPECT(lose(&paths, 0)); /* one more step of damping */
        EXPECT_EQ(path_state_of(paths.set, 0), damping >= 2 ? EV_ASSUMED_BAD : EV_SUSPECT);
        EXPECT_EQ(paths.change.cause, damping >= 2 ? PATH_LOST : PATH_SUSPECTED);
    }
}

SPEC("compared: an EV with repeated losses is demoted even where others have lost just now")
{
    struct paths paths;

    open_compared(&paths, 1, 9, 0);
    for (uint32_t i = 1; i < 5; i++)
        ev_of(&paths, i)->run = 7;
    ev_of(&paths, 0)->damping = 2;
    ev_of(&paths, 0)->run = 20; /* others reach 168 */
    EXPECT(lose(&paths, 0));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

/* ---- damping ---------------------------------------------------------------------------------*/

/* The damping of EV 0 of nine after a loss, from 2 before; `sibling_run` is that of half. */
static uint32_t damping_after(uint32_t run, uint32_t sibling_run, uint32_t sibling_count)
{
    struct paths paths;

    paths_shape(&paths, 1, 9, 0);
    paths.profile.min_active = 9;
    paths_open(&paths, 1);
    for (uint32_t i = 1; i < 9; i++)
        ev_of(&paths, i)->run = (uint8_t)(i <= sibling_count ? sibling_run : 0);
    ev_of(&paths, 0)->damping = 2;
    ev_of(&paths, 0)->run = (uint8_t)run;
    lose(&paths, 0);
    return ev_of(&paths, 0)->damping;
}

SPEC("an EV is damped if its losses come eight times as often as those of half of its siblings")
{
    EXPECT_EQ(damping_after(9, 80, 4), 3);
    EXPECT_EQ(damping_after(9, 79, 4), 0);
    EXPECT_EQ(damping_after(9, 80, 3), 0);
    EXPECT_EQ(damping_after(0, 8, 4), 3);
    EXPECT_EQ(damping_after(31, 255, 4), 3);
    EXPECT_EQ(damping_after(30, 248, 4), 3);
    EXPECT_EQ(damping_after(254, 255, 4), 3); /* what is counted ends at 255 */
    EXPECT_EQ(damping_after(200, 254, 4), 0);
    EXPECT_EQ(damping_after(255, 255, 8), 0);
}

SPEC("losses in a row damp once, to seven steps at most")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.profile.min_active = 4;
    paths_open(&paths, 1);
    ev_of(&paths, 0)->run = 0;
    lose_times(&paths, 0, 2, 0);
    EXPECT_EQ(ev_of(&paths, 0)->damping, 1);
    for (uint32_t i = 0; i < 10; i++) {
        path_on_delivered(paths.set, 0);
        lose_times(&paths, 0, 1, 0);
        EXPECT_EQ(ev_of(&paths, 0)->damping, i < 6 ? i + 2 : 7);
    }
}

SPEC("at the floor a loss means SKIP, with a new mark, and the refusal is counted")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.profile.min_active = 3;
    paths_open(&paths, 1);
    EXPECT(path_on_loss(paths.set, 0, false, 0, 0));
    EXPECT(!path_on_loss(paths.set, 1, false, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(paths.change.cause, PATH_LOST_SPARED);
    EXPECT_EQ(path_refusals(paths.set), 1);
    EXPECT(!path_on_loss(paths.set, 1, false, US(8), US(8)));
    EXPECT_EQ(path_refusals(paths.set), 2);
    for (uint32_t i = 0; i < 6; i++) /* one rotation resets it, unless its mark is fresh */
        EXPECT_NE(path_pick(paths.set, 1, US(13)), 0);
}

SPEC("three losses in a row demote an EV below the floor, but never the last usable EV")
{
    struct paths paths;

    paths_shape(&paths, 1, 3, 0);
    paths.profile.min_active = 3;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT(!path_on_loss(paths.set, i, false, 0, 0));
        EXPECT(!path_on_loss(paths.set, i, false, 0, 0));
        EXPECT_EQ(path_on_loss(paths.set, i, false, 0, 0), i < 2);
    }
    lose_times(&paths, 2, 20, 0);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SKIP);
    EXPECT_EQ(path_usable_count(paths.set), 1);
    path_on_mark(paths.set, 2, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SKIP);
}

SPEC("a delivery in between ends the losses in a row")
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
    path_on_loss(paths.set, 0, false, 500, now_ns);
    paths_answer_probes(&paths, 0, 3, &now_ns);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT(!path_on_loss(paths.set, 0, false, now_ns - 1, now_ns + 10));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT(path_on_loss(paths.set, 0, false, now_ns, now_ns + 10));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

SPEC("the return of an EV does not affect EVs that were never demoted")
{
    struct paths paths;
    uint64_t now_ns = 1000;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 500, now_ns);
    paths_answer_probes(&paths, 0, 3, &now_ns);
    EXPECT(path_on_loss(paths.set, 1, false, 500, now_ns + 10));
}

SPEC("once it has delivered a packet, the return of another EV does not excuse an EV's losses")
{
    struct paths paths;
    uint64_t now_ns = S(5);

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, now_ns, now_ns);
    paths_answer_probes(&paths, 0, 3, &now_ns);
    path_on_delivered(paths.set, 0);
    now_ns += MS(1);
    path_on_loss(paths.set, 2, false, now_ns, now_ns);
    paths_answer_probes(&paths, 2, 3, &now_ns);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_GOOD);
    EXPECT(path_on_loss(paths.set, 0, false, now_ns - 1, now_ns));
}

SPEC("an EV that is not in use is also blamed for losses from before the last return")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    path_bring_back(paths.set, 0, 100);
    path_on_loss(paths.set, 0, false, 100, 200);
    path_on_loss(paths.set, 0, false, 50, 200);
    path_on_spurious(paths.set, 0, 300);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

SPEC("an EV that came back has no losses in a row")
{
    struct paths paths;
    uint64_t now_ns = 0;

    open_compared(&paths, 1, 8, 0);
    lose_times(&paths, 0, 3, 0);
    EXPECT_EQ(ev_of(&paths, 0)->in_a_row, 3);
    paths_answer_probes(&paths, 0, 3, &now_ns);
    EXPECT_EQ(ev_of(&paths, 0)->in_a_row, 0);
}

/* ---- spurious losses -------------------------------------------------------------------------*/

SPEC("a spurious loss restores the state of the EV: GOOD, or SKIP if it was in SKIP")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    path_on_spurious(paths.set, 0, 10);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT_EQ(paths.change.cause, PATH_SPURIOUS);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    path_on_spurious(paths.set, 1, 10);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    path_check(paths.set);
}

SPEC("a spurious loss does not restore an EV that another loss, a probe or ALWAYS_SKIP demotes")
{
    struct paths paths;
    uint64_t now_ns;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    path_on_loss(paths.set, 0, false, 0, 1);
    path_on_spurious(paths.set, 0, 10);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);

    path_on_loss(paths.set, 1, false, 0, 0);
    path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, 1);
    path_on_spurious(paths.set, 1, 10);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 2, false, 0, 0);
    now_ns = path_probe_deadline_ns(paths.set);
    EXPECT_EQ(path_probe_next(paths.set, 1, now_ns), 2);
    now_ns = path_probe_deadline_ns(paths.set);
    EXPECT_EQ(path_probe_next(paths.set, 1, now_ns), PATH_NONE);
    path_on_spurious(paths.set, 2, now_ns);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_ASSUMED_BAD);
}

SPEC("a spurious loss does not undo an action of the controller")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    path_deny(paths.set, 1, 0);
    path_on_spurious(paths.set, 1, 10);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_DENIED);
}

SPEC("a spurious loss that did not demote ends the losses in a row")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.profile.min_active = 4;
    paths_open(&paths, 1);
    lose_times(&paths, 0, 2, 0);
    path_on_spurious(paths.set, 0, 0);
    EXPECT_EQ(ev_of(&paths, 0)->in_a_row, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
    EXPECT_EQ(paths.change_count, 1);
}

SPEC("a spurious loss restores the state of a suspect")
{
    struct paths paths;

    open_compared(&paths, 1, 8, 0);
    EXPECT(lose(&paths, 3));
    path_on_spurious(paths.set, 3, 10);
    EXPECT_EQ(path_state_of(paths.set, 3), EV_GOOD);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    path_check(paths.set);
}

SPEC("after a spurious loss the other losses of its burst change nothing")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 100, 1000);
    path_on_spurious(paths.set, 0, 2000);
    EXPECT(!path_on_loss(paths.set, 0, false, 900, 2100));
    EXPECT(path_on_loss(paths.set, 0, false, 2000, 3000));
}

/* ---- delays ----------------------------------------------------------------------------------*/

static void open_delayed(struct paths *paths, uint32_t planes, uint32_t active)
{
    paths_shape(paths, planes, active, 0);
    paths->config.ev_skip = PATH_SKIP_DELAY;
    paths_open(paths, 1);
    path_next_round(paths->set);
}

SPEC("a delay twice that of others reduces the share of an EV by a quarter and one, a longer one "
     "no more")
{
    struct paths paths;

    open_delayed(&paths, 1, 4);
    path_on_delay(paths.set, 0, 256, 7);
    path_on_delay(paths.set, 1, 100000, 7);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
    EXPECT_EQ(paths.change.cause, PATH_DELAYED);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 191); /* 255 - 255 / 4 - 1 */
    EXPECT_EQ(ev_of(&paths, 1)->weight, 191);
    EXPECT(path_is_active(paths.set, 0));
    path_next_round(paths.set);
    path_on_delay(paths.set, 0, 128, 7);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 167); /* half as late: 191 - 191 / 8 - 1 */
    path_check(paths.set);
}

SPEC("a share of at least 240 of 256 becomes a full share")
{
    struct paths paths;

    open_delayed(&paths, 1, 4);
    path_on_delay(paths.set, 0, 60, 0); /* 255 - 255 * 60 / 1024 - 1 = 240 */
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    path_on_delay(paths.set, 1, 61, 0); /* 255 - 255 * 61 / 1024 - 1 = 239 */
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(ev_of(&paths, 1)->weight, 239);
}

SPEC("the share of an EV whose delay equals that of others grows a little each round")
{
    struct paths paths;

    open_delayed(&paths, 1, 4);
    path_on_delay(paths.set, 0, 256, 0);
    ev_of(&paths, 0)->weight = 100;
    path_next_round(paths.set);
    path_on_delay(paths.set, 0, 0, 0);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 103); /* 100 + 1 + 155 * 4 / 256 */
    path_next_round(paths.set);
    path_on_delay(paths.set, 0, -100000, 0);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 118); /* 103 + 103 / 8 + 1 + 140 * 4 / 256 */
    ev_of(&paths, 0)->weight = 230;
    path_next_round(paths.set);
    path_on_delay(paths.set, 0, -128, 0); /* 230 + 230 / 8 + 1 = 259 */
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT_EQ(paths.change.cause, PATH_SKIP_ELAPSED);
}

SPEC("every share, however small or large, can change in a round")
{
    struct paths paths;

    open_delayed(&paths, 1, 4);
    path_on_delay(paths.set, 0, 256, 0);
    ev_of(&paths, 0)->weight = 3;
    path_next_round(paths.set);
    path_on_delay(paths.set, 0, 1, 0);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 2); /* 3 / 1024 rounds to 0: the one more goes */
    ev_of(&paths, 0)->weight = 238;
    path_next_round(paths.set);
    path_on_delay(paths.set, 0, 0, 0);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 239); /* 17 * 4 / 256 rounds to 0: the one comes back */
    path_next_round(paths.set);
    path_on_delay(paths.set, 0, 0, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD); /* 240 */
}

SPEC("a share has a minimum")
{
    struct paths paths;

    open_delayed(&paths, 1, 4);
    path_on_delay(paths.set, 0, 256, 0);
    ev_of(&paths, 0)->weight = 0; /* 0 - 0 - 1 */
    path_next_round(paths.set);
    path_on_delay(paths.set, 0, 256, 0);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 2);
    ev_of(&paths, 0)->weight = 1;
    path_on_delay(paths.set, 1, 256, 0);
    path_on_delay(paths.set, 2, 256, 0);
    path_on_delay(paths.set, 3, 256, 0); /* none is GOOD: 191 becomes 255 */
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 2); /* 1 * 255 / 191 = 1 */
}

SPEC("a share changes once per round, and not in the first")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.ev_skip = PATH_SKIP_DELAY;
    paths_open(&paths, 1);
    EXPECT(!path_on_delay(paths.set, 0, 256, 0));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    path_next_round(paths.set);
    EXPECT(path_on_delay(paths.set, 0, 256, 0));
    EXPECT(!path_on_delay(paths.set, 0, 256, 0));
    EXPECT_EQ(ev_of(&paths, 0)->weight, 191); /* 255 - 255 / 4 - 1 */
    for (uint32_t round = 0; round < 8; round++)
        path_next_round(paths.set);
    EXPECT(!path_on_delay(paths.set, 0, 256, 0)); /* rounds are told apart modulo 8 */
    EXPECT_EQ(ev_of(&paths, 0)->weight, 191);
    path_next_round(paths.set);
    EXPECT(path_on_delay(paths.set, 0, 256, 0));
    EXPECT_EQ(ev_of(&paths, 0)->weight, 143); /* 191 - 191 / 4 - 1 */
}

SPEC("the first delay of an EV in a round counts, also if it changes nothing")
{
    static const int32_t excesses[] = { 0, -50, 1 }; /* 1: late, by next to nothing: 254 */

    for (uint32_t i = 0; i < 3; i++) {
        struct paths paths;

        open_delayed(&paths, 1, 4);
        EXPECT(path_on_delay(paths.set, 0, excesses[i], 0));
        EXPECT(!path_on_delay(paths.set, 0, 256, 0));
        EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
        EXPECT_EQ(paths.change_count, 0);
        EXPECT(path_on_delay(paths.set, 1, 256, 0)); /* each EV has its own first */
        path_next_round(paths.set);
        EXPECT(path_on_delay(paths.set, 0, 256, 0));
        EXPECT_EQ(ev_of(&paths, 0)->weight, 191); /* from 255, not from 254 */
    }
}

SPEC("delays count only with ev_skip=delay, and for usable EVs")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_next_round(paths.set);
    EXPECT(!path_on_delay(paths.set, 0, 256, 0));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);

    open_delayed(&paths, 1, 4);
    path_deny(paths.set, 0, 0);
    ev_table_apply(paths.set, 1, PATH_SUSPECTED, 0);
    ev_of(&paths, 0)->round = ev_of(&paths, 1)->round = 0;
    EXPECT(!path_on_delay(paths.set, 0, 256, 0));
    EXPECT(!path_on_delay(paths.set, 1, 256, 0));
    EXPECT_EQ(ev_of(&paths, 0)->round, 0);
    EXPECT_EQ(ev_of(&paths, 1)->round, 0);
    EXPECT_EQ(paths.change_count, 2);
}

SPEC("if no EV of a plane has a full share, the largest becomes full and the others grow in "
     "proportion")
{
    struct paths paths;

    open_delayed(&paths, 2, 3);
    path_on_delay(paths.set, 0, 256, 0);
    path_on_delay(paths.set, 1, 256, 0);
    ev_of(&paths, 0)->weight = 100;
    ev_of(&paths, 1)->weight = 50;
    EXPECT_EQ(path_state_of(paths.set, 2), EV_GOOD);
    path_on_delay(paths.set, 2, 128, 0); /* 255 - 255 / 8 - 1 = 223: becomes 255 */
    EXPECT_EQ(path_state_of(paths.set, 2), EV_GOOD);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 114);     /* 100 * 255 / 223 */
    EXPECT_EQ(ev_of(&paths, 1)->weight, 57);      /* 50 * 255 / 223 */
    EXPECT(!path_on_delay(paths.set, 0, 256, 0)); /* that was the change of this round */
    EXPECT_EQ(ev_of(&paths, 0)->weight, 114);
    for (uint32_t i = 3; i < 6; i++)
        EXPECT_EQ(path_state_of(paths.set, i), EV_GOOD);
    path_check(paths.set);
}

SPEC("late backups do not take part when the shares of the EVs in use grow")
{
    struct paths paths;

    paths_shape(&paths, 1, 2, 1);
    paths.config.ev_skip = PATH_SKIP_DELAY;
    paths_open(&paths, 1);
    path_next_round(paths.set);
    path_on_delay(paths.set, 2, 256, 0);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SKIP);
    ev_of(&paths, 2)->weight = 20;
    path_on_delay(paths.set, 0, 256, 0);
    path_on_delay(paths.set, 1, 256, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    EXPECT_EQ(ev_of(&paths, 2)->weight, 20);
}

/* ---- queues that overflow --------------------------------------------------------------------*/

SPEC("with ev_skip=delay, a suspect that lost three packets in a row is taken to overflow")
{
    struct paths paths;

    open_delayed(&paths, 1, 4);
    ev_of(&paths, 0)->in_a_row = ev_of(&paths, 1)->in_a_row = ev_of(&paths, 3)->in_a_row = 3;
    ev_of(&paths, 2)->in_a_row = 2;
    ev_table_apply(paths.set, 0, PATH_SUSPECTED, 0);
    ev_table_apply(paths.set, 1, PATH_LOST, 0);
    ev_table_apply(paths.set, 2, PATH_SUSPECTED, 0);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(ev_table_seems_to_overflow(paths.set, i), i == 0);
    paths.config.ev_skip = PATH_SKIP_LITERAL;
    EXPECT(!ev_table_seems_to_overflow(paths.set, 0));
}

/* The EV is out and back, with half of its share. */
static void go_and_halve(struct paths *paths, uint32_t ev_index)
{
    ev_table_apply(paths->set, ev_index, PATH_SUSPECTED, 5);
    ev_table_apply(paths->set, ev_index, PATH_PROBE_ANSWERED, 7);
    ev_table_halve(paths->set, ev_index, 7);
    path_check(paths->set);
}

SPEC("an EV that returns from an overflow has half of its earlier share, full or not")
{
    struct paths paths;

    open_delayed(&paths, 1, 4);
    path_on_delay(paths.set, 1, 256, 0);
    path_on_delay(paths.set, 2, 256, 0);
    ev_of(&paths, 2)->weight = 3;
    for (uint32_t i = 0; i < 3; i++)
        go_and_halve(&paths, i);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(path_state_of(paths.set, i), EV_SKIP);
    EXPECT_EQ(paths.change.cause, PATH_DELAYED);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 127); /* 255 / 2 */
    EXPECT_EQ(ev_of(&paths, 1)->weight, 95);  /* 191 / 2 */
    EXPECT_EQ(ev_of(&paths, 2)->weight, 2);   /* the least */
    EXPECT_EQ(path_state_of(paths.set, 3), EV_GOOD);
    go_and_halve(&paths, 0);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 63); /* 127 / 2 */
}

SPEC("the halved share counts as the change of the share in this round")
{
    struct paths paths;

    open_delayed(&paths, 1, 4);
    go_and_halve(&paths, 0);
    path_on_delay(paths.set, 0, 256, 9);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 127);
    path_next_round(paths.set);
    path_on_delay(paths.set, 0, 256, 9);
    EXPECT_EQ(ev_of(&paths, 0)->weight, 95); /* 127 - 127 / 4 - 1 */
}

SPEC("if no other EV of the plane has a full share, all grow in proportion")
{
    struct paths paths;

    open_delayed(&paths, 1, 3);
    path_on_delay(paths.set, 1, 256, 0);
    path_on_delay(paths.set, 2, 256, 0);
    ev_of(&paths, 1)->weight = 100;
    ev_of(&paths, 2)->weight = 50;
    go_and_halve(&paths, 0); /* 127, the most: becomes 255 */
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT_EQ(ev_of(&paths, 1)->weight, 200); /* 100 * 255 / 127 */
    EXPECT_EQ(ev_of(&paths, 2)->weight, 100);
}

/* ---- the controller --------------------------------------------------------------------------*/

SPEC("a denied EV leaves the rotation regardless of the floor, and only allowing it brings it back")
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
    path_on_loss(paths.set, 0, false, 0, 0);
    path_on_probe_answered(paths.set, 0, false, false, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_DENIED);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    path_allow(paths.set, 1, 0);
    EXPECT_EQ(path_pick(paths.set, 1, 0), 1);
    EXPECT_EQ(paths.change.cause, PATH_ADMIN_ALLOW);
    path_on_loss(paths.set, 1, false, now_ns, now_ns);
    path_allow(paths.set, 1, now_ns);
    path_check(paths.set);
}

SPEC("allowing an EV does not end its bad state")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    path_allow(paths.set, 0, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

SPEC("an allowed EV has no history")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.profile.min_active = 4;
    paths_open(&paths, 1);
    lose_times(&paths, 0, 2, 100);
    path_deny(paths.set, 0, 200);
    path_allow(paths.set, 0, 300);
    EXPECT_EQ(ev_of(&paths, 0)->in_a_row, 0);
    EXPECT(!path_on_loss(paths.set, 0, false, 299, 400));
    EXPECT_EQ(path_refusals(paths.set), 2);
    EXPECT(!path_on_loss(paths.set, 0, false, 300, 400));
    EXPECT_EQ(path_refusals(paths.set), 3);
}

SPEC("a replaced EV starts in GOOD and without history from every earlier state")
{
    struct paths paths;

    open_compared(&paths, 1, 16, 0);
    lose_times(&paths, 0, 1, 100);
    path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, 100);
    path_deny(paths.set, 2, 100);
    path_on_mark(paths.set, 3, PATH_TRIMMED, 100);
    for (uint32_t i = 0; i < 5; i++) {
        ev_of(&paths, i)->damping = 5;
        ev_of(&paths, i)->in_a_row = 2;
        ev_of(&paths, i)->run = 3;
        path_replaced(paths.set, i, 200 + i);
        EXPECT_EQ(path_state_of(paths.set, i), EV_GOOD);
        EXPECT(path_is_active(paths.set, i));
        EXPECT_EQ(ev_of(&paths, i)->damping, 0);
        EXPECT_EQ(ev_of(&paths, i)->in_a_row, 0);
        EXPECT_EQ(ev_of(&paths, i)->run, 255);
        EXPECT(!path_on_loss(paths.set, i, false, 199 + i, 300));
        EXPECT_EQ(ev_of(&paths, i)->run, 255);
    }
    EXPECT_EQ(path_bad_count(paths.set), 0);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    path_check(paths.set);
    EXPECT(path_on_loss(paths.set, 4, false, 204, 300));
}

SPEC("an EV that is replaced by a denied EV is denied")
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
