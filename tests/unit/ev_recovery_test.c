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
        *now_ns = path_probe_deadline_ns(paths->set);
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

SPEC("nothing bad, nothing to probe")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, S(1)), PATH_NONE);
}

SPEC("the first probe goes 1 ms after the demotion, then the interval doubles up to 1 s, +-25 %")
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct paths paths;
        uint64_t nominal_ns = MS(1);
        uint64_t from_ns = S(3) + 12345;
        uint64_t now_ns;

        paths_shape(&paths, 1, 4, 0);
        paths_open(&paths, seed);
        path_on_loss(paths.set, 1, from_ns, from_ns);
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

SPEC("times are kept to a tick of 1.024 us, never short")
{
    struct paths paths;

    paths_shape(&paths, 1, 4, 0);
    paths.config.probe_first_ns = paths.config.probe_longest_ns = TICK_NS;
    paths.config.probe_timeout_ns = 100 * TICK_NS;
    paths_open(&paths, 1);
    path_on_loss(paths.set, 1, 0, 0);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), 2 * TICK_NS);
    EXPECT_EQ(path_probe_next(paths.set, ALL_PLANES, 2 * TICK_NS), 1);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), 103 * TICK_NS);
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
        path_on_loss(paths.set, 0, 0, 0);
        deadline_ns = path_probe_deadline_ns(paths.set);
        shortest_ns = deadline_ns < shortest_ns ? deadline_ns : shortest_ns;
        longest_ns = deadline_ns > longest_ns ? deadline_ns : longest_ns;
    }
    EXPECT_LT(shortest_ns, US(760));
    EXPECT_GT(longest_ns, US(1240));
}

SPEC("an answered probe doubles the interval, too")
{
    struct paths paths;
    uint64_t now_ns = 0;
    uint64_t from_ns;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, 0, 0);
    next_probe(&paths, &now_ns);
    from_ns = now_ns + US(10);
    path_on_probe_answered(paths.set, 1, false, false, from_ns);
    next_probe(&paths, &now_ns);
    expect_interval(now_ns - from_ns, MS(2));
}

SPEC("three answers in a row bring an EV back, two do not")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, 0, 0);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 2, &now_ns), 2);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 2, &now_ns), 1);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    EXPECT_EQ(paths.change.cause, PATH_PROBE_ANSWERED);
    EXPECT_EQ(path_probe_deadline_ns(paths.set), UINT64_MAX);
    path_check(paths.set);
}

SPEC("an unanswered probe starts the count anew, and so does ALWAYS_SKIP")
{
    for (uint32_t always_skip = 0; always_skip < 2; always_skip++) {
        struct paths paths;
        uint64_t now_ns = 0;

        paths_init(&paths, 1, 4, 0);
        path_on_loss(paths.set, 1, 0, 0);
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
    path_on_loss(paths.set, 1, 0, 0);
    paths_answer_probes(&paths, 1, 2, &now_ns);
    next_probe(&paths, &now_ns);
    path_on_probe_answered(paths.set, 1, true, false, now_ns);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    EXPECT_EQ(paths.change.cause, PATH_PROBE_MARKED);
    EXPECT(path_is_active(paths.set, 1));
    EXPECT_NE(path_pick(paths.set, 1, now_ns), 1);

    path_on_loss(paths.set, 2, now_ns, now_ns);
    for (uint32_t i = 0; i < 2; i++) {
        next_probe(&paths, &now_ns);
        path_on_probe_answered(paths.set, 2, true, false, now_ns);
    }
    EXPECT_EQ(paths_answer_probes(&paths, 2, 9, &now_ns), 1);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_GOOD);
}

