/* SPDX-License-Identifier: Apache-2.0 */
/* The default algorithm, number by number: its target, how the window grows and shrinks, windows
 * below a packet, and the ceiling that it learns.
 *
 * On the reference network of 100 Gb/s and 12 us the target delay is 9.6 us, and that of a sender
 * at full rate 0.9 of it, 8.64 us. */
#include "flow.h"

enum {
    FULL_BYTES = 150000,
    DELAY_NS = 9600,
    ALONE_NS = 8640,
    LIMIT_BYTES = 270000,
    LEAST_BYTES = MTU_BYTES / 16,
};

static struct cc_settings fair_reference(void)
{
    struct cc_settings settings = flow_reference();

    settings.algorithm = "fair";
    return settings;
}

/* A flow with this window, whose last sample came now and found no delay. */
static void begin(struct flow *flow, uint32_t window_bytes)
{
    struct cc_settings settings = fair_reference();

    flow_begin(flow, &settings);
    flow->cc.window_bytes = window_bytes;
}

/* Only what it knows of delays changes. */
static void hear(struct flow *flow, uint32_t received_bytes, uint64_t delay_ns)
{
    uint32_t window_bytes = flow->cc.window_bytes;

    flow_acknowledge(flow, received_bytes, delay_ns, false);
    flow->cc.window_bytes = window_bytes;
}

static uint32_t window_after(
    uint32_t window_bytes, uint64_t elapsed_ns, uint32_t received_bytes, uint64_t delay_ns)
{
    struct flow flow;

    begin(&flow, window_bytes);
    flow.now_ns += elapsed_ns;
    flow_acknowledge(&flow, received_bytes, delay_ns, false);
    return flow.cc.window_bytes;
}

/* A flow with this window and an average of 8639, one below the target of a sender alone. At the
 * limit that is its target: the link carries 258,000 bytes in 20.64 us. */
static void begin_delayed(struct flow *flow, uint32_t window_bytes)
{
    begin(flow, window_bytes);
    for (uint32_t i = 0; i < 40; i++)
        hear(flow, window_bytes, ALONE_NS - 1);
}

static uint32_t window_after_delays(
    uint32_t window_bytes, uint32_t received_bytes, uint64_t delay_ns)
{
    struct flow flow;

    begin_delayed(&flow, window_bytes);
    flow_acknowledge(&flow, received_bytes, delay_ns, false);
    return flow.cc.window_bytes;
}

/* Whether a packet with this delay would let the window grow: the delay is below the target. */
static bool grows_at(const struct flow *flow, uint64_t delay_ns)
{
    struct flow copy = *flow;

    flow_acknowledge(&copy, copy.cc.window_bytes / 2, delay_ns, false);
    return copy.cc.window_bytes > flow->cc.window_bytes;
}

/* The target, rounded up. */
static void expect_target(const struct flow *flow, uint64_t target_ns)
{
    EXPECT(grows_at(flow, target_ns - 1));
    EXPECT(!grows_at(flow, target_ns));
}

/* ---- where it begins -------------------------------------------------------------------------*/

SPEC("the first window is one BDP, and the limit adds a target")
{
    struct cc_settings settings = fair_reference();
    struct cc_profile profile;
    struct cc cc;

    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    EXPECT_EQ(profile.settings.target_delay_ns, DELAY_NS);
    EXPECT_EQ(cc.window_bytes, FULL_BYTES);
    EXPECT_EQ(cc.max_window_bytes, LIMIT_BYTES);
    EXPECT_EQ(cc_least_bytes(&cc), LEAST_BYTES);
    settings.network_trims = false;
    EXPECT(cc_profile_init(&profile, &settings));
    EXPECT_EQ(profile.settings.target_delay_ns, DELAY_NS);
}

SPEC("where switches do not trim, the first window is a quarter of that, at least four packets")
{
    struct cc_settings settings = fair_reference();
    struct cc_profile profile;
    struct cc cc;

    settings.network_trims = false;
    settings.link_bps *= 2;
    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    EXPECT_EQ(cc.window_bytes, FULL_BYTES / 2);
    cc_set_path(&cc, BASE_RTT_NS / 2, 0);
    EXPECT_EQ(cc.window_bytes, FULL_BYTES / 4);
    cc_set_path(&cc, BASE_RTT_NS / 10, 0);
    EXPECT_EQ(cc.window_bytes, 4 * MTU_BYTES);
}

SPEC("on a slow link the first window is four packets, or the limit if that is less")
{
    struct cc_settings settings = fair_reference();
    struct cc_profile profile;
    struct cc cc;

    settings.link_bps = UINT64_C(10000000000);
    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    EXPECT_EQ(cc.window_bytes, 4 * MTU_BYTES);
    EXPECT_EQ(cc.max_window_bytes, 27000);
    settings.link_bps = UINT64_C(7000000000); /* limit: 18900 */
    settings.max_window_bytes = 12000;
    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    EXPECT_EQ(cc.window_bytes, 12000);
}

SPEC("the first window to a destination n times as slow as any link is divided by n")
{
    static const uint32_t expected[][2] = { { 0, 1 }, { 240, 1 }, { 340, 1 }, { 680, 2 },
        { 3400, 10 } };
    struct cc_settings settings = fair_reference();

    settings.link_bps = UINT64_C(400000000000);
    settings.packet_ns = 335;
    for (uint32_t i = 0; i < 5; i++) {
        struct flow flow;

        flow_begin(&flow, &settings);
        cc_set_path(&flow.cc, BASE_RTT_NS, expected[i][0]);
        EXPECT_EQ(flow.cc.window_bytes, 4 * FULL_BYTES / expected[i][1]);
    }
}

