/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of planes: which plane a packet takes, and how weights follow round trips. */
#include "path/planes.h"

#include "base/prng.h"
#include "path/path.h"
#include "spec.h"

enum { WINDOW_BYTES = 80000, RTT_NS = 10000 };

static const struct planes_times times = { .base_rtt_ns = RTT_NS };
static const struct path_profile rough_profile = { .is_rough = true };
static const struct planes_times rough_times = { .base_rtt_ns = 100 * PLANES_TICK_NS,
    .target_delay_ns = 20 * PLANES_TICK_NS,
    .profile = &rough_profile };

static void sample(struct planes *planes, uint32_t plane, uint32_t ticks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        planes_on_rtt(planes, plane, (uint64_t)ticks * PLANES_TICK_NS);
}

/* One sample of each of two planes, then the end of the round. */
static void one_round(struct planes *planes, uint32_t first_ticks, uint32_t second_ticks)
{
    planes_init(planes, 2);
    sample(planes, 0, first_ticks, 1);
    sample(planes, 1, second_ticks, 1);
    planes_end_round(planes, 3, &times);
}

static void set_weight(struct planes *planes, uint32_t plane, uint32_t weight)
{
    planes->weight[plane] = (uint16_t)weight;
    planes->weighed_mask = 0;
}

static void expect_weights(const struct planes *planes, uint32_t first, uint32_t second)
{
    EXPECT_EQ(planes->weight[0], first);
    EXPECT_EQ(planes->weight[1], second);
}

/* ---- the choice ------------------------------------------------------------------------------*/

SPEC("planes with the same bytes in flight take turns")
{
    struct planes planes;

    planes_init(&planes, 3);
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t plane = planes_choose(&planes, 7, 7, WINDOW_BYTES);

        EXPECT_EQ(plane, i % 3);
        planes_on_sent(&planes, plane, 1000);
    }
    EXPECT_EQ(planes.inflight_bytes[2], 3000);
}

SPEC("the plane with the least bytes in flight for its weight is chosen")
{
    struct planes planes;

    planes_init(&planes, 3);
    planes_on_sent(&planes, 0, 5000);
    planes_on_sent(&planes, 1, 4000);
    planes_on_sent(&planes, 2, 4500);
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 1);
    set_weight(&planes, 0, 8000); /* 2560 */
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 0);
    planes_on_gone(&planes, 1, 2000); /* 2000 */
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 1);
    set_weight(&planes, 1, 2048); /* 4000 */
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 0);
}

SPEC("a plane that is not ready is not chosen, however few its bytes in flight")
{
    struct planes planes;

    planes_init(&planes, 4);
    planes_on_sent(&planes, 1, 1000);
    planes_on_sent(&planes, 3, 2000);
    EXPECT_EQ(planes_choose(&planes, 0xa, 0xf, WINDOW_BYTES), 1);
    EXPECT_EQ(planes_choose(&planes, 0, 0xf, WINDOW_BYTES), PATH_NONE);
}

SPEC("a plane has room while its bytes in flight are below its share of the window")
{
    struct planes planes;

    planes_init(&planes, 4);
    set_weight(&planes, 1, 2 * PLANES_EQUAL); /* two of five parts: 32000 */
    planes_on_sent(&planes, 1, 31999);
    EXPECT_EQ(planes_choose(&planes, 2, 0xf, WINDOW_BYTES), 1);
    planes_on_sent(&planes, 1, 1);
    EXPECT_EQ(planes_choose(&planes, 2, 0xf, WINDOW_BYTES), PATH_NONE);
    EXPECT_EQ(planes_choose(&planes, 2, 7, WINDOW_BYTES), 1); /* two of four parts */
}

SPEC("a plane without bytes in flight has room, however small its share")
{
    struct planes planes;

    planes_init(&planes, 2);
    set_weight(&planes, 1, 16);
    EXPECT_EQ(planes_choose(&planes, 2, 3, 1), 1);
    planes_on_sent(&planes, 1, 1);
    EXPECT_EQ(planes_choose(&planes, 2, 3, 1), PATH_NONE);
}

SPEC("a plane without room is passed over for a plane with more bytes in flight that has room")
{
    struct planes planes;

    planes_init(&planes, 2);
    set_weight(&planes, 0, 6144); /* 60000 of 80000 */
    set_weight(&planes, 1, 2048);
    planes_on_sent(&planes, 0, 59999);
    planes_on_sent(&planes, 1, 20000);
    EXPECT_EQ(planes_choose(&planes, 3, 3, WINDOW_BYTES), 0);
    planes_on_sent(&planes, 0, 1);
    EXPECT_EQ(planes_choose(&planes, 3, 3, WINDOW_BYTES), PATH_NONE);
}

