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

SPEC("planes that hold the same take turns")
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

SPEC("the plane that holds least for its weight comes first")
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

SPEC("a plane that is not ready is not chosen, however little it holds")
{
    struct planes planes;

    planes_init(&planes, 4);
    planes_on_sent(&planes, 1, 1000);
    planes_on_sent(&planes, 3, 2000);
    EXPECT_EQ(planes_choose(&planes, 0xa, 0xf, WINDOW_BYTES), 1);
    EXPECT_EQ(planes_choose(&planes, 0, 0xf, WINDOW_BYTES), PATH_NONE);
}

SPEC("a plane has room while it holds less than its part of the window")
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

SPEC("a plane that holds nothing has room, however small its share")
{
    struct planes planes;

    planes_init(&planes, 2);
    set_weight(&planes, 1, 16);
    EXPECT_EQ(planes_choose(&planes, 2, 3, 1), 1);
    planes_on_sent(&planes, 1, 1);
    EXPECT_EQ(planes_choose(&planes, 2, 3, 1), PATH_NONE);
}

SPEC("a plane without room leaves its turn to one that holds more, and has it")
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

SPEC("among equals the turn goes on after the plane chosen last, and around")
{
    struct planes planes;

    planes_init(&planes, 3);
    EXPECT_EQ(planes_choose(&planes, 2, 7, WINDOW_BYTES), 1);
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 2);
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 0);
    EXPECT_EQ(planes_choose(&planes, 0, 7, WINDOW_BYTES), PATH_NONE);
    EXPECT_EQ(planes_choose(&planes, 7, 7, WINDOW_BYTES), 1);
}

SPEC("the largest windows and weights overflow nothing")
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

SPEC("planes begin with equal weights, holding nothing")
{
    struct planes planes;

    planes_init(&planes, PATH_PLANE_COUNT_MAX);
    for (uint32_t plane = 0; plane < PATH_PLANE_COUNT_MAX; plane++) {
        EXPECT_EQ(planes.weight[plane], PLANES_EQUAL);
        EXPECT_EQ(planes.inflight_bytes[plane], 0);
        EXPECT_EQ(planes.mean_ticks[plane], 0);
    }
}

SPEC("a plane beyond those of the destination is never chosen, whatever it holds")
{
    struct planes planes;

    planes_init(&planes, 3);
    planes_on_sent(&planes, 3, 1000);
    planes_on_gone(&planes, 3, 1000);
    EXPECT_EQ(planes_choose(&planes, 0x8, 0xf, WINDOW_BYTES), PATH_NONE);
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

PROPERTY("the choice is the same as by division", 300)
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

SPEC("planes that take equally long keep equal weights")
{
    struct planes planes;

    one_round(&planes, 100, 100);
    expect_weights(&planes, PLANES_EQUAL, PLANES_EQUAL);
}

SPEC("the last of eight planes takes part like the others")
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

SPEC("a plane loses a quarter of the part by which it takes longer than the mean")
{
    struct planes planes;

    one_round(&planes, 90, 110); /* 25 of 256ths: 100 of 4096, less a leak of 1 */
    expect_weights(&planes, 4195, 3997);
    one_round(&planes, 100, 300); /* 128: 512, less 6 */
    expect_weights(&planes, 4602, 3590);
}

SPEC("a plane that takes much longer gets the weight with which it takes as long as the mean")
{
    struct planes planes;

    /* 129 of 256ths: 4096 * 256 / 385 + 16 = 2739, the other 4602; together 8192 */
    one_round(&planes, 99, 301);
    expect_weights(&planes, 5135, 3056);
}

SPEC("one round takes a plane down to a seventeenth at most")
{
    struct planes planes;

    planes_init(&planes, 2);
    sample(&planes, 0, 10, 99);
    sample(&planes, 1, 1000, 1); /* mean 19: 52 times as long */
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, 7711, 480); /* 4575 and 4096 / 17 + 45 = 285, of 8192 */
}

SPEC("a faster plane gains at most an eighth in a round")
{
    struct planes planes;

    planes_init(&planes, 2);
    sample(&planes, 0, 1, 1);
    sample(&planes, 1, 101, 99); /* mean 100 */
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, 4338, 3853); /* 4602 and 4088, of 8192 */
}

SPEC("what parts a plane from the others leaks back at 3 of 256 in a round")
{
    struct planes planes;

    planes_init(&planes, 2);
    set_weight(&planes, 0, 6144);
    set_weight(&planes, 1, 2048);
    sample(&planes, 0, 50, 1);
    sample(&planes, 1, 50, 1);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, 6144 - 24, 2048 + 24);
}

SPEC("a plane that holds packets and acknowledges none is taken to need twice as long")
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