SPEC("the target is at least ten packet times of the slowest link")
{
    struct cc_settings settings = fair_reference();
    struct cc_profile profile;

    settings.packet_ns = 960;
    EXPECT(cc_profile_init(&profile, &settings));
    EXPECT_EQ(profile.settings.target_delay_ns, DELAY_NS);
    settings.packet_ns = 961;
    EXPECT(cc_profile_init(&profile, &settings));
    EXPECT_EQ(profile.settings.target_delay_ns, 9610);
}

/* ---- the target ------------------------------------------------------------------------------*/

SPEC("the target grows by 0.18 of the target delay each time the rate falls by e")
{
    static const uint32_t expected[][2] = { { 200000, 8640 }, { FULL_BYTES, 8640 },
        { 100000, 9239 }, { 75000, 9838 }, { 37500, 11036 }, { MTU_BYTES, 14773 }, { 500, 18240 } };

    for (uint32_t i = 0; i < 7; i++) {
        struct flow flow;

        begin(&flow, expected[i][0]);
        expect_target(&flow, expected[i][1]);
    }
}

SPEC("if paths vary, targets grow from 0.8 to 1.4 by 0.6 for each e; longer ones are as usual")
{
    static const uint32_t expected[][2] = { { 200000, 7680 }, { FULL_BYTES, 7680 },
        { 75000, 11673 }, { 37500, 13440 }, { MTU_BYTES, 14773 }, { 500, 18240 } };

    for (uint32_t i = 0; i < 6; i++) {
        struct flow flow;

        begin(&flow, expected[i][0]);
        flow.cc.paths_vary = true;
        expect_target(&flow, expected[i][1]);
    }
}

SPEC("no target is larger than 1.9 times the target delay")
{
    struct cc_settings settings = fair_reference();
    struct flow flow;

    settings.link_bps = UINT64_C(400000000000);
    flow_begin(&flow, &settings);
    flow.cc.window_bytes = LEAST_BYTES;
    expect_target(&flow, 18240);
}

SPEC("where ten packet times are the target, it grows by 0.4 of it for each e, then by 0.2, up to "
     "2.4")
{
    static const uint32_t expected[][2] = { { FULL_BYTES, 8640 }, { 75000, 11302 },
        { 37500, 13964 }, { 9375, 17804 }, { 500, 23040 } };
    struct cc_settings settings = fair_reference();

    settings.packet_ns = DELAY_NS / 10;
    for (uint32_t i = 0; i < 5; i++) {
        struct flow flow;

        flow_begin(&flow, &settings);
        flow.cc.window_bytes = expected[i][0];
        expect_target(&flow, expected[i][1]);
    }
}

SPEC("packet times of the ports of the destination also count")
{
    struct flow flow;

    begin(&flow, 75000);
    cc_set_path(&flow.cc, BASE_RTT_NS, DELAY_NS / 10);
    flow.cc.window_bytes = 75000;
    expect_target(&flow, 11302); /* 0.9 + 0.4 ln 2 */
}

SPEC("to a destination n times as slow as any link, targets grow further by ln n")
{
    /* 10 packet times are 9.6 us: 0.2 of them for each e, as many as the destination is slower */
    static const uint32_t expected[][2] = { { 1, 23040 }, { 2, 48742 }, { 4, 102807 } };
    struct cc_settings settings = fair_reference();

    settings.link_bps = UINT64_C(400000000000);
    settings.packet_ns = DELAY_NS / 10;
    for (uint32_t i = 0; i < 3; i++) {
        struct flow flow;

        flow_begin(&flow, &settings);
        cc_set_path(&flow.cc, BASE_RTT_NS, expected[i][0] * DELAY_NS / 10);
        flow.cc.window_bytes = LEAST_BYTES;
        expect_target(&flow, expected[i][1]);
    }
}

SPEC("a rate is a window over the round trip with its average delay")
{
    struct flow flow;

    begin(&flow, FULL_BYTES);
    hear(&flow, FULL_BYTES / 2, 9000); /* average: 4500 */
    EXPECT_EQ(flow.cc.window_bytes, FULL_BYTES);
    expect_target(&flow, 9090);
}

SPEC("rates are compared with that of all ports, not with what is up here")
{
    struct flow flow;

    begin(&flow, 75000);
    cc_on_link_rate(&flow.cc, UINT64_C(50000000000));
    expect_target(&flow, 9838);
}

SPEC("windows of a NIC to one destination count together: they have the target of their sum")
{
    static const uint32_t expected[][2] = { { 1, 9838 }, { 3, 8640 } };

    for (uint32_t i = 0; i < 2; i++) {
        struct flow flow;

        begin(&flow, 37500);
        flow.cc.sharer_count = (uint8_t)expected[i][0];
        expect_target(&flow, expected[i][1]);
    }
}

/* ---- growth ----------------------------------------------------------------------------------*/

SPEC("a window grows by a quarter of the bytes that arrive, times the relative distance to the "
     "target")
{
    /* and by eta, 628 bytes, in a round trip */
    EXPECT_EQ(window_after(100000, 0, 40000, 4800), 105055);
    EXPECT_EQ(window_after(100000, 0, 40000, 9000), 100509);
    EXPECT_EQ(window_after(100000, 0, 40000, 9238), 100252);
    EXPECT_EQ(window_after(75000, 0, 30000, 0), 82751);
}