SPEC("among equal planes the turn continues after the plane chosen last")
{
    struct planes planes;

    planes_init(&planes, 3);
    EXPECT_EQ(planes_choose(&planes, 2, 7, WINDOW_BYTES), 1);
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 2);
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 0);
    EXPECT_EQ(planes_choose(&planes, 0, 7, WINDOW_BYTES), PATH_NONE);
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 1);
}

SPEC("the largest windows and weights cause no overflow")
{
    struct planes planes;

    planes_init(&planes, PATH_PLANE_COUNT_MAX);
    for (uint32_t plane = 0; plane < PATH_PLANE_COUNT_MAX; plane++) {
        set_weight(&planes, plane, UINT16_MAX);
        planes_on_sent(&planes, plane, 500000000);
    }
    EXPECT_EQ(planes_choose(&planes, 0xff, 0xff, UINT32_MAX), 0);
    planes_on_sent(&planes, 1, 100000000);
    EXPECT_EQ(planes_choose(&planes, 2, 0xff, UINT32_MAX), PATH_NONE);
}

SPEC("of 16 planes, one gets the whole weight of the others without overflow, and returns")
{
    struct planes_times measured = { .base_rtt_ns = 10000 };
    struct planes planes;

    planes_init(&planes, PATH_PLANE_COUNT_MAX);
    for (uint32_t round = 0; round < 300; round++) {
        for (uint32_t plane = 0; plane < PATH_PLANE_COUNT_MAX; plane++)
            sample(&planes, plane, plane == 13 ? 100 : 60000, 10);
        planes_end_round(&planes, 0xffff, &measured);
    }
    EXPECT_GE(planes.weight[13], 14 * PLANES_EQUAL);
    for (uint32_t round = 0; round < 600; round++) {
        for (uint32_t plane = 0; plane < PATH_PLANE_COUNT_MAX; plane++)
            sample(&planes, plane, 100, 10);
        planes_end_round(&planes, 0xffff, &measured);
    }
    EXPECT_LE(planes.weight[13], 2 * PLANES_EQUAL);
}

SPEC("16 planes take turns while they hold equally much")
{
    struct planes planes;

    planes_init(&planes, PATH_PLANE_COUNT_MAX);
    for (uint32_t i = 0; i < 3 * PATH_PLANE_COUNT_MAX; i++) {
        EXPECT_EQ(planes_choose(&planes, 0xffff, 0xffff, 10000000), i % PATH_PLANE_COUNT_MAX);
        planes_on_sent(&planes, i % PATH_PLANE_COUNT_MAX, 1000);
    }
}

SPEC("planes start with equal weights and no bytes in flight")
{
    struct planes planes;

    planes_init(&planes, PATH_PLANE_COUNT_MAX);
    for (uint32_t plane = 0; plane < PATH_PLANE_COUNT_MAX; plane++) {
        EXPECT_EQ(planes.weight[plane], PLANES_EQUAL);
        EXPECT_EQ(planes.inflight_bytes[plane], 0);
        EXPECT_EQ(planes.mean_ticks[plane], 0);
    }
}

SPEC("a plane that the destination lacks is never chosen")
{
    struct planes planes;

    planes_init(&planes, 3);
    planes_on_sent(&planes, 3, 1000);
    planes_on_gone(&planes, 3, 1000);
    EXPECT_EQ(planes_choose(&planes, 0x8, 0xf, WINDOW_BYTES), PATH_NONE);
}

SPEC("once planes are weighed, the lightest is found at once, and is one that the destination has")
{
    struct planes planes;

    planes_init(&planes, 3);
    for (uint32_t plane = 0; plane < 3; plane++)
        planes_on_sent(&planes, plane, 1000);
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 0);
    EXPECT_EQ(planes.weighed_mask, 7);
    EXPECT_EQ(planes_choose_lightest(&planes), 1);
}

SPEC("a plane delivers if it has at least half of an equal share")
{
    struct planes planes;

    planes_init(&planes, 3);
    planes.weight[0] = PLANES_EQUAL / 2 - 1;
    planes.weight[1] = PLANES_EQUAL / 2;
    EXPECT_EQ(planes_delivering(&planes, 7), 6);
    EXPECT_EQ(planes_delivering(&planes, 3), 2);
}

