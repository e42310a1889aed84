/* SPDX-License-Identifier: Apache-2.0 */
/* Probing of bad EVs: when, how often, and how many answers bring one back. */
#include "path/ev_recovery.h"

#include "paths.h"
#include "spec.h"

#define TICK_NS 1024

/* The probe that is due next; the clock moves to it. */
static uint32_t next_probe(struct paths *paths, uint64_t *now_ns)
{
    uint32_t ev_index;

    do {
        uint64_t deadline_ns = path_probe_deadline_ns(paths->set);

        *now_ns = deadline_ns > *now_ns ? deadline_ns : *now_ns;
        ev_index = path_probe_next(paths->set, ALL_PLANES, *now_ns);
        path_check(paths->set);
    } while (ev_index == PATH_NONE);
    return ev_index;
}

static void expect_interval(uint64_t interval_ns, uint64_t nominal_ns)
{
    EXPECT_GE(interval_ns, nominal_ns * 3 / 4);
    EXPECT_LE(interval_ns, nominal_ns * 5 / 4 + 3 * TICK_NS);
}

SPEC("without a bad EV there is nothing to probe")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, S(1)), PATH_NONE);
}

SPEC("the first probe is sent 1 ms after the demotion, then the interval doubles up to 1 s, +-25 %")
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct paths paths;
        uint64_t nominal_ns = MS(1);
        uint64_t from_ns = S(3) + 12345;
        uint64_t now_ns = 0;

        paths_shape(&paths, 1, 4, 0);
        paths_open(&paths, seed);
        path_on_loss(paths.set, 1, false, from_ns, from_ns);
        for (uint32_t i = 0; i < 14; i++) {
            EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, path_probe_deadline_ns(paths.set) - 1),
                PATH_NONE);
            EXPECT_EQ(next_probe(&paths, &now_ns), 1);
            expect_interval(now_ns - from_ns, nominal_ns);
            from_ns = path_probe_deadline_ns(paths.set); /* unanswered */
            EXPECT_GE(from_ns - now_ns, US(100));
            EXPECT_LE(from_ns - now_ns, US(100) + 2 * TICK_NS);
            EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, from_ns), PATH_NONE);
            nominal_ns = nominal_ns * 2 < S(1) ? nominal_ns * 2 : S(1);
        }
        EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);
    }
}

SPEC("times are rounded up to ticks of 1.024 us")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.timing.probe_first_ns = paths.timing.probe_longest_ns = TICK_NS;
    paths.timing.probe_timeout_ns = 100 * TICK_NS;
    paths_open(&paths, 1);
    path_on_loss(paths.set, 1, false, 0, 0);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), 2 * TICK_NS);
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, 2 * TICK_NS), 1);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), 103 * TICK_NS);
}

SPEC("a timeout of a tick and a nanosecond takes two ticks, after the present one")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.timing.probe_timeout_ns = TICK_NS + 1;
    paths_open(&paths, 1);
    ev_table_apply(paths.set, 1, PATH_SUSPECTED, 0);
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, 0), 1);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), 3 * TICK_NS);
}

SPEC("the jitter covers the whole range")
{
    uint64_t shortest_ns = UINT64_MAX;
    uint64_t longest_ns = 0;

    for (uint64_t seed = 0; seed < 400; seed++) {
        struct paths paths;
        uint64_t deadline_ns;

        paths_shape(&paths, 1, 2, 0);
        paths_open(&paths, seed);
        path_on_loss(paths.set, 0, false, 0, 0);
        deadline_ns = path_probe_deadline_ns(paths.set);
        shortest_ns = deadline_ns < shortest_ns ? deadline_ns : shortest_ns;
        longest_ns = deadline_ns > longest_ns ? deadline_ns : longest_ns;
    }
    EXPECT_LT(shortest_ns, US(760));
    EXPECT_GT(longest_ns, US(1240));
}

SPEC("after an answered probe the next one is sent at once")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    next_probe(&paths, &now_ns);
    now_ns += US(10);
    path_on_probe_answered(paths.set, 1, false, false, now_ns);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), now_ns / TICK_NS * TICK_NS);
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, now_ns), 1);
}