SPEC("an answer that nobody waits for changes nothing")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    for (uint32_t i = 0; i < 5; i++)
        path_on_probe_answered(paths.set, 0, false, false, 0); /* GOOD */
    path_on_loss(paths.set, 1, 0, 0);
    for (uint32_t i = 0; i < 5; i++)
        path_on_probe_answered(paths.set, 1, false, false, 0); /* not probed yet */
    next_probe(&paths, &now_ns);
    for (uint32_t i = 0; i < 5; i++)
        path_on_probe_answered(paths.set, 1, false, false, now_ns); /* four duplicates */
    EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 9, &now_ns), 2);
}

SPEC("demoted again within 10 s of its return, an EV needs twice the answers, at most 24")
{
    static const uint32_t expected[] = { 3, 6, 12, 24, 24 };
    struct paths paths;
    uint64_t now_ns = S(7);

    paths_init(&paths, 1, 4, 0);
    for (uint32_t i = 0; i < 5; i++) {
        path_on_loss(paths.set, 1, now_ns, now_ns);
        EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), expected[i]);
        now_ns += S(10);
    }
    now_ns += S(5); /* 15 s have passed */
    path_on_loss(paths.set, 1, now_ns, now_ns);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), 3);
}

PROPERTY("up to 10 s after a return a demotion counts as flapping, from 15 s on it does not", 300)
{
    struct paths paths;
    struct prng prng = prng_stream(seed, 1);
    uint64_t now_ns = prng_below(&prng, 1000) * MS(20);
    uint64_t wait_ns = prng_below(&prng, 2500) * MS(10);

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, now_ns, now_ns);
    paths_answer_probes(&paths, 1, 99, &now_ns);
    for (uint32_t i = 0; i < 3; i++) { /* others come and go meanwhile */
        uint64_t other_ns = now_ns + wait_ns / 4 * i;

        path_on_loss(paths.set, 2, other_ns, other_ns);
        path_on_spurious(paths.set, 2, other_ns + 1);
    }
    now_ns += wait_ns;
    path_on_loss(paths.set, 1, now_ns, now_ns);
    if (wait_ns <= S(10))
        EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), 6);
    if (wait_ns >= S(15))
        EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), 3);
}

SPEC("a return long ago is forgotten however long nothing happened")
{
    for (uint64_t periods = 3; periods < 12; periods++) {
        struct paths paths;
        uint64_t now_ns = 0;

        paths_init(&paths, 1, 4, 0);
        path_on_loss(paths.set, 1, now_ns, now_ns);
        paths_answer_probes(&paths, 1, 99, &now_ns);
        now_ns += S(5) * periods;
        path_on_loss(paths.set, 1, now_ns, now_ns);
        EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), 3);
    }
}

SPEC("a spurious demotion is not a flap")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, now_ns, now_ns);
    path_on_spurious(paths.set, 1, now_ns);
    path_on_loss(paths.set, 1, now_ns, now_ns);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), 3);
    path_on_loss(paths.set, 1, now_ns, now_ns); /* one flap */
    path_on_spurious(paths.set, 1, now_ns);     /* taken back */
    path_on_loss(paths.set, 1, now_ns, now_ns);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), 6);
}

SPEC("an EV that was allowed or replaced starts without damping")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, now_ns, now_ns);
    paths_answer_probes(&paths, 1, 99, &now_ns);
    path_deny(paths.set, 1, now_ns);
    path_allow(paths.set, 1, now_ns);
    path_on_loss(paths.set, 1, now_ns, now_ns);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), 3);
    path_replaced(paths.set, 1, now_ns);
    path_on_loss(paths.set, 1, now_ns, now_ns);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), 3);
}

SPEC("the probes that damping asks for are limited as configured")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_shape(&paths, 1, 4, 0);
    paths.config.probe_successes = 2;
    paths.config.probe_successes_max = 5;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 4; i++) {
        path_on_loss(paths.set, 1, now_ns, now_ns);
        EXPECT_EQ(paths_answer_probes(&paths, 1, 99, &now_ns), i == 0 ? 2 : i == 1 ? 4 : 5);
    }
}