/* By division. */
static uint32_t model_choice(const struct planes *planes, uint32_t ready, uint32_t usable,
    uint32_t turn, uint32_t window_bytes)
{
    uint32_t best = PATH_NONE;
    uint64_t least = UINT64_MAX;
    uint64_t weights = 0;

    for (uint32_t plane = 0; plane < planes->plane_count; plane++)
        weights += usable >> plane & 1 ? planes->weight[plane] : 0;
    for (uint32_t i = 0; i < planes->plane_count; i++) {
        uint32_t plane = (turn + i) % planes->plane_count;
        uint64_t bytes = planes->inflight_bytes[plane];
        uint64_t held = bytes * PLANES_EQUAL / planes->weight[plane];

        if (ready >> plane & 1 && held < least &&
            (bytes == 0 || bytes * weights < (uint64_t)window_bytes * planes->weight[plane])) {
            best = plane;
            least = held;
        }
    }
    return best;
}

PROPERTY("the choice is the same as with exact division", 300)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t count = 1 + prng_below(&prng, PATH_PLANE_COUNT_MAX);
    uint32_t all = (1u << count) - 1;
    uint32_t largest = 2 + prng_below(&prng, 1u << prng_below(&prng, 17));
    uint32_t turn = 0;
    struct planes planes;

    planes_init(&planes, count);
    for (uint32_t step = 0; step < 200; step++) {
        uint32_t plane = prng_below(&prng, count);
        uint32_t usable = prng_below(&prng, 4) ? all : prng_below(&prng, all + 1);
        uint32_t ready = usable & (prng_below(&prng, 2) ? all : prng_below(&prng, all + 1));
        uint32_t window_bytes = 1 + prng_below(&prng, count * largest * 2);
        uint32_t chosen;

        if (prng_below(&prng, 8) == 0)
            set_weight(&planes, plane, 16 + prng_below(&prng, 32752));
        if (prng_below(&prng, 2))
            planes_on_gone(&planes, plane, prng_below(&prng, planes.inflight_bytes[plane] + 1));
        chosen = model_choice(&planes, ready, usable, turn, window_bytes);
        EXPECT_EQ(planes_choose(&planes, ready, usable, window_bytes), chosen);
        if (chosen == PATH_NONE)
            continue;
        turn = (chosen + 1) % count;
        planes_on_sent(&planes, chosen, prng_below(&prng, largest));
    }
}

/* ---- weights ---------------------------------------------------------------------------------*/

SPEC("planes with equal round trips keep equal weights")
{
    struct planes planes;

    one_round(&planes, 100, 100);
    expect_weights(&planes, PLANES_EQUAL, PLANES_EQUAL);
}

SPEC("the last of eight planes takes part")
{
    struct planes planes;

    planes_init(&planes, PATH_PLANE_COUNT_MAX);
    for (uint32_t plane = 0; plane < PATH_PLANE_COUNT_MAX; plane++)
        sample(&planes, plane, 100, 1);
    planes_end_round(&planes, 0xff, &times);
    for (uint32_t plane = 0; plane < PATH_PLANE_COUNT_MAX; plane++) {
        EXPECT_EQ(planes.weight[plane], PLANES_EQUAL);
        EXPECT_EQ(planes.mean_ticks[plane], 100);
        EXPECT_EQ(planes.count[plane], 0);
    }
}

SPEC("the weight of a plane falls by a quarter of the share by which its round trip exceeds the "
     "mean")
{
    struct planes planes;

    one_round(&planes, 90, 110); /* 25 of 256ths: 100 of 4096, less a leak of 1 */
    expect_weights(&planes, 4195, 3997);
    one_round(&planes, 100, 300); /* 128: 512, less 6 */
    expect_weights(&planes, 4602, 3590);
}

SPEC("a plane that is much slower gets the weight that makes its round trip equal to the mean")
{
    struct planes planes;

    /* 129 of 256ths: 4096 * 256 / 385 + 16 = 2739, the other 4602; together 8192 */
    one_round(&planes, 99, 301);
    expect_weights(&planes, 5135, 3056);
}

SPEC("one round reduces a weight at most to a seventeenth")
{
    struct planes planes;

    planes_init(&planes, 2);
    sample(&planes, 0, 10, 99);
    sample(&planes, 1, 1000, 1); /* mean 19: 52 times as long */
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, 7711, 480); /* 4575 and 4096 / 17 + 45 = 285, of 8192 */
}

SPEC("one round raises a weight by at most an eighth")
{
    struct planes planes;

    planes_init(&planes, 2);
    sample(&planes, 0, 1, 1);
    sample(&planes, 1, 101, 99); /* mean 100 */
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, 4338, 3853); /* 4602 and 4088, of 8192 */
}