SPEC("a plane that holds nothing and measured nothing keeps its weight")
{
    struct planes planes;

    planes_init(&planes, 2);
    sample(&planes, 0, 100, 3);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, PLANES_EQUAL, PLANES_EQUAL);
}

SPEC("a round without a sample moves nothing")
{
    struct planes planes;

    planes_init(&planes, 2);
    set_weight(&planes, 0, 5000);
    planes_on_sent(&planes, 1, 4000);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, 5000, PLANES_EQUAL);
}

SPEC("planes that are not usable neither count nor change")
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

SPEC("weights have a least value, and their mean is that of equals")
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

SPEC("a round's mean is kept, and stays where the next has no sample")
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
        planes_on_ev_rtt(planes, plane, (uint64_t)ticks * PLANES_TICK_NS);
}

SPEC("the mean of a round over EVs is kept for each plane, and stays where the next has no two")
{
    struct planes planes;

    planes_init(&planes, 2);
    planes_on_ev_rtt(&planes, 0, 10 * PLANES_TICK_NS + 63); /* 10 ticks */
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

SPEC("round trips of EVs move no weight and end no round")
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

SPEC("an EV's round trip is compared with the mean of the others, itself left out")
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

SPEC("of two EVs the one that is longer is so by twice its distance from their mean")
{
    struct planes planes;

    planes_init(&planes, 1);
    ev_sample(&planes, 0, 100, 1);
    ev_sample(&planes, 0, 140, 1);
    planes_end_round(&planes, 1, &times);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, 140 * PLANES_TICK_NS), 40 * PLANES_TICK_NS);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, 100 * PLANES_TICK_NS), -40 * PLANES_TICK_NS);
}

SPEC("without a round in which two EVs were measured no round trip is longer than others")
{
    struct planes planes;

    planes_init(&planes, 2);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, RTT_NS), 0);
    ev_sample(&planes, 0, 100, 1);
    ev_sample(&planes, 1, 100, 2);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 1, RTT_NS), 0); /* the round is not over */
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 0, RTT_NS), 0);
    EXPECT_EQ(planes_ev_excess_ns(&planes, 1, RTT_NS), 2 * (RTT_NS - 100 * PLANES_TICK_NS));
}

SPEC("round trips of EVs beyond 4 ms are left out")
{
    struct planes planes;

    planes_init(&planes, 1);
    planes_on_ev_rtt(&planes, 0, (uint64_t)(UINT16_MAX + 1) * PLANES_TICK_NS);
    EXPECT_EQ(planes.ev_count[0], 0);
    planes_on_ev_rtt(&planes, 0, (uint64_t)(UINT16_MAX + 1) * PLANES_TICK_NS - 1);
    EXPECT_EQ(planes.ev_count[0], 1);
    EXPECT_EQ(planes.ev_ticks[0], UINT16_MAX);
}

SPEC("a trimmed packet counts as one that took twice as long as the last round's")
{
    struct planes planes;

    one_round(&planes, 100, 200);
    planes_on_trimmed(&planes, 1);
    planes_end_round(&planes, 3, &times);
    EXPECT_EQ(planes.mean_ticks[0], 100);
    EXPECT_EQ(planes.mean_ticks[1], 400);
}

SPEC("a trimmed packet counts as nothing before any round trip was measured")
{
    struct planes planes;

    planes_init(&planes, 2);
    planes_on_trimmed(&planes, 1);
    EXPECT_EQ(planes.sample_count, 0);
    sample(&planes, 0, 100, 1);
    planes_end_round(&planes, 3, &times);
    expect_weights(&planes, PLANES_EQUAL, PLANES_EQUAL);
}

SPEC("samples beyond 4 ms or beyond 65,535 in a round are left out")
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

SPEC("a round lasts a round trip, then until there are two samples for each plane, or eight more")
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

SPEC("where the plan is rough, planes move at a quarter of the pace")
{
    struct planes usual;
    struct planes rough;

    one_round(&usual, 160, 200);
    one_rough_round(&rough, 160, 200);
    EXPECT_LT(rough.weight[1], PLANES_EQUAL);
    EXPECT_GE((PLANES_EQUAL - rough.weight[1]) * 5, PLANES_EQUAL - usual.weight[1]);
    EXPECT_LE((PLANES_EQUAL - rough.weight[1]) * 3, PLANES_EQUAL - usual.weight[1]);
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

SPEC("a plane with longer paths holds more by that part, and returns to it")
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

SPEC("lengths of planes count up to four times the base RTT, and down to a quarter")
{
    struct path_profile profile = { .plane_weights = { PLANES_EQUAL, PLANES_EQUAL },
        .plane_extras = { -90, 900 } };
    struct planes planes;

    planes_init(&planes, 2);
    planes_start_with(&planes, &profile, 100 * PATH_EXTRA_NS);
    expect_weights(&planes, PLANES_EQUAL / 4, PLANES_EQUAL * 4);
}