SPEC("below eight packets the constant part of the growth is proportional to the window")
{
    EXPECT_EQ(window_after(8 * MTU_BYTES, 0, 10000, 4800), 35086);
    EXPECT_EQ(window_after(10000, 0, MTU_BYTES, 4800), 10746);
}

SPEC("a window of one packet grows by the round trips since its last growth, one to eight")
{
    EXPECT_EQ(window_after(2000, 0, MTU_BYTES, 4800), 2387);
    EXPECT_EQ(window_after(2000, 12000, MTU_BYTES, 4800), 2387);
    EXPECT_GT(window_after(2000, 22000, MTU_BYTES, 4800), 2387);
    EXPECT_EQ(window_after(2000, 36000, MTU_BYTES, 4800), 2969);
    EXPECT_EQ(window_after(2000, 1000000, MTU_BYTES, 4800), 5102);
    EXPECT_EQ(window_after(MTU_BYTES, 36000, MTU_BYTES, 4800), 6145);
    EXPECT_EQ(window_after(MTU_BYTES + 1, 36000, MTU_BYTES, 4800), 4969);
}

SPEC("a window stays between its least value and its limit")
{
    EXPECT_EQ(window_after(LIMIT_BYTES - 10, 0, 100000, 0), LIMIT_BYTES);
    EXPECT_EQ(window_after_delays(LEAST_BYTES + 1, LEAST_BYTES + 1, 900000), LEAST_BYTES);
}

SPEC("after a whole window without delay, a window doubles per round trip")
{
    static const uint32_t empty[] = { 111191, 122333, 172333, 222333 };
    struct flow flow;

    begin(&flow, 100000);
    for (uint32_t i = 0; i < 4; i++) {
        flow_acknowledge(&flow, 50000, DELAY_NS / 8 - 1, false);
        EXPECT_EQ(flow.cc.window_bytes, empty[i]);
    }
}

SPEC("exactly a window without delay does not double the window, a byte more does")
{
    EXPECT_LT(window_after(100000, 0, 100000, 0), 130000);
    EXPECT_EQ(window_after(100000, 0, 100001, 0), 200000);
}

SPEC("a window that grows faster than by doubling goes on to do so in an empty network")
{
    uint32_t first_bytes;
    struct flow flow;

    begin(&flow, 8 * MTU_BYTES);
    cc_set_path(&flow.cc, 8 * BASE_RTT_NS, 0); /* the constant part grows with the square of it */
    flow.cc.window_bytes = 8 * MTU_BYTES;
    flow_acknowledge(&flow, MTU_BYTES, 0, false);
    first_bytes = flow.cc.window_bytes - 8 * MTU_BYTES;
    EXPECT_GT(first_bytes, MTU_BYTES);
    flow.cc.window_bytes = 8 * MTU_BYTES;
    flow_acknowledge(&flow, 8 * MTU_BYTES, 0, false);
    EXPECT_GE(flow.cc.window_bytes - 8 * MTU_BYTES, 8 * first_bytes - 8);
}

SPEC("a delay of an eighth of the target ends the doubling until another whole window has passed")
{
    static const uint32_t delayed[] = { 112813, 125591, 136650, 149379, 162089, 174782 };
    struct flow flow;

    begin(&flow, 100000);
    for (uint32_t i = 0; i < 6; i++) {
        flow_acknowledge(&flow, 50000, i == 2 ? DELAY_NS / 8 : 0, false);
        EXPECT_EQ(flow.cc.window_bytes, delayed[i]);
    }
}

SPEC("a delay of the target or more ends the doubling")
{
    struct flow flow;

    begin(&flow, 100000);
    flow_acknowledge(&flow, 90000, 0, false);
    flow_acknowledge(&flow, 0, 20000, false);
    flow.cc.window_bytes = 100000;
    flow_acknowledge(&flow, 50000, 0, false);
    EXPECT_LT(flow.cc.window_bytes, 120000);
}

SPEC("a penalty stops growth, a mark does not")
{
    struct flow flow;

    begin(&flow, 100000);
    flow_acknowledge(&flow, 40000, 4800, true);
    EXPECT_EQ(flow.cc.window_bytes, 105055);
    begin(&flow, 100000);
    cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns,
                            .rtt_ns = BASE_RTT_NS,
                            .received_bytes = 64,
                            .inflight_bytes = 100000,
                            .penalty = 3 });
    EXPECT_EQ(flow.cc.window_bytes, 99998);
}

SPEC("penalties up to two let a window grow as usual")
{
    for (uint8_t penalty = 0; penalty <= CC_PENALTY_GROWS; penalty++) {
        struct flow flow;

        begin(&flow, 100000);
        cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns,
                                .rtt_ns = BASE_RTT_NS + 4800,
                                .received_bytes = 40000,
                                .penalty = penalty });
        EXPECT_EQ(flow.cc.window_bytes, 105055);
    }
}

SPEC("an acknowledgement without a sample changes nothing, not even the time of the last one")
{
    struct flow flow;

    begin(&flow, 2000);
    flow.now_ns += 30000;
    cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns, .received_bytes = 40000 });
    EXPECT_EQ(flow.cc.window_bytes, 2000);
    flow.now_ns += 6000;
    flow_acknowledge(&flow, MTU_BYTES, 4800, false);
    EXPECT_EQ(flow.cc.window_bytes, 2969); /* as 36 us after the last sample */
}