SPEC("an answer with ALWAYS_SKIP doubles the interval as a missing answer does")
{
    struct paths paths;
    uint64_t now_ns = 0;
    uint64_t from_ns;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    next_probe(&paths, &now_ns);
    from_ns = now_ns + US(10);
    path_on_probe_answered(paths.set, 1, false, true, from_ns);
    next_probe(&paths, &now_ns);
    expect_interval(now_ns - from_ns, MS(2));
}

SPEC("three answers in a row bring an EV back, two do not")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 2, &now_ns), 2);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 2, &now_ns), 1);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    EXPECT_EQ(paths.change.cause, PATH_PROBE_ANSWERED);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    path_check(paths.set);
}

SPEC("an unanswered probe, or an answer with ALWAYS_SKIP, restarts the count of answers")
{
    for (uint32_t always_skip = 0; always_skip < 2; always_skip++) {
        struct paths paths;
        uint64_t now_ns = 0;

        paths_init(&paths, 1, 4, 0);
        path_on_loss(paths.set, 1, false, 0, 0);
        paths_answer_probes(&paths, 1, 2, &now_ns);
        next_probe(&paths, &now_ns);
        if (always_skip)
            path_on_probe_answered(paths.set, 1, false, true, now_ns);
        EXPECT_EQ(paths_answer_probes(&paths, 1, 9, &now_ns), 3);
    }
}

SPEC("the mark of the last answer decides between GOOD and SKIP")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    paths_answer_probes(&paths, 1, 2, &now_ns);
    next_probe(&paths, &now_ns);
    path_on_probe_answered(paths.set, 1, true, false, now_ns);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(paths.change.cause, PATH_PROBE_MARKED);
    EXPECT(path_is_active(paths.set, 1));
    EXPECT_NE(path_pick(paths.set, 1, now_ns), 1);

    path_on_loss(paths.set, 2, false, now_ns, now_ns);
    for (uint32_t i = 0; i < 2; i++) {
        next_probe(&paths, &now_ns);
        path_on_probe_answered(paths.set, 2, true, false, now_ns);
    }
    EXPECT_EQ(paths_answer_probes(&paths, 2, 9, &now_ns), 1);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_GOOD);
}

SPEC("where delays are measured, a marked answer counts as an unmarked one")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_shape(&paths, 1, 4, 0);
    paths.config.ev_skip = PATH_SKIP_DELAY;
    paths.config.probe_successes = 1;
    paths_open(&paths, 1);
    path_on_loss(paths.set, 1, false, 0, 0);
    next_probe(&paths, &now_ns);
    path_on_probe_answered(paths.set, 1, true, false, now_ns);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
}

SPEC("an EV that returns to SKIP is skipped for a base RTT from then on")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_mark(paths.set, 1, PATH_TRIMMED, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    path_on_spurious(paths.set, 1, MS(1));
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(ev_table_skip_left(paths.set, &ev_table_evs(paths.set)[1], MS(1)), 6);
}

SPEC("an answer without a probe changes nothing")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    for (uint32_t i = 0; i < 5; i++)
        path_on_probe_answered(paths.set, 0, false, false, 0); /* GOOD */
    path_on_loss(paths.set, 1, false, 0, 0);
    for (uint32_t i = 0; i < 5; i++)
        path_on_probe_answered(paths.set, 1, false, false, 0); /* not probed yet */
    next_probe(&paths, &now_ns);
    for (uint32_t i = 0; i < 5; i++)
        path_on_probe_answered(paths.set, 1, false, false, now_ns); /* four duplicates */
    EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 9, &now_ns), 2);
}

/* ---- paths that lose packets -----------------------------------------------------------------*/

SPEC(
    "an EV that loses again after each return needs four times the answers from the fourth loss on")
{
    static const uint32_t expected[] = { 3, 3, 3, 12, 24, 24 };
    struct paths paths;
    uint64_t now_ns = S(7);

    paths_init(&paths, 1, 4, 0);
    for (uint32_t i = 0; i < 6; i++) {
        path_on_loss(paths.set, 1, false, now_ns, now_ns);
        EXPECT_EQ(ev_table_evs(paths.set)[1].damping, i);
        EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), expected[i]);
    }
}

