/* SPDX-License-Identifier: Apache-2.0 */
/* The timing wheel, alone and beside a plain list of deadlines. */
#include "spec.h"

#include <stdalign.h>
#include <stdbool.h>

#include "base/prng.h"
#include "base/wheel.h"

#define OWNERS  50
#define TICK_NS 256

struct timers {
    struct wheel wheel;
    uint64_t deadlines[OWNERS]; /* the model */
    alignas(64) uint8_t memory[OWNERS * sizeof(struct wheel_node)];
};

static void timers_init(struct timers *timers)
{
    struct arena arena;

    arena_init(&arena, timers->memory, sizeof(timers->memory));
    wheel_init(&timers->wheel, &arena, OWNERS);
    for (uint32_t i = 0; i < OWNERS; i++)
        timers->deadlines[i] = UINT64_MAX;
}

static void set(struct timers *timers, uint32_t owner, uint64_t deadline_ns)
{
    wheel_set(&timers->wheel, owner, deadline_ns);
    timers->deadlines[owner] = deadline_ns;
}

SPEC("an empty wheel has no deadline and returns no owner")
{
    static struct timers timers;

    timers_init(&timers);
    EXPECT_EQ(wheel_next_ns(&timers.wheel), UINT64_MAX);
    EXPECT_EQ(wheel_take(&timers.wheel, UINT64_C(1) << 60), WHEEL_NONE);
    EXPECT_EQ(wheel_deadline_of(&timers.wheel, 7), UINT64_MAX);
}

SPEC("a timer fires once, at its time and not before")
{
    static struct timers timers;

    timers_init(&timers);
    set(&timers, 3, 1000 * TICK_NS);
    EXPECT_EQ(wheel_take(&timers.wheel, 1000 * TICK_NS - 1), WHEEL_NONE);
    EXPECT_EQ(wheel_take(&timers.wheel, 1000 * TICK_NS), 3);
    EXPECT_EQ(wheel_take(&timers.wheel, 1000 * TICK_NS), WHEEL_NONE);
    EXPECT_EQ(wheel_next_ns(&timers.wheel), UINT64_MAX);
}

SPEC("a timer that is moved or cleared does not fire at its old time")
{
    static struct timers timers;

    timers_init(&timers);
    set(&timers, 1, 10 * TICK_NS);
    set(&timers, 2, 10 * TICK_NS);
    set(&timers, 1, 5000 * TICK_NS);
    set(&timers, 2, UINT64_MAX);
    EXPECT_EQ(wheel_take(&timers.wheel, 4999 * TICK_NS), WHEEL_NONE);
    EXPECT_EQ(wheel_take(&timers.wheel, 5000 * TICK_NS), 1);
}

SPEC("of the timers of one tick, the owner after the next is known in advance")
{
    static struct timers timers;
    uint32_t expected = WHEEL_NONE; /* two calls later */
    uint32_t next = WHEEL_NONE;

    timers_init(&timers);
    for (uint32_t owner = 0; owner < 5; owner++)
        set(&timers, owner, 7 * TICK_NS);
    set(&timers, 5, 9 * TICK_NS);
    for (uint32_t taken = 0; taken < 5; taken++) {
        uint32_t owner = wheel_take(&timers.wheel, 7 * TICK_NS);

        EXPECT(taken < 2 || owner == next);
        next = expected;
        expected = wheel_after_next(&timers.wheel);
        EXPECT_EQ(expected == WHEEL_NONE, taken >= 3);
    }
    EXPECT_EQ(wheel_after_next(&timers.wheel), WHEEL_NONE);
}

SPEC("a deadline in the past fires at once")
{
    static struct timers timers;

    timers_init(&timers);
    EXPECT_EQ(wheel_take(&timers.wheel, 999 * TICK_NS), WHEEL_NONE);
    set(&timers, 4, 5);
    EXPECT_LE(wheel_next_ns(&timers.wheel), 999 * TICK_NS);
    EXPECT_EQ(wheel_take(&timers.wheel, 999 * TICK_NS), 4);
}

SPEC("the largest time is a valid deadline")
{
    static struct timers timers;

    timers_init(&timers);
    set(&timers, 4, UINT64_MAX - 1);
    EXPECT_GT(wheel_next_ns(&timers.wheel), 0);
    EXPECT_EQ(wheel_take(&timers.wheel, UINT64_C(1) << 63), WHEEL_NONE);
    EXPECT_EQ(wheel_deadline_of(&timers.wheel, 4), UINT64_MAX - 1);
}