SPEC("eta follows the link rate, and the square of how much shorter the round trip is")
{
    struct flow flow;

    begin(&flow, 100000);
    cc_on_link_rate(&flow.cc, UINT64_C(50000000000));
    flow.cc.window_bytes = 100000;
    flow_acknowledge(&flow, 40000, 4800, false);
    EXPECT_EQ(flow.cc.window_bytes, 104930); /* 4804.5 + 251.2 / 2 */

    for (uint32_t i = 0; i < 2; i++) { /* the average is 1920 */
        uint32_t base_rtt_ns = i == 0 ? BASE_RTT_NS / 2 : 2 * BASE_RTT_NS;

        begin(&flow, 100000);
        cc_set_path(&flow.cc, base_rtt_ns, 0);
        flow.cc.window_bytes = 100000;
        cc_on_ack(&flow.cc,
            &(struct cc_ack){
                .now_ns = flow.now_ns, .rtt_ns = base_rtt_ns + 4800, .received_bytes = 40000 });
        EXPECT_EQ(flow.cc.window_bytes, i == 0 ? 104525 : 106271);
    }
}

/* ---- decrease --------------------------------------------------------------------------------*/

/* With half of the window, the average moves half of the way from 8639 to the delay. */
static uint32_t window_after_half(uint64_t delay_ns)
{
    return window_after_delays(LIMIT_BYTES, LIMIT_BYTES / 2, delay_ns);
}

SPEC("a window shrinks by four fifths of the share by which the average delay exceeds the target")
{
    EXPECT_EQ(window_after_half(ALONE_NS), LIMIT_BYTES); /* average: 8639.5 */
    EXPECT_EQ(window_after_half(ALONE_NS + 2), 269987);  /* 8640.5: less 0.8 * 0.5 / 8640.5 */
    EXPECT_EQ(window_after_half(12961), 226800);         /* 10800: less 0.8 * 2160 / 10800 */
}

SPEC("a delay above two targets counts as two: one slow path among many does not stop a window")
{
    EXPECT_EQ(window_after_half(2 * ALONE_NS - 2), 198016); /* average: 12958.5 */
    EXPECT_EQ(window_after_half(2 * ALONE_NS), 198005);     /* average: 12959.5 */
    EXPECT_EQ(window_after_half(2 * ALONE_NS + 2), 198005);
    EXPECT_EQ(window_after_half(900000), 198005);
}

/* The window returns from a penalty, and to a smaller target. The average comes from before: at the
 * least window it is two of the largest targets, 36480. A last sample, which weighs 1/80 and counts
 * as two of the present targets of 9984, makes that 36274, more than three of them. */
SPEC("a window shrinks at most by half")
{
    struct cc_ack ack = {
        .rtt_ns = BASE_RTT_NS + 900000, .received_bytes = LIMIT_BYTES, .penalty = 127
    };
    struct flow flow;

    begin(&flow, LIMIT_BYTES);
    for (uint32_t i = 0; i < 40; i++) {
        ack.now_ns = flow.now_ns;
        cc_on_ack(&flow.cc, &ack);
    }
    EXPECT_EQ(flow.cc.window_bytes, LEAST_BYTES);
    flow.now_ns += 1000000;
    cc_on_ack(
        &flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns, .rtt_ns = ack.rtt_ns, .restore = true });
    EXPECT_EQ(flow.cc.window_bytes, LIMIT_BYTES / 2); /* less 0.8 * 26290 / 36274 were 113456 */
}

SPEC("an average of exactly the target does not decrease the window or delay a later decrease")
{
    struct flow flow;

    begin(&flow, 200000);
    flow_acknowledge(&flow, 100000, 2 * ALONE_NS, false); /* average: 8640 */
    EXPECT_EQ(flow.cc.window_bytes, 200000);
    flow_acknowledge(&flow, 100000, 40000, false);
    EXPECT_LT(flow.cc.window_bytes, 200000);
}

SPEC("samples count in the average by the share of the window they acknowledge, 1/80 to 1/2")
{
    struct flow flow;

    begin(&flow, LIMIT_BYTES);
    for (uint32_t i = 0; i < 55; i++)
        flow_acknowledge(
            &flow, 0, 2 * ALONE_NS, false); /* average: 17280 (1 - (79/80)^55) = 8628 */
    EXPECT_EQ(flow.cc.window_bytes, LIMIT_BYTES);
    flow_acknowledge(&flow, 0, 2 * ALONE_NS, false); /* 8736.7 */
    EXPECT_EQ(flow.cc.window_bytes, 267607);
    /* 8639 + 8641 / 4 = 10799.25 */
    EXPECT_EQ(window_after_delays(LIMIT_BYTES, LIMIT_BYTES / 4, 2 * ALONE_NS), 226812);
    EXPECT_EQ(window_after_delays(LIMIT_BYTES, LIMIT_BYTES, 2 * ALONE_NS),
        window_after_half(2 * ALONE_NS));
}