SPEC("each step of damping multiplies the answers by four")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_shape(&paths, 1, 4, 0);
    paths.config.probe_successes = 1;
    paths.config.probe_successes_max = 255;
    paths_open(&paths, 1);
    for (uint32_t damping = 2; damping <= 7; damping++) {
        static const uint32_t expected[] = { 1, 4, 16, 64, 255, 255 };

        path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, now_ns);
        ev_table_evs(paths.set)[1].damping = damping & 7u;
        EXPECT_EQ(paths_answer_probes(&paths, 1, 999, &now_ns), expected[damping - 2]);
    }
}

SPEC("the interval of probes of an EV that loses packets grows up to its own limit")
{
    for (uint32_t damping = 2; damping <= 3; damping++) {
        struct paths paths;
        uint64_t nominal_ns = MS(1);
        uint64_t from_ns = 0;
        uint64_t now_ns = 0;
        uint64_t longest_ns = damping == 3 ? MS(50) : MS(8);

        paths_shape(&paths, 1, 4, 0);
        paths.timing.probe_longest_ns = MS(8);
        paths.timing.lossy_longest_ns = MS(50);
        paths_open(&paths, damping);
        ev_table_evs(paths.set)[1].damping = damping & 7u;
        path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, 0);
        for (uint32_t i = 0; i < 12; i++) {
            EXPECT_EQ(next_probe(&paths, &now_ns), 1);
            expect_interval(now_ns - from_ns, nominal_ns);
            from_ns = path_probe_deadline_ns(paths.set); /* unanswered */
            nominal_ns = nominal_ns * 2 < longest_ns ? nominal_ns * 2 : longest_ns;
        }
    }
}

SPEC("a spurious loss undoes one step of damping, whether or not it demoted")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    ev_table_evs(paths.set)[1].damping = 3;
    ev_table_evs(paths.set)[1].run = 5;
    path_on_loss(paths.set, 1, false, 0, 0);
    EXPECT_EQ(ev_table_evs(paths.set)[1].damping, 4);
    path_on_spurious(paths.set, 1, 10);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    EXPECT_EQ(ev_table_evs(paths.set)[1].damping, 3);
    path_on_spurious(paths.set, 1, 10);
    EXPECT_EQ(ev_table_evs(paths.set)[1].damping, 2);
    ev_table_evs(paths.set)[1].damping = 0;
    path_on_spurious(paths.set, 1, 10);
    EXPECT_EQ(ev_table_evs(paths.set)[1].damping, 0);
}

SPEC("a return by probes keeps the damping, and resets the losses in a row")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    ev_table_evs(paths.set)[1].damping = 2;
    ev_table_evs(paths.set)[1].in_a_row = 1;
    path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, 0);
    path_bring_back(paths.set, 1, 0);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    EXPECT_EQ(paths.change.cause, PATH_PROBE_ANSWERED);
    EXPECT_EQ(ev_table_evs(paths.set)[1].damping, 2);
    EXPECT_EQ(ev_table_evs(paths.set)[1].in_a_row, 0);
}

SPEC("an EV that is usable or denied is not brought back by probes")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_mark(paths.set, 0, PATH_TRIMMED, 0);
    path_deny(paths.set, 1, 0);
    ev_table_apply(paths.set, 2, PATH_SUSPECTED, 0);
    for (uint32_t i = 0; i < 4; i++)
        path_bring_back(paths.set, i, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_DENIED);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_GOOD);
    EXPECT_EQ(path_state_of(paths.set, 3), EV_GOOD);
    EXPECT_EQ(paths.change_count, 4);
}

SPEC("an EV that was allowed or replaced starts without damping")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    ev_table_evs(paths.set)[1].damping = 4;
    path_deny(paths.set, 1, 0);
    EXPECT_EQ(ev_table_evs(paths.set)[1].damping, 4);
    path_allow(paths.set, 1, 0);
    EXPECT_EQ(ev_table_evs(paths.set)[1].damping, 0);
    ev_table_evs(paths.set)[1].damping = 4;
    path_replaced(paths.set, 1, 0);
    EXPECT_EQ(ev_table_evs(paths.set)[1].damping, 0);
}

/* ---- suspects --------------------------------------------------------------------------------*/