/* Two planes with 1.5 and 0.5 of an equal share are as fast as each other. */
static void expect_decay(const struct planes_times *with, int32_t by)
{
    struct planes planes;

    planes_init(&planes, 2);
    set_weight(&planes, 0, 6144);
    set_weight(&planes, 1, 2048);
    sample(&planes, 0, 50, 1);
    sample(&planes, 1, 50, 1);
    planes_end_round(&planes, 3, with);
    expect_weights(&planes, (uint32_t)(6144 - by), (uint32_t)(2048 + by));
}

SPEC("the difference of a weight to the mean decays by 3 of 256 per round")
{
    expect_decay(&times, 24);
}

SPEC("while the window is not used, the difference to the mean of equal planes decays by 24 of 256")
{
    struct planes_times with_window = times;

    with_window.window_bytes = 16384 * 4 / 3; /* a SACK less is in flight than before */
    expect_decay(&with_window, 24);
    with_window.window_bytes++;
    expect_decay(&with_window, 192);
}

SPEC("a plane with bytes in flight and no acknowledgement counts as twice as slow")
{
    struct planes planes;

    planes_init(&planes, 2);
    planes_on_sent(&planes, 0, 4000);
    planes_on_delivered(&planes, 0);
    planes_on_sent(&planes, 1, 4000);
    sample(&planes, 0, 100, 1);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, 5440, 2751); /* 4096 and 2048 + 24, of 8192 */
    EXPECT_EQ(planes.heard_mask, 0);

    planes_init(&planes, 2);
    planes_on_sent(&planes, 1, 4000);
    planes_on_delivered(&planes, 1);
    sample(&planes, 0, 100, 1);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, PLANES_EQUAL, PLANES_EQUAL);
}

SPEC("a plane without bytes in flight and samples keeps its weight")
{
    struct planes planes;

    planes_init(&planes, 2);
    sample(&planes, 0, 100, 3);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, PLANES_EQUAL, PLANES_EQUAL);
}

SPEC("a round without a sample changes no weight")
{
    struct planes planes;

    planes_init(&planes, 2);
    set_weight(&planes, 0, 5000);
    planes_on_sent(&planes, 1, 4000);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, 5000, PLANES_EQUAL);
}

SPEC("planes that are not usable do not count and do not change")
{
    struct planes planes;

    planes_init(&planes, 3);
    set_weight(&planes, 1, 1000);
    sample(&planes, 0, 90, 1);
    sample(&planes, 1, 5000, 1);
    sample(&planes, 2, 110, 1);
    planes_end_round(&planes, 5, &times);
    EXPECT_EQ(planes.weight[0], 4195);
    EXPECT_EQ(planes.weight[1], 1000);
    EXPECT_EQ(planes.weight[2], 3997);
}

SPEC("weights have a minimum, and their mean is that of equal weights")
{
    struct planes planes;

    planes_init(&planes, 2);
    set_weight(&planes, 0, 28000);
    set_weight(&planes, 1, 16);
    sample(&planes, 0, 50, 1);
    sample(&planes, 1, 50, 1);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, 8173, 18); /* 27720 and 63, of 8192 */
    set_weight(&planes, 0, 32000);
    set_weight(&planes, 1, 16);
    sample(&planes, 0, 50, 31);
    sample(&planes, 1, 5000, 1);
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes.weight[1], PLANES_EQUAL / 256);
}

/* ---- samples ---------------------------------------------------------------------------------*/

SPEC("the mean of a round is kept until a round has a sample")
{
    struct planes planes;

    planes_init(&planes, 2);
    planes_on_rtt(&planes, 0, 10 * PLANES_TICK_NS + 63);
    planes_on_rtt(&planes, 0, 13 * PLANES_TICK_NS);
    EXPECT_EQ(planes.sample_count, 2);
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes.mean_ticks[0], 11);
    EXPECT_EQ(planes.mean_ticks[1], 0);
    EXPECT_EQ(planes.sample_count, 0);
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes.mean_ticks[0], 11);
}

static void ev_sample(struct planes *planes, uint32_t plane, uint32_t ticks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        planes_on_ev_rtt(planes, plane, (uint64_t)ticks * PLANES_TICK_NS, 1);
}