SPEC("only packets sent after the last decrease cause another")
{
    struct flow flow;

    begin_delayed(&flow, LIMIT_BYTES);
    flow_acknowledge(&flow, LIMIT_BYTES, 2 * ALONE_NS, false); /* average: 12959.5 */
    flow.now_ns += BASE_RTT_NS + 2 * ALONE_NS;
    flow_acknowledge(&flow, LIMIT_BYTES, 2 * ALONE_NS, false); /* 15119.75 */
    EXPECT_EQ(flow.cc.window_bytes, 198005);
    flow.now_ns++;
    flow_acknowledge(&flow, LIMIT_BYTES, 2 * ALONE_NS, false); /* 16199.9, the target: 9492.8 */
    EXPECT_EQ(flow.cc.window_bytes, 132422);
}

SPEC("a marked delay shrinks the window like any other")
{
    struct flow flow;

    begin_delayed(&flow, LIMIT_BYTES);
    flow_acknowledge(&flow, LIMIT_BYTES, 2 * ALONE_NS, true);
    EXPECT_EQ(flow.cc.window_bytes, window_after_half(2 * ALONE_NS));
}

/* ---- trims and losses ------------------------------------------------------------------------*/

static uint32_t window_after_trim(uint32_t window_bytes)
{
    struct flow flow;

    begin(&flow, window_bytes);
    flow_trim(&flow);
    return flow.cc.window_bytes;
}

static uint32_t window_after_loss(uint32_t window_bytes)
{
    struct flow flow;

    begin(&flow, window_bytes);
    cc_on_inferred_loss(&flow.cc, MTU_BYTES, flow.now_ns);
    return flow.cc.window_bytes;
}

SPEC(
    "a full queue shrinks a window by 0.3, less with a larger target, and by at most eight packets")
{
    static const uint32_t trimmed[][2] = { { 150000, 150000 - 8 * MTU_BYTES }, { 100000, 69078 },
        { 2 * MTU_BYTES, 6676 }, { MTU_BYTES, 3403 }, { 1000, 839 }, { 270, LEAST_BYTES } };
    static const uint32_t lost[][2] = { { 150000, 150000 - 8 * MTU_BYTES }, { 100000, 68827 },
        { 2 * MTU_BYTES, 6592 }, { MTU_BYTES, 3368 }, { 1000, 832 }, { 270, LEAST_BYTES } };

    for (uint32_t i = 0; i < 6; i++) {
        EXPECT_EQ(window_after_trim(trimmed[i][0]), trimmed[i][1]);
        EXPECT_EQ(window_after_loss(lost[i][0]), lost[i][1]);
    }
}

SPEC("a full queue shrinks a window once per round trip with its average delay")
{
    for (uint32_t late = 0; late < 2; late++) {
        struct flow flow;

        begin(&flow, MTU_BYTES);
        flow_trim(&flow);
        flow.now_ns += BASE_RTT_NS + 9000 + late; /* a trim counts as a round trip of delay */
        flow_trim(&flow);
        EXPECT_EQ(flow.cc.window_bytes, late ? 2793 : 3403);
    }
}

SPEC("beyond eight lost packets in a round trip, each shrinks the window by its size, to four "
     "packets")
{
    struct flow flow;

    begin(&flow, 100000);
    for (uint32_t i = 0; i < 9; i++) /* the cut, and what it covers */
        flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, 69078);
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, 69078 - MTU_BYTES);
    for (uint32_t i = 0; i < 40; i++)
        flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, 4 * MTU_BYTES);

    begin(&flow, 5 * MTU_BYTES);
    for (uint32_t i = 0; i < 9; i++)
        flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, 16030);
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, 16030);
}

SPEC("a NACK for another reason changes nothing")
{
    struct flow flow;

    begin(&flow, 100000);
    cc_on_nack(&flow.cc,
        &(struct cc_nack){ .now_ns = flow.now_ns, .rtt_ns = 20000, .packet_bytes = MTU_BYTES });
    EXPECT_EQ(flow.cc.window_bytes, 100000);
}

SPEC("on a real clock no window is smaller than a packet, and no packet is paced")
{
    struct cc_settings settings = fair_reference();
    struct flow flow;

    settings.base_rtt_floor_ns = BASE_RTT_NS;
    flow_begin(&flow, &settings);
    EXPECT_EQ(cc_least_bytes(&flow.cc), MTU_BYTES);
    flow.cc.window_bytes = MTU_BYTES;
    EXPECT_EQ(cc_gap_ns(&flow.cc, MTU_BYTES), 0);
    begin(&flow, MTU_BYTES);
    EXPECT_EQ(cc_least_bytes(&flow.cc), LEAST_BYTES);
    EXPECT_EQ(cc_gap_ns(&flow.cc, MTU_BYTES), BASE_RTT_NS);
}

/* ---- the ceiling -----------------------------------------------------------------------------*/

/* A queue is full, and `sample_count` samples follow, the last of them of this delay and at the end
 * of the time in which the longest is looked for. Then the window is that of a sender alone. */
static void meet_full_queue(struct flow *flow, uint32_t sample_count, uint64_t delay_ns)
{
    flow_trim(flow);
    for (uint32_t i = 1; i < sample_count; i++)
        flow_acknowledge(flow, 0, delay_ns / 2, true);
    flow->now_ns += BASE_RTT_NS + DELAY_NS;
    flow_acknowledge(flow, 0, delay_ns, true);
    flow->cc.window_bytes = 260000;
}

#define APART_NS (UINT64_C(16) * (BASE_RTT_NS + DELAY_NS))