SPEC("a suspect is probed at once, and returns after as many answers as a bad EV needs")
{
    struct paths paths;
    uint64_t now_ns = S(1) + 700;

    paths_init(&paths, 1, 4, 0);
    ev_table_apply(paths.set, 1, PATH_SUSPECTED, now_ns);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), now_ns / TICK_NS * TICK_NS);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(path_state_of(paths.set, 1), EV_SUSPECT);
        EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, now_ns), 1);
        EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, now_ns), PATH_NONE);
        path_on_probe_answered(paths.set, 1, false, false, now_ns);
    }
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    EXPECT_EQ(paths.change.cause, PATH_PROBE_ANSWERED);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
}

/* Takes the EV out with this many losses in a row, and answers its probes. */
static void suspect_and_answer(struct paths *paths, uint32_t ev_index, uint32_t in_a_row)
{
    uint64_t now_ns = S(1);

    ev_table_evs(paths->set)[ev_index].in_a_row = in_a_row & 3u;
    ev_table_apply(paths->set, ev_index, PATH_SUSPECTED, now_ns);
    EXPECT_EQ(paths_answer_probes(paths, ev_index, 9, &now_ns), 3);
    EXPECT_EQ(ev_table_evs(paths->set)[ev_index].in_a_row, 0);
    path_check(paths->set);
}

SPEC("a suspect that lost three in a row and answers comes back with half of its share")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.ev_skip = PATH_SKIP_DELAY;
    paths_open(&paths, 1);
    path_next_round(paths.set);
    path_on_delay(paths.set, 2, 256, 0);
    EXPECT_EQ(ev_table_evs(paths.set)[2].weight, 191); /* 255 - 255 / 4 - 1 */
    suspect_and_answer(&paths, 1, 3);
    suspect_and_answer(&paths, 2, 3);
    suspect_and_answer(&paths, 3, 2);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(ev_table_evs(paths.set)[1].weight, 127); /* 255 / 2 */
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SKIP);
    EXPECT_EQ(ev_table_evs(paths.set)[2].weight, 95); /* 191 / 2 */
    EXPECT_EQ(path_state_of(paths.set, 3), EV_GOOD);
}

SPEC("an EV that was bad, or skips literally, returns with its whole share")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    suspect_and_answer(&paths, 1, 3);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);

    paths_shape(&paths, 1, 4, 0);
    paths.config.ev_skip = PATH_SKIP_DELAY;
    paths_open(&paths, 1);
    ev_table_evs(paths.set)[1].in_a_row = 3;
    ev_table_apply(paths.set, 1, PATH_LOST, 0);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 9, &now_ns), 3);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
}

SPEC("a suspect whose second probe is also unanswered is bad, and probed as if just demoted")
{
    struct paths paths;
    uint64_t now_ns = 0;
    uint64_t from_ns;

    paths_init(&paths, 1, 4, 0);
    ev_table_apply(paths.set, 1, PATH_SUSPECTED, 0);
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, 0), 1);
    now_ns = path_probe_deadline_ns(paths.set);
    EXPECT_EQ(now_ns, 99 * TICK_NS); /* 100 us */
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, now_ns), 1);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SUSPECT);
    from_ns = path_probe_deadline_ns(paths.set);
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, from_ns), PATH_NONE);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);
    EXPECT_EQ(paths.change.cause, PATH_SILENT);
    EXPECT_EQ(next_probe(&paths, &now_ns), 1);
    expect_interval(now_ns - from_ns, MS(1));
}

SPEC("an answer with ALWAYS_SKIP counts for a suspect as a missing one does")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    ev_table_apply(paths.set, 1, PATH_SUSPECTED, 0);
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT_EQ(path_state_of(paths.set, 1), EV_SUSPECT);
        EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, 0), 1);
        path_on_probe_answered(paths.set, 1, false, true, 0);
    }
    EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);
}

SPEC("a suspect on a plane that is down waits, and there is always a next deadline")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 2, 2, 0);
    ev_table_apply(paths.set, 0, PATH_SUSPECTED, 0);
    for (uint32_t i = 0; i < 5; i++) {
        uint64_t from_ns = now_ns;

        EXPECT_EQ(path_probe_next(paths.set, 0x2, now_ns), PATH_NONE);
        EXPECT_GT(path_probe_deadline_ns(paths.set), now_ns);
        now_ns = path_probe_deadline_ns(paths.set);
        expect_interval(now_ns - from_ns, MS(1));
    }
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SUSPECT);
    EXPECT_EQ(path_probe_next(paths.set, 0x1, now_ns), 0);
}