SPEC("the mean of a round over EVs is kept for each plane until a round has two samples")
{
    struct planes planes;

    planes_init(&planes, 2);
    planes_on_ev_rtt(&planes, 0, 10 * PLANES_TICK_NS + 63, 1); /* 10 ticks */
    ev_sample(&planes, 0, 13, 1);
    ev_sample(&planes, 1, 50, 1); /* one EV has no other */
    EXPECT_EQ(planes.ev_ticks[0], 23);
    EXPECT_EQ(planes.ev_count[0], 2);
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes.ev_mean_ticks[0], 11); /* 23 / 2 */
    EXPECT_EQ(planes.ev_mean_count[0], 2);
    EXPECT_EQ(planes.ev_mean_ticks[1], 0);
    EXPECT_EQ(planes.ev_mean_count[1], 0);
    EXPECT_EQ(planes.ev_ticks[0], 0); /* the next begins anew */
    EXPECT_EQ(planes.ev_count[0], 0);
    EXPECT_EQ(planes.ev_ticks[1], 0);
    EXPECT_EQ(planes.ev_count[1], 0);
    ev_sample(&planes, 0, 99, 1);
    ev_sample(&planes, 1, 20, 3);
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes.ev_mean_ticks[0], 11);
    EXPECT_EQ(planes.ev_mean_count[0], 2);
    EXPECT_EQ(planes.ev_mean_ticks[1], 20);
    EXPECT_EQ(planes.ev_mean_count[1], 3);
}

SPEC("round trips of EVs change no weight and end no round")
{
    struct planes planes;

    planes_init(&planes, 2);
    ev_sample(&planes, 0, 100, 2);
    ev_sample(&planes, 1, 900, 2);
    EXPECT_EQ(planes.sample_count, 0);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, PLANES_EQUAL, PLANES_EQUAL);
    EXPECT_EQ(planes.mean_ticks[0], 0);
    sample(&planes, 0, 100, 2);
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes.ev_mean_ticks[0], 100); /* nor do those of planes count here */
    EXPECT_EQ(planes.ev_mean_count[0], 2);
}

SPEC("the round trip of an EV is compared with the mean of the other EVs")
{
    struct planes planes;

    planes_init(&planes, 2);
    ev_sample(&planes, 0, 100, 3);
    ev_sample(&planes, 0, 180, 1);
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes.ev_mean_ticks[0], 120); /* 480 / 4 */
    /* 60 ticks above the mean of four are 60 * 4 / 3 above that of the three others, 100 */
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, 180 * PLANES_TICK_NS), 80 * PLANES_TICK_NS);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, 120 * PLANES_TICK_NS), 0);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, 120 * PLANES_TICK_NS + 1), 1); /* 4 / 3 */
    /* 20 below the mean of four: 20 * 4 / 3 below (100 + 100 + 180) / 3, in ns: 5120 / 3 */
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, 100 * PLANES_TICK_NS), -1706);
}

SPEC("in the mean of a round an EV counts as much as its weight")
{
    struct planes planes;

    planes_init(&planes, 1);
    planes_on_ev_rtt(&planes, 0, 100 * PLANES_TICK_NS, 240);
    planes_on_ev_rtt(&planes, 0, 600 * PLANES_TICK_NS, 10);
    planes_end_round(&planes, 1, &times);
    EXPECT_EQ(planes.ev_mean_ticks[0], 120); /* 30,000 / 250 */
    EXPECT_EQ(planes.ev_mean_count[0], 2);
    EXPECT_EQ(planes_ev_difference_ns(&planes, 0, 130 * PLANES_TICK_NS), 10 * PLANES_TICK_NS);
    EXPECT_EQ(planes_ev_difference_ns(&planes, 0, 100 * PLANES_TICK_NS), -20 * PLANES_TICK_NS);
    planes_on_ev_rtt(&planes, 0, 50 * PLANES_TICK_NS, 1); /* the next begins anew */
    planes_on_ev_rtt(&planes, 0, 60 * PLANES_TICK_NS, 1);
    planes_end_round(&planes, 1, &times);
    EXPECT_EQ(planes.ev_mean_ticks[0], 55);
}

SPEC("a sum of weighted round trips does not overflow")
{
    struct planes planes;

    planes_init(&planes, 1);
    for (uint32_t i = 0; i < 1024; i++)
        planes_on_ev_rtt(&planes, 0, (uint64_t)UINT16_MAX * PLANES_TICK_NS, PLANES_EV_WEIGHT_MOST);
    planes_end_round(&planes, 1, &times);
    EXPECT_EQ(planes.ev_mean_ticks[0], UINT16_MAX);
}