/* Two full queues, one after the other: the third tells. */
static void begin_crowded(struct flow *flow)
{
    begin(flow, 260000);
    for (uint32_t i = 0; i < 2; i++) {
        meet_full_queue(flow, 8, 10000);
        expect_target(flow, ALONE_NS);
    }
}

SPEC("full queues more than 16 round trips and targets apart are bursts and set no ceiling")
{
    struct flow flow;

    begin(&flow, 260000);
    for (uint32_t i = 0; i < 9; i++) { /* never a third of them: the ninth counts as the first */
        flow.now_ns += i % 2 == 0 ? APART_NS + 1 : 0;
        meet_full_queue(&flow, 8, 11400);
        expect_target(&flow, ALONE_NS);
    }
    for (uint32_t i = 0; i < 2; i++) {
        expect_target(&flow, ALONE_NS);
        flow.now_ns += APART_NS;
        meet_full_queue(&flow, 8, 11400);
    }
    expect_target(&flow, 5400); /* 0.9 * 11400 / 1.9 */
}

SPEC("a queue that overflows below the largest target lowers the target")
{
    struct flow flow;

    begin_crowded(&flow);
    meet_full_queue(&flow, 8, 11400);
    expect_target(&flow, 5400);
    /* Half of the rate adds 0.18 ln 2 of 6000. The average is 1995.0, and the link carries
     * 174937 bytes in 13995.0 ns. */
    flow.cc.window_bytes = 174937 / 2;
    expect_target(&flow, 6149);
}

SPEC("a full queue shrinks a window by no more than 0.3 where a ceiling lowers the target, too")
{
    struct flow flow;

    begin_crowded(&flow);
    meet_full_queue(&flow, 8, 11400);
    expect_target(&flow, 5400);
    flow.cc.window_bytes = 5 * MTU_BYTES;
    flow.now_ns += APART_NS;
    flow_trim(&flow);
    EXPECT_LT(flow.cc.window_bytes, 5 * MTU_BYTES);
    EXPECT_GE(flow.cc.window_bytes, 5 * MTU_BYTES * 7 / 10);
}

SPEC("the ceiling is the longest of at least eight samples over a round trip and a target")
{
    struct flow flow;

    begin_crowded(&flow);
    flow_trim(&flow);
    flow_acknowledge(&flow, 0, 11400, true);
    for (uint32_t i = 0; i < 8; i++)
        flow_acknowledge(&flow, 0, 1000, true);
    flow.now_ns += BASE_RTT_NS + DELAY_NS - 1;
    flow_trim(&flow); /* does not begin it anew */
    flow_acknowledge(&flow, 0, 1000, true);
    flow.cc.window_bytes = 260000;
    expect_target(&flow, ALONE_NS);
    flow.now_ns++;
    flow_acknowledge(&flow, 0, 1000, true);
    expect_target(&flow, 5400);
}

SPEC("with fewer than eight samples the ceiling waits for the eighth")
{
    struct flow flow;

    begin_crowded(&flow);
    meet_full_queue(&flow, 7, 11400);
    expect_target(&flow, ALONE_NS);
    flow_acknowledge(&flow, 0, 0, true);
    expect_target(&flow, 5400);
}

SPEC("a lost packet indicates a full queue as a trimmed packet does")
{
    struct flow flow;

    begin_crowded(&flow);
    cc_on_inferred_loss(&flow.cc, MTU_BYTES, flow.now_ns);
    flow.now_ns += BASE_RTT_NS + DELAY_NS;
    for (uint32_t i = 0; i < 8; i++)
        flow_acknowledge(&flow, 0, 11400, true);
    flow.cc.window_bytes = 260000;
    expect_target(&flow, 5400);
}

SPEC("a higher peak raises the ceiling at once, a lower one reduces it by a sixteenth")
{
    struct flow flow;

    begin_crowded(&flow);
    meet_full_queue(&flow, 8, 11400);
    meet_full_queue(&flow, 8, 7000); /* 11125 */
    expect_target(&flow, 5270);
    meet_full_queue(&flow, 8, 15200);
    expect_target(&flow, 7200);
}

SPEC("below a packet, a window adopts the delays of the others as its ceiling")
{
    for (uint32_t i = 0; i < 2; i++) {
        struct flow flow;

        begin_crowded(&flow);
        meet_full_queue(&flow, 8, 11400);
        flow.cc.window_bytes = MTU_BYTES - i;
        hear(&flow, 0, 15200);
        flow.cc.window_bytes = 260000;
        expect_target(&flow, i == 0 ? 5400 : 7200); /* 0.9 * 15200 / 1.9 */
    }
}

SPEC("below a packet, a window keeps its ceiling if delays are shorter")
{
    struct flow flow;

    begin_crowded(&flow);
    meet_full_queue(&flow, 8, 11400);
    flow.cc.window_bytes = MTU_BYTES - 1;
    hear(&flow, 0, 9000);
    flow.cc.window_bytes = 260000;
    expect_target(&flow, 5400);
}

SPEC("a ceiling lowers the target at most to half, and a high ceiling has no effect")
{
    struct flow flow;

    begin_crowded(&flow);
    meet_full_queue(&flow, 8, 1000);
    expect_target(&flow, ALONE_NS / 2);
    begin_crowded(&flow);
    meet_full_queue(&flow, 8, 18240);
    expect_target(&flow, ALONE_NS);
    begin_crowded(&flow);
    meet_full_queue(&flow, 8, 40000);
    expect_target(&flow, ALONE_NS);
}