SPEC("suspects and bad EVs share the records for probes")
{
    struct paths paths;
    uint32_t probed = 0;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 32, 0);
    for (uint32_t i = 0; i < EV_TABLE_PROBE_COUNT_MAX; i++)
        ev_table_apply(paths.set, i, PATH_LOST, 0);
    ev_table_apply(paths.set, 30, PATH_SUSPECTED, 0);
    path_check(paths.set);
    EXPECT_GT(path_probe_deadline_ns(paths.set), 0); /* it has to wait for a record */
    path_deny(paths.set, 3, US(5));
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, US(5)), 30);
    ev_table_apply(paths.set, 31, PATH_SUSPECTED, US(5));
    while (probed != 31 && now_ns < MS(20)) /* a record whose probe failed goes to it */
        probed = next_probe(&paths, &now_ns);
    EXPECT_EQ(probed, 31);
    while (next_probe(&paths, &now_ns) != 31) /* not bad before its own second failure */
        EXPECT_LT(now_ns, MS(40));
    EXPECT_EQ(path_state_of(paths.set, 31), EV_SUSPECT);
}

SPEC("each of many suspects leaves two probes unanswered before it is bad")
{
    struct paths paths;
    uint32_t probes[40] = { 0 };
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 64, 0);
    for (uint32_t i = 0; i < 40; i++)
        ev_table_apply(paths.set, i, PATH_SUSPECTED, 0);
    while (paths.set->suspect_count > 0) {
        uint32_t ev_index = next_probe(&paths, &now_ns);

        if (path_state_of(paths.set, ev_index) == EV_SUSPECT)
            probes[ev_index]++;
        EXPECT_LT(now_ns, MS(2));
    }
    for (uint32_t i = 0; i < 40; i++)
        EXPECT_EQ(probes[i], 2);
    EXPECT_EQ(path_bad_count(paths.set), 40);
}

/* ---- more EVs than records -------------------------------------------------------------------*/

SPEC("EVs on planes that are down are not probed and not demoted, and others are")
{
    struct paths paths;
    uint64_t now_ns = 0;
    uint32_t probe_count = 0;

    paths_init(&paths, 2, 2, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    path_on_loss(paths.set, 2, false, 0, 0);
    while (now_ns < S(1)) {
        uint32_t ev_index;

        now_ns = path_probe_deadline_ns(paths.set);
        while ((ev_index = path_probe_next(paths.set, 0x2, now_ns)) != PATH_NONE) {
            EXPECT_EQ(ev_index, 2);
            probe_count++;
        }
        EXPECT_GT(path_probe_deadline_ns(paths.set), now_ns);
    }
    EXPECT_GE(probe_count, 5);
    path_on_spurious(paths.set, 0, now_ns); /* nothing else spoke against it */
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    path_on_spurious(paths.set, 2, now_ns);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_ASSUMED_BAD);
}

SPEC("if bad EVs outnumber the records, each is probed in turn, none twice as often as another")
{
    struct paths paths;
    uint32_t probes[64] = { 0 };
    uint64_t now_ns = 0;
    uint32_t fewest = UINT32_MAX;
    uint32_t most = 0;

    paths_init(&paths, 2, 64, 0);
    memset(&ev_table_evs(paths.set)[128], EV_ASSUMED_BAD, 64); /* no EV is there */
    for (uint32_t i = 0; i < 64; i++)
        path_on_loss(paths.set, i, false, 0, 0);
    EXPECT_EQ(path_bad_count(paths.set), 64);
    while (now_ns < S(200))
        probes[next_probe(&paths, &now_ns)]++;
    for (uint32_t i = 0; i < 64; i++) {
        fewest = probes[i] < fewest ? probes[i] : fewest;
        most = probes[i] > most ? probes[i] : most;
    }
    EXPECT_GE(fewest, 32); /* 14 records, one probe in 1.1 s, 64 EVs: 40 */
    EXPECT_LE(most, 52);
}

SPEC("of many bad EVs, all that answer return")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 2, 64, 0);
    for (uint32_t i = 0; i < 64; i++)
        path_on_loss(paths.set, i, false, 0, 0);
    while (path_bad_count(paths.set) > 32) {
        uint32_t ev_index = next_probe(&paths, &now_ns);

        if (ev_index % 2)
            path_on_probe_answered(paths.set, ev_index, false, false, now_ns);
        path_check(paths.set);
        EXPECT_LT(now_ns, S(100));
    }
    for (uint32_t i = 0; i < 64; i++)
        EXPECT_EQ(path_state_of(paths.set, i), i % 2 ? EV_GOOD : EV_ASSUMED_BAD);
}