SPEC("of two EVs the longer round trip exceeds the other by twice its distance from their mean")
{
    struct planes planes;

    planes_init(&planes, 1);
    ev_sample(&planes, 0, 100, 1);
    ev_sample(&planes, 0, 140, 1);
    planes_end_round(&planes, 1, &times);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, 140 * PLANES_TICK_NS), 40 * PLANES_TICK_NS);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, 100 * PLANES_TICK_NS), -40 * PLANES_TICK_NS);
}

SPEC("before a round with samples of two EVs no round trip counts as longer")
{
    struct planes planes;

    planes_init(&planes, 2);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, RTT_NS), 0);
    EXPECT_EQ(planes_ev_difference_ns(&planes, 0, RTT_NS), 0);
    ev_sample(&planes, 0, 100, 1);
    ev_sample(&planes, 1, 100, 2);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 1, RTT_NS), 0); /* the round is not over */
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, RTT_NS), 0);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 1, RTT_NS), 2 * (RTT_NS - 100 * PLANES_TICK_NS));
}

SPEC("round trips of EVs beyond 4 ms are ignored")
{
    struct planes planes;

    planes_init(&planes, 1);
    planes_on_ev_rtt(&planes, 0, (uint64_t)(UINT16_MAX + 1) * PLANES_TICK_NS, 1);
    EXPECT_EQ(planes.ev_count[0], 0);
    planes_on_ev_rtt(&planes, 0, (uint64_t)(UINT16_MAX + 1) * PLANES_TICK_NS - 1, 1);
    EXPECT_EQ(planes.ev_count[0], 1);
    EXPECT_EQ(planes.ev_ticks[0], UINT16_MAX);
}

SPEC("a trimmed packet counts as twice the round trip of the last round")
{
    struct planes planes;

    one_round(&planes, 100, 200);
    planes_on_trimmed(&planes, 1);
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes.mean_ticks[0], 100);
    EXPECT_EQ(planes.mean_ticks[1], 400);
}

SPEC("a trimmed packet is ignored before any round trip was measured")
{
    struct planes planes;

    planes_init(&planes, 2);
    planes_on_trimmed(&planes, 1);
    EXPECT_EQ(planes.sample_count, 0);
    sample(&planes, 0, 100, 1);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, PLANES_EQUAL, PLANES_EQUAL);
}

SPEC("samples beyond 4 ms or beyond 65,535 in a round are ignored")
{
    struct planes planes;

    planes_init(&planes, 1);
    planes_on_rtt(&planes, 0, (uint64_t)UINT16_MAX * PLANES_TICK_NS);
    EXPECT_EQ(planes.rtt_ticks[0], UINT16_MAX);
    planes_on_rtt(&planes, 0, (uint64_t)(UINT16_MAX + 1) * PLANES_TICK_NS);
    EXPECT_EQ(planes.count[0], 1);
    planes.count[0] = UINT16_MAX - 1;
    planes_on_rtt(&planes, 0, PLANES_TICK_NS);
    EXPECT_EQ(planes.count[0], UINT16_MAX);
    planes_on_rtt(&planes, 0, PLANES_TICK_NS);
    EXPECT_EQ(planes.count[0], UINT16_MAX);
    EXPECT_EQ(planes.rtt_ticks[0], UINT16_MAX + 1);
}

SPEC("a round lasts a round trip, then until two samples per plane, or eight more round trips")
{
    struct planes planes;

    planes_init(&planes, 3);
    EXPECT(!planes_on_sack(&planes, 5000, RTT_NS));
    sample(&planes, 0, 10, 5);
    EXPECT(!planes_on_sack(&planes, 5000 + RTT_NS, RTT_NS));
    EXPECT(!planes_on_sack(&planes, 5000 + 9 * RTT_NS - 1, RTT_NS));
    EXPECT(planes_on_sack(&planes, 5000 + 9 * RTT_NS, RTT_NS));
    sample(&planes, 0, 10, 1);
    EXPECT(planes_on_sack(&planes, 5000 + RTT_NS, RTT_NS));
    EXPECT(!planes_on_sack(&planes, 5000 + RTT_NS - 1, RTT_NS));
}

SPEC("a round begins with its first SACK, however long ago the last round ended")
{
    struct planes planes;

    planes_init(&planes, 1);
    for (uint64_t start_ns = 1000 * RTT_NS; start_ns <= 2000 * RTT_NS; start_ns += 1000 * RTT_NS) {
        sample(&planes, 0, 10, 2);
        EXPECT(!planes_on_sack(&planes, start_ns, RTT_NS));
        EXPECT(!planes_on_sack(&planes, start_ns + RTT_NS - 1, RTT_NS));
        EXPECT(planes_on_sack(&planes, start_ns + RTT_NS, RTT_NS));
        planes_end_round(&planes, 1, &times);
    }
}