SPEC("a ceiling grows by one percent per round trip")
{
    struct flow flow;

    begin_crowded(&flow);
    meet_full_queue(&flow, 8, 11400);
    hear(&flow, 130000, 0);
    expect_target(&flow, 5427);
}

SPEC("a full queue lowers a ceiling from 1.9 targets, however long the ceiling was not reached")
{
    struct flow flow;

    begin_crowded(&flow);
    meet_full_queue(&flow, 8, 11400);
    for (uint32_t i = 0; i < 20000; i++) {
        flow.now_ns += 8 * BASE_RTT_NS;
        hear(&flow, 260000, 0);
    }
    expect_target(&flow, ALONE_NS);
    for (uint32_t i = 0; i < 3; i++)
        meet_full_queue(&flow, 8, 9120); /* 18240 - 9120 / 16 */
    expect_target(&flow, 8370);
}

/* ---- planned shares -------------------------------------------------------------------------- */

/* A flow of a NIC with 25 of 100 Gb/s if all NICs send. The last acknowledgement found a delay of
 * 8 us, in which the share is 62,500 bytes. */
static void begin_shared(
    struct flow *flow, uint32_t window_bytes, uint32_t destination_count, uint8_t penalty)
{
    struct cc_settings settings = fair_reference();

    settings.share_bps = settings.link_bps / 4;
    flow_begin(flow, &settings);
    for (uint32_t i = 0; i < 40; i++) {
        flow->cc.window_bytes = window_bytes;
        cc_on_ack(&flow->cc, &(struct cc_ack){ .now_ns = flow->now_ns,
                                 .rtt_ns = BASE_RTT_NS + 8000,
                                 .received_bytes = window_bytes,
                                 .destination_count = destination_count,
                                 .penalty = penalty });
    }
    flow->cc.window_bytes = window_bytes;
}

/* Whether an acknowledgement with this delay would let the window grow. */
static bool shared_grows_at(const struct flow *flow, uint32_t destination_count, uint64_t delay_ns)
{
    struct flow copy = *flow;

    cc_on_ack(&copy.cc, &(struct cc_ack){ .now_ns = copy.now_ns,
                            .rtt_ns = BASE_RTT_NS + delay_ns,
                            .received_bytes = copy.cc.window_bytes / 2,
                            .destination_count = destination_count });
    return copy.cc.window_bytes > flow->cc.window_bytes;
}

static void expect_shared_target(
    const struct flow *flow, uint32_t destination_count, uint64_t least_ns, uint64_t most_ns)
{
    EXPECT(shared_grows_at(flow, destination_count, least_ns));
    EXPECT(!shared_grows_at(flow, destination_count, most_ns));
}

SPEC("the target of a sender grows further below twice its planned share, and faster below it")
{
    struct flow flow;

    begin_shared(&flow, 125000, 1, 0); /* 0.9 + 0.18 ln 2 */
    expect_shared_target(&flow, 1, 9500, 10200);
    begin_shared(&flow, 62500, 1, 0); /* 0.9 + 0.18 ln 4 + 0.5 ln 2 */
    expect_shared_target(&flow, 1, 14000, 14900);
    begin_shared(&flow, 31250, 1, 0); /* 0.9 + 0.18 ln 8 + 0.5 ln 4 + 2.5 ln 2 */
    expect_shared_target(&flow, 1, 35000, 36000);
    begin_shared(&flow, 1000, 1, 0); /* 0.9 + 0.18 ln 250 + 3 */
    expect_shared_target(&flow, 1, 46500, 47500);
}

SPEC("with more than twice its planned share, or before it is known, a sender has the usual target")
{
    static const uint32_t counts[] = { 0, 4, 5, 16 };

    for (uint32_t i = 0; i < 4; i++) {
        struct flow flow;

        begin_shared(&flow, 31250, counts[i], 0); /* 0.9 + 0.18 ln 8 */
        expect_shared_target(&flow, counts[i], 11900, 12800);
    }
}

SPEC("destinations of a NIC divide its planned share")
{
    struct flow flow;

    begin_shared(&flow, 31250, 2, 0); /* 0.9 + 0.18 ln 8 + 0.5 ln 2 */
    expect_shared_target(&flow, 2, 15200, 16200);
    begin_shared(&flow, 31250, 4, 0); /* twice the share: 0.9 + 0.18 ln 8 */
    expect_shared_target(&flow, 4, 11900, 12800);
}

SPEC("a sender that the receiver compares with others has the usual target, however little it has")
{
    struct flow flow;
    struct flow copy;

    for (uint8_t penalty = 1; penalty <= 2; penalty++) {
        uint32_t usual_ns = 12400; /* 0.9 + 0.18 ln 8; with less than half of its share 1 more */

        begin_shared(&flow, 31250, 1, penalty);
        for (uint32_t i = 0; i < 2; i++) {
            copy = flow;
            cc_on_ack(&copy.cc,
                &(struct cc_ack){ .now_ns = copy.now_ns,
                    .rtt_ns = BASE_RTT_NS + usual_ns + (penalty == 1 ? 9600 : 0) - 1000 * i,
                    .received_bytes = 15000,
                    .destination_count = 1,
                    .penalty = penalty });
            if (i == 0)
                EXPECT_LE(copy.cc.window_bytes, flow.cc.window_bytes);
            else
                EXPECT_GT(copy.cc.window_bytes, flow.cc.window_bytes);
        }
        EXPECT(shared_grows_at(&flow, 1, 34000));
    }
}