/* Short times and long ones alike, so that every level has its turn. */
static uint64_t random_delay_ns(struct prng *prng)
{
    return prng_next(prng) >> (20 + prng_below(prng, 44));
}

static void expect_earliest_is_known(const struct timers *timers, uint64_t now_ns)
{
    uint64_t earliest = UINT64_MAX;

    for (uint32_t i = 0; i < OWNERS; i++) {
        EXPECT_EQ(wheel_deadline_of(&timers->wheel, i), timers->deadlines[i]);
        if (timers->deadlines[i] < earliest)
            earliest = timers->deadlines[i];
    }
    if (earliest == UINT64_MAX)
        EXPECT_EQ(wheel_next_ns(&timers->wheel), UINT64_MAX);
    else if (earliest > now_ns)
        EXPECT_LT(wheel_next_ns(&timers->wheel), earliest + TICK_NS);
    else
        EXPECT_LT(wheel_next_ns(&timers->wheel), now_ns + TICK_NS);
}

/* All that is due, to the tick, and nothing that is not. */
static void take_all(struct timers *timers, uint64_t now_ns)
{
    uint32_t owner;

    while ((owner = wheel_take(&timers->wheel, now_ns)) != WHEEL_NONE) {
        EXPECT_LE(timers->deadlines[owner], now_ns);
        timers->deadlines[owner] = UINT64_MAX;
    }
    for (uint32_t i = 0; i < OWNERS; i++)
        EXPECT_GT(timers->deadlines[i], now_ns - now_ns % TICK_NS);
}

PROPERTY("timers that are set, moved, cleared or kept fire as those of a plain list do", 300)
{
    static struct timers timers;
    struct prng prng = prng_stream(seed, 0);
    uint64_t now_ns = 1;

    timers_init(&timers);
    for (uint32_t step = 0; step < 200; step++) {
        uint32_t owner = prng_below(&prng, OWNERS);

        set(&timers, owner, prng_below(&prng, 5) ? now_ns + random_delay_ns(&prng) : UINT64_MAX);
        expect_earliest_is_known(&timers, now_ns);
        if (prng_below(&prng, 3) == 0) {
            now_ns += random_delay_ns(&prng);
            take_all(&timers, now_ns);
        }
    }
}

/* ---- time driven by the wheel alone --------------------------------------------------------- */

/* Anything from nothing to 2^59 ns, by its number of bits. */
static uint64_t any_delay_ns(struct prng *prng)
{
    return prng_next(prng) >> (5 + prng_below(prng, 59));
}

static void expect_linked(const struct timers *timers)
{
    uint32_t linked = 0;
    uint32_t set_count = 0;

    for (uint32_t slot = 0; slot < WHEEL_LEVELS * WHEEL_SLOTS; slot++) {
        uint32_t owner = timers->wheel.first[slot];

        EXPECT_EQ(timers->wheel.occupied[slot / WHEEL_SLOTS] >> slot % WHEEL_SLOTS & 1,
            owner != WHEEL_NONE);
        for (; owner != WHEEL_NONE; owner = timers->wheel.nodes[owner].next) {
            EXPECT_EQ(timers->wheel.nodes[owner].slot, slot);
            EXPECT_LE(++linked, OWNERS);
        }
    }
    for (uint32_t i = 0; i < OWNERS; i++)
        set_count += timers->deadlines[i] != UINT64_MAX;
    EXPECT_EQ(linked, set_count);
}

PROPERTY(
    "a caller that wakes when the wheel says finds every timer, none early and none a tick late",
    300)
{
    static struct timers timers;
    struct prng prng = prng_stream(seed, 0);
    uint64_t now_ns = prng_below(&prng, 2) ? any_delay_ns(&prng) : (UINT64_C(1) << 60) - 5000;
    uint32_t left = 300; /* times that a timer is set */
    uint32_t wakes = 0;
    uint32_t waiting = 0;

    timers_init(&timers);
    EXPECT_EQ(wheel_take(&timers.wheel, now_ns), WHEEL_NONE);
    for (; waiting < OWNERS; waiting++, left--)
        set(&timers, waiting, now_ns + any_delay_ns(&prng));
    while (waiting > 0) {
        uint64_t next_ns = wheel_next_ns(&timers.wheel);
        uint32_t owner;

        EXPECT_NE(next_ns, UINT64_MAX);
        if (next_ns > now_ns)
            now_ns = next_ns;
        while ((owner = wheel_take(&timers.wheel, now_ns)) != WHEEL_NONE) {
            EXPECT_LE(timers.deadlines[owner], now_ns);
            EXPECT_LT(now_ns - timers.deadlines[owner], TICK_NS);
            timers.deadlines[owner] = UINT64_MAX;
            waiting--;
            if (left > 0 && prng_below(&prng, 4)) { /* while others are due at the same time */
                set(&timers, owner, now_ns + any_delay_ns(&prng));
                waiting++;
                left--;
            }
        }
        wakes++;
    }
    EXPECT_EQ(wheel_next_ns(&timers.wheel), UINT64_MAX);
    EXPECT_LE(wakes, 300 * WHEEL_LEVELS); /* each level is left at most once per timer */
}