/* ---- rough plans ----------------------------------------------------------------------------- */

static void one_rough_round(struct planes *planes, uint32_t first_ticks, uint32_t second_ticks)
{
    planes_init(planes, 2);
    sample(planes, 0, first_ticks, 1);
    sample(planes, 1, second_ticks, 1);
    planes_end_round(planes, 3, &rough_times);
}

SPEC("where the plan is rough, planes move at half the pace")
{
    struct planes usual;
    struct planes rough;

    one_round(&usual, 160, 200);
    one_rough_round(&rough, 160, 200);
    EXPECT_LT(rough.weight[1], PLANES_EQUAL);
    EXPECT_GE((PLANES_EQUAL - rough.weight[1]) * 5, (PLANES_EQUAL - usual.weight[1]) * 2);
    EXPECT_LE((PLANES_EQUAL - rough.weight[1]) * 5, (PLANES_EQUAL - usual.weight[1]) * 3);
}

SPEC("where the plan is rough, the difference of a weight to the mean decays by 1 of 256 per round")
{
    expect_decay(&rough_times, 8);
}

/* Returns the weight of the faster of two planes after a round in which it held this much. Before,
 * each might hold half of the window. */
static uint32_t weight_when_holding(uint32_t bytes)
{
    struct planes_times with_window = rough_times;
    struct planes planes;

    with_window.window_bytes = WINDOW_BYTES;
    with_window.inflight_bytes = bytes;
    planes_init(&planes, 2);
    EXPECT_EQ(planes_choose(&planes, 3, 3, WINDOW_BYTES), 0);
    planes_on_sent(&planes, 0, bytes);
    planes_on_delivered(&planes, 0);
    sample(&planes, 0, 150, 1);
    sample(&planes, 1, 170, 1);
    planes_end_round(&planes, 3, &with_window);
    return planes.weight[0];
}

SPEC("where the plan is rough, a plane gains by its speed only if it holds 3/4 of its share")
{
    uint32_t slack = weight_when_holding(WINDOW_BYTES / 2 * 3 / 4 - 1);

    EXPECT_GT(slack, PLANES_EQUAL); /* the other plane loses */
    EXPECT_GT(weight_when_holding(WINDOW_BYTES / 2 * 3 / 4), slack);
}

SPEC("where the plan is rough, a plane keeps its weight while its queues are as long as aimed at")
{
    struct planes planes;

    one_rough_round(&planes, 120, 120);
    expect_weights(&planes, PLANES_EQUAL, PLANES_EQUAL);
    one_rough_round(&planes, 119, 120);
    EXPECT_EQ(planes.weight[0], planes.weight[1]);
    one_round(&planes, 80, 120);
    EXPECT_LT(planes.weight[1], 3900);
    one_rough_round(&planes, 80, 120);
    EXPECT_GE(planes.weight[1], 3900);
}

/* What each of two planes may hold if the window is not used: with the 16 KiB of a SACK, less than
 * three quarters of it. */
enum { MOST_UNUSED_BYTES = (3 * WINDOW_BYTES - 16384) / 2 - 1 };

/* Two planes that differ by plan hold this much each. Plane 1 has a quarter of an equal share, and
 * its round trips are longer by two packet times of its port. Returns its weight after a round. */
static uint32_t weight_of_slower(uint32_t bytes, const struct path_profile *profile)
{
    struct planes_times with_window = rough_times;
    struct planes planes;

    with_window.window_bytes = 4 * WINDOW_BYTES;
    with_window.inflight_bytes = 2 * bytes;
    with_window.profile = profile;
    planes_init(&planes, 2);
    set_weight(&planes, 0, PLANES_EQUAL * 7 / 4);
    set_weight(&planes, 1, PLANES_EQUAL / 4);
    for (uint32_t plane = 0; plane < 2; plane++) {
        planes_on_sent(&planes, plane, bytes);
        planes_on_delivered(&planes, plane);
    }
    planes_choose(&planes, 3, 3, with_window.window_bytes);
    sample(&planes, 0, 90, 1);
    sample(&planes, 1, 118, 1);
    planes_end_round(&planes, 3, &with_window);
    return planes.weight[1];
}