SPEC("the planned share toward a slow destination is at most half of the rate of that")
{
    struct flow flow;

    begin_shared(&flow, 31250, 1, 0);
    flow.cc.slower = 4;
    expect_shared_target(&flow, 1, 15200, 16200); /* 0.9 + 0.18 ln 8 + 0.5 ln 2 */
}

SPEC("a planned share of more than half of the link counts as half of it")
{
    struct cc_settings settings = fair_reference();
    struct flow flow;

    settings.share_bps = settings.link_bps;
    flow_begin(&flow, &settings);
    EXPECT_EQ((uint64_t)(1000 * flow.profile.share_part), 500);
}

/* ---- the receiver's penalty (§20) ------------------------------------------------------------*/

static void penalise(
    struct flow *flow, uint8_t penalty, uint32_t received_bytes, uint32_t inflight_bytes)
{
    cc_on_ack(&flow->cc, &(struct cc_ack){ .now_ns = flow->now_ns,
                             .received_bytes = received_bytes,
                             .inflight_bytes = inflight_bytes,
                             .penalty = penalty });
    cc_check(&flow->cc);
}

SPEC("a penalty reduces the window by its 128ths of the received bytes, whatever is in flight")
{
    struct flow flow;

    begin(&flow, 100000);
    penalise(&flow, 64, 20000, 100000);
    EXPECT_EQ(flow.cc.window_bytes, 90000);
    penalise(&flow, 64, 20000, 0);
    EXPECT_EQ(flow.cc.window_bytes, 80000);
    penalise(&flow, 32, 200000, 0); /* of the window at most */
    EXPECT_EQ(flow.cc.window_bytes, 60000);
    penalise(&flow, 127, 200000, 0);
    EXPECT_EQ(flow.cc.window_bytes, 468);
    penalise(&flow, 127, 200000, 0);
    EXPECT_EQ(flow.cc.window_bytes, LEAST_BYTES);
}

SPEC("penalties of 1 and 2 let the window grow, and one of 3 does not")
{
    for (uint8_t penalty = 1; penalty <= 3; penalty++) {
        struct flow flow;

        begin(&flow, 100000);
        flow.now_ns += BASE_RTT_NS;
        cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns,
                                .rtt_ns = BASE_RTT_NS + 5000,
                                .received_bytes = 20000,
                                .penalty = penalty });
        if (penalty < 3)
            EXPECT_GT(flow.cc.window_bytes, 100000);
        else
            EXPECT_LT(flow.cc.window_bytes, 100000);
    }
}

SPEC("the end of a penalty restores the earlier window if the receiver says so")
{
    for (uint32_t restore = 0; restore < 2; restore++) {
        struct flow flow;

        begin(&flow, 100000);
        penalise(&flow, 64, 20000, 100000);
        penalise(&flow, 64, 20000, 100000);
        cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns, .restore = restore });
        EXPECT_EQ(flow.cc.window_bytes, restore ? 100000 : 80000);
        flow.cc.window_bytes = 50000;
        cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns, .restore = true });
        EXPECT_EQ(flow.cc.window_bytes, 50000);
    }
}

/* ---- pacing ----------------------------------------------------------------------------------*/

SPEC("packets of a window below three packets are paced to the rate of the window")
{
    struct flow flow;

    begin(&flow, 3 * MTU_BYTES);
    flow.cc.base_rtt_ns = 8000;
    flow.cc.delay_ns = 4000;
    EXPECT_EQ(cc_gap_ns(&flow.cc, MTU_BYTES), 0);
    flow.cc.window_bytes = 3 * MTU_BYTES - 1;
    EXPECT_EQ(cc_gap_ns(&flow.cc, MTU_BYTES), 4000);
    flow.cc.window_bytes = 2000;
    EXPECT_EQ(cc_gap_ns(&flow.cc, MTU_BYTES), 25104);
    EXPECT_EQ(cc_gap_ns(&flow.cc, 500), 0);
    flow.cc.window_bytes = LEAST_BYTES;
    flow.cc.delay_ns = 3999992000;
    EXPECT_EQ(cc_gap_ns(&flow.cc, 65000), UINT64_C(996168582375));
}

SPEC("the newest delay decides how packets are paced, not the average")
{
    struct flow flow;
    uint64_t queued_ns;

    begin(&flow, MTU_BYTES);
    for (uint32_t i = 0; i < 4; i++)
        hear(&flow, MTU_BYTES, 8 * BASE_RTT_NS);
    queued_ns = cc_gap_ns(&flow.cc, MTU_BYTES);
    EXPECT_EQ(queued_ns, 9 * BASE_RTT_NS);
    hear(&flow, MTU_BYTES, 0);
    EXPECT_EQ(cc_gap_ns(&flow.cc, MTU_BYTES), BASE_RTT_NS);
    hear(&flow, MTU_BYTES, BASE_RTT_NS);
    EXPECT_EQ(cc_gap_ns(&flow.cc, MTU_BYTES), 2 * BASE_RTT_NS);
}

SPEC("an algorithm whose windows hold a packet does not pace")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow.cc.window_bytes = MTU_BYTES;
    EXPECT_EQ(cc_gap_ns(&flow.cc, MTU_BYTES), 0);
}