PROPERTY("random operations and jumps in time keep the lists of the wheel consistent", 200)
{
    static struct timers timers;
    struct prng prng = prng_stream(seed, 0);
    uint64_t now_ns = 0;

    timers_init(&timers);
    for (uint32_t step = 0; step < 300; step++) {
        uint32_t owner = prng_below(&prng, OWNERS);

        switch (prng_below(&prng, 4)) {
        case 0: /* into the past or the present, too */
            set(&timers, owner,
                prng_below(&prng, 2) ? now_ns - (now_ns >> prng_below(&prng, 60)) : now_ns);
            break;
        case 1:
            set(&timers, owner, UINT64_MAX);
            break;
        case 2:
            set(&timers, owner, now_ns + any_delay_ns(&prng));
            break;
        default: /* one timer at most: the rest of what is due stays */
            if (now_ns < UINT64_C(1) << 60)
                now_ns += any_delay_ns(&prng) >> prng_below(&prng, 30);
            owner = wheel_take(&timers.wheel, now_ns);
            if (owner != WHEEL_NONE) {
                EXPECT_LE(timers.deadlines[owner], now_ns);
                timers.deadlines[owner] = UINT64_MAX;
            }
            break;
        }
        expect_linked(&timers);
        expect_earliest_is_known(&timers, now_ns);
    }
    take_all(&timers, now_ns);
}

SPEC("all timers of one tick fire together")
{
    static struct timers timers;
    uint32_t count = 0;

    timers_init(&timers);
    for (uint32_t i = 0; i < OWNERS; i++)
        set(&timers, i, 700 * TICK_NS - i);
    EXPECT_EQ(wheel_take(&timers.wheel, 700 * TICK_NS - 1), WHEEL_NONE);
    while (wheel_take(&timers.wheel, 700 * TICK_NS) != WHEEL_NONE)
        count++;
    EXPECT_EQ(count, OWNERS);
}

SPEC("a wheel whose only timer, in a far slot, is cleared has no deadline")
{
    static struct timers timers;

    timers_init(&timers);
    set(&timers, 0, UINT64_C(1) << 60);
    EXPECT_NE(wheel_next_ns(&timers.wheel), UINT64_MAX);
    set(&timers, 0, UINT64_MAX);
    EXPECT_EQ(wheel_next_ns(&timers.wheel), UINT64_MAX);
    set(&timers, 0, UINT64_MAX); /* a timer that is not set may be cleared */
    expect_linked(&timers);
}

SPEC("a measuring arena counts the bytes of the timers")
{
    struct arena arena;

    arena_init(&arena, NULL, 0);
    wheel_init(NULL, &arena, OWNERS);
    EXPECT_EQ(arena.used_bytes, OWNERS * sizeof(struct wheel_node));
}

SPEC(
    "a timer set after a long idle time waits in the finest slots, and causes no wakeup on the way")
{
    static struct timers timers;
    uint64_t now_ns = UINT64_C(64) * 64 * 1000 * TICK_NS;

    timers_init(&timers);
    EXPECT_EQ(wheel_take(&timers.wheel, now_ns), WHEEL_NONE);
    set(&timers, 0, now_ns + 5 * TICK_NS);
    EXPECT_EQ(wheel_next_ns(&timers.wheel), now_ns + 5 * TICK_NS);
}

SPEC("a deadline centuries ahead is kept")
{
    static struct timers timers;
    uint64_t deadline_ns = (UINT64_C(1) << 63) + 12345;

    timers_init(&timers);
    set(&timers, 9, deadline_ns);
    EXPECT_LE(wheel_next_ns(&timers.wheel), deadline_ns);
    EXPECT_EQ(wheel_take(&timers.wheel, deadline_ns - TICK_NS), WHEEL_NONE);
    EXPECT_EQ(wheel_take(&timers.wheel, deadline_ns + TICK_NS), 9);
}