SPEC("where planes differ by plan and the window is not used, one with short queues loses nothing")
{
    const struct path_profile profile = { .is_rough = false };

    EXPECT_LT(weight_of_slower(2 * WINDOW_BYTES, &profile), PLANES_EQUAL / 4);
    EXPECT_LT(weight_of_slower(MOST_UNUSED_BYTES + 1, &profile), PLANES_EQUAL / 4);
    EXPECT_GT(weight_of_slower(MOST_UNUSED_BYTES, &profile), PLANES_EQUAL / 4);
}

SPEC("where the plan is rough and the window is not used, differences decay by 3 of 256 per round")
{
    EXPECT_LT(weight_of_slower(2 * WINDOW_BYTES, &rough_profile), PLANES_EQUAL / 4 + 16);
    EXPECT_GE(weight_of_slower(WINDOW_BYTES, &rough_profile), PLANES_EQUAL / 4 + 35);
}

SPEC("a plane with longer paths has more bytes in flight in proportion, and returns to that share")
{
    struct path_profile profile = { .plane_weights = { PLANES_EQUAL, PLANES_EQUAL },
        .plane_extras = { -25, 25 } };
    struct planes_times unequal = times;
    struct planes planes;

    unequal.base_rtt_ns = 100 * PATH_EXTRA_NS;
    unequal.profile = &profile;
    planes_init(&planes, 2);
    planes_start_with(&planes, &profile, unequal.base_rtt_ns);
    planes_start_with(&planes, &profile, unequal.base_rtt_ns); /* again, with no round between */
    expect_weights(&planes, PLANES_EQUAL * 3 / 4, PLANES_EQUAL * 5 / 4);
    set_weight(&planes, 0, PLANES_EQUAL);
    set_weight(&planes, 1, PLANES_EQUAL);
    for (uint32_t i = 0; i < 600; i++) {
        sample(&planes, 0, 100, 1);
        sample(&planes, 1, 100, 1);
        planes_end_round(&planes, 3, &unequal);
    }
    EXPECT_GE(planes.weight[1], PLANES_EQUAL * 6 / 5);
    EXPECT_LE(planes.weight[1], PLANES_EQUAL * 5 / 4);
    planes_start_with(&planes, &rough_profile, unequal.base_rtt_ns); /* too late */
    EXPECT_GE(planes.weight[1], PLANES_EQUAL * 6 / 5);
}

SPEC("lengths of planes count from a quarter to four times the base RTT")
{
    struct path_profile profile = { .plane_weights = { PLANES_EQUAL, PLANES_EQUAL },
        .plane_extras = { -90, 900 } };
    struct planes planes;

    planes_init(&planes, 2);
    planes_start_with(&planes, &profile, 100 * PATH_EXTRA_NS);
    expect_weights(&planes, PLANES_EQUAL / 4, PLANES_EQUAL * 4);
}

SPEC("the weights of a profile count from the next choice on")
{
    struct path_profile profile = { .plane_weights = { PLANES_EQUAL / 2, PLANES_EQUAL * 3 / 2 } };
    struct planes planes;

    planes_init(&planes, 2);
    EXPECT_EQ(planes_choose(&planes, 3, 3, WINDOW_BYTES), 0);
    planes_on_sent(&planes, 0, 1000); /* 2000 for its weight */
    planes_on_sent(&planes, 1, 2000); /* 1333 */
    planes_start_with(&planes, &profile, RTT_NS);
    EXPECT_EQ(planes_choose(&planes, 3, 3, WINDOW_BYTES), 1);
}

SPEC("planes start with 1/256 to 8 equal shares")
{
    struct path_profile profile = { .plane_weights = { 1, 10 * PLANES_EQUAL } };
    struct planes planes;

    planes_init(&planes, 2);
    planes_start_with(&planes, &profile, RTT_NS);
    expect_weights(&planes, PLANES_EQUAL / 256, 8 * PLANES_EQUAL);
}

SPEC("the weights of a round count from the next choice on")
{
    struct planes planes;

    planes_init(&planes, 2);
    EXPECT_EQ(planes_choose(&planes, 3, 3, WINDOW_BYTES), 0);
    planes_on_sent(&planes, 0, 1000);
    planes_on_sent(&planes, 1, 1000);
    for (uint32_t plane = 0; plane < 2; plane++) {
        planes_on_delivered(&planes, plane);
        sample(&planes, plane, 100 + 100 * plane, 2);
    }
    planes_end_round(&planes, 3, &times);
    EXPECT_GT(planes.weight[0], planes.weight[1]);
    EXPECT_EQ(planes_choose(&planes, 3, 3, WINDOW_BYTES), 0); /* it is the turn of 1 */
}