SPEC("EVs on planes that are down are not probed and not blamed, others are")
{
    struct paths paths;
    uint64_t now_ns = 0;
    uint32_t probe_count = 0;

    paths_init(&paths, 2, 2, 0);
    path_on_loss(paths.set, 0, 0, 0);
    path_on_loss(paths.set, 2, 0, 0);
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

SPEC("where bad EVs outnumber the records, each is probed in its turn, none twice as often")
{
    struct paths paths;
    uint32_t probes[64] = { 0 };
    uint64_t now_ns = 0;
    uint32_t fewest = UINT32_MAX;
    uint32_t most = 0;

    paths_init(&paths, 2, 64, 0);
    for (uint32_t i = 0; i < 64; i++)
        path_on_loss(paths.set, i, 0, 0);
    EXPECT_EQ(path_bad_count(paths.set), 64);
    while (now_ns < S(200))
        probes[next_probe(&paths, &now_ns)]++;
    for (uint32_t i = 0; i < 64; i++) {
        fewest = probes[i] < fewest ? probes[i] : fewest;
        most = probes[i] > most ? probes[i] : most;
    }
    EXPECT_GE(fewest, 50); /* 20 records, one probe a second, 64 EVs: 62 */
    EXPECT_LE(most, 80);
}

SPEC("of many bad EVs those that answer come back, all of them")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 2, 64, 0);
    for (uint32_t i = 0; i < 64; i++)
        path_on_loss(paths.set, i, 0, 0);
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

SPEC("EVs on planes that are down give way to bad EVs on planes that are up")
{
    struct paths paths;
    uint64_t now_ns = 0;
    bool probed = false;

    paths_init(&paths, 2, 40, 0);
    for (uint32_t i = 0; i < 41; i++)
        path_on_loss(paths.set, i, 0, 0);
    while (!probed && now_ns < S(1)) {
        now_ns = path_probe_deadline_ns(paths.set);
        probed = path_probe_next(paths.set, 0x2, now_ns) == 40;
    }
    EXPECT(probed);
}

SPEC("a record that falls free goes to an EV that waits, with a first interval")
{
    struct paths paths;
    uint64_t now_ns = 0;
    uint64_t from_ns;

    paths_init(&paths, 1, 64, 0);
    for (uint32_t i = 0; i < 2 * EV_TABLE_PROBE_COUNT_MAX; i++)
        path_on_loss(paths.set, i, 0, 0);
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

SPEC("an EV that turns bad begins with the first interval, whatever its record served before")
{
    struct paths paths;
    uint64_t now_ns = 0;
    uint64_t from_ns;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, 0, 0);
    for (uint32_t i = 0; i < 6; i++)
        next_probe(&paths, &now_ns);
    from_ns = now_ns;
    path_deny(paths.set, 0, from_ns);
    path_on_loss(paths.set, 1, from_ns, from_ns);
    EXPECT_EQ(next_probe(&paths, &now_ns), 1);
    expect_interval(now_ns - from_ns, MS(1));
}

SPEC("probing goes on where the count of ticks wraps")
{
    struct paths paths;
    uint64_t now_ns = (UINT64_C(1) << 42) - MS(2);

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, now_ns, now_ns);
    EXPECT_EQ(paths_answer_probes(&paths, 1, 9, &now_ns), 3);
    EXPECT_GT(now_ns, UINT64_C(1) << 42);
    EXPECT_LT(now_ns, (UINT64_C(1) << 42) + MS(10));
}

SPEC("however long an EV stays dead, its probes stay a second apart")
{
    struct paths paths;
    uint64_t sent_ns = 0;
    uint32_t probes = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 1, 0, 0);
    while (probes < 300) {
        uint64_t now_ns = path_probe_deadline_ns(paths.set);

        if (path_probe_next(paths.set, ALL_PLANES, now_ns) == PATH_NONE)
            continue;
        if (probes++ > 20)
            EXPECT_GE(now_ns - sent_ns, MS(750));
        sent_ns = now_ns;
    }
}