SPEC("EVs on planes that are down release their records to bad EVs on planes that are up")
{
    struct paths paths;
    uint64_t now_ns = 0;
    bool probed = false;

    paths_init(&paths, 2, 40, 0);
    for (uint32_t i = 0; i < 41; i++)
        path_on_loss(paths.set, i, false, 0, 0);
    while (!probed && now_ns < S(1)) {
        now_ns = path_probe_deadline_ns(paths.set);
        probed = path_probe_next(paths.set, 0x2, now_ns) == 40;
    }
    EXPECT(probed);
}

SPEC("a record that becomes free goes to an EV that waits, with a first interval")
{
    struct paths paths;
    uint64_t now_ns = 0;
    uint64_t from_ns;

    paths_init(&paths, 1, 64, 0);
    for (uint32_t i = 0; i < 2 * EV_TABLE_PROBE_COUNT_MAX; i++)
        path_on_loss(paths.set, i, false, 0, 0);
    while (now_ns < S(2))
        next_probe(&paths, &now_ns);
    from_ns = now_ns;
    for (uint32_t i = 0; i < EV_TABLE_PROBE_COUNT_MAX; i++) {
        path_deny(paths.set, paths.set->probes[i].ev_index, from_ns);
        path_check(paths.set);
    }
    for (uint32_t i = 0; i < EV_TABLE_PROBE_COUNT_MAX; i++) {
        next_probe(&paths, &now_ns);
        expect_interval(now_ns - from_ns, MS(1));
    }
}

SPEC("an EV that turns bad starts with the first interval, whatever its record was used for before")
{
    struct paths paths;
    uint64_t now_ns = 0;
    uint64_t from_ns;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    for (uint32_t i = 0; i < 6; i++)
        next_probe(&paths, &now_ns);
    from_ns = now_ns;
    path_deny(paths.set, 0, from_ns);
    path_on_loss(paths.set, 1, false, from_ns, from_ns);
    EXPECT_EQ(next_probe(&paths, &now_ns), 1);
    expect_interval(now_ns - from_ns, MS(1));
}

SPEC("probing goes on where the count of ticks wraps")
{
    struct paths paths;
    uint64_t now_ns = (UINT64_C(1) << 42) - US(100);

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, false, now_ns, now_ns);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 9, &now_ns), 3);
    EXPECT_GT(now_ns, UINT64_C(1) << 42);
    EXPECT_LT(now_ns, (UINT64_C(1) << 42) + MS(10));
}

SPEC("the probes of an EV that stays dead stay one second apart")
{
    struct paths paths;
    uint64_t sent_ns = 0;
    uint32_t probes = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    while (probes < 300) {
        uint64_t now_ns = path_probe_deadline_ns(paths.set);

        if (path_probe_next(paths.set, ALL_PLANES, now_ns) == PATH_NONE)
            continue;
        if (probes++ > 20)
            EXPECT_GE(now_ns - sent_ns, MS(750));
        sent_ns = now_ns;
    }
}

SPEC("a probe that waits for its port does not fail, and its time begins when it is sent")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    EXPECT_EQ(next_probe(&paths, &now_ns), 1);
    path_probe_waits(paths.set, 1, now_ns);
    now_ns += US(90);
    path_probe_waits(paths.set, 1, now_ns);
    EXPECT_GE(path_probe_deadline_ns(paths.set), now_ns + US(100));
    now_ns += US(90);
    path_probe_left(paths.set, 1, now_ns);
    EXPECT_GE(path_probe_deadline_ns(paths.set), now_ns + US(100));
    path_on_probe_answered(paths.set, 1, false, false, now_ns + US(90));
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, now_ns + US(90)), 1); /* it counted */
}

SPEC("a probe that is never sent is scheduled again and has not failed")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    EXPECT_EQ(next_probe(&paths, &now_ns), 1);
    path_probe_waits(paths.set, 1, now_ns);
    now_ns = path_probe_deadline_ns(paths.set);
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, now_ns), 1);
}
