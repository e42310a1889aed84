/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion control, chapters §19 and §20: quick adapt, NACKs, losses, and the receiver's penalty.
 */
#include "flow.h"

/* ---- quick adapt ---------------------------------------------------------------------------- */

SPEC("§19.4: quick adapt sets the window to what a period of base RTT and target achieved")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_acknowledge_in_vain(&flow, 20000);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, 20000);
}

SPEC("§19.4: quick adapt waits for the end of its period, a trim alone costs one packet")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_acknowledge_in_vain(&flow, 20000);
    flow.now_ns += BASE_RTT_NS + TARGET_NS - 1;
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES - MTU_BYTES);
}

SPEC("§19.4: quick adapt remembers a trim until its period ends")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_trim(&flow);
    flow_acknowledge_in_vain(&flow, 20000);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_acknowledge(&flow, 100, 3000, false);
    EXPECT_EQ(flow.cc.window_bytes, 20100);

    flow_acknowledge(&flow, 60000, 0, false); /* what was to be ignored */
    flow.cc.window_bytes = WINDOW_BYTES;
    for (int period = 0; period < 2; period++) {
        flow.now_ns += BASE_RTT_NS + TARGET_NS;
        flow_acknowledge(&flow, 100, 3000, false);
    }
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
}

SPEC("§19.4: quick adapt acts below an eighth of the window's limit, achieved in one period")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_acknowledge_in_vain(&flow, MAX_WINDOW_BYTES / 8);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES - MTU_BYTES);

    flow_acknowledge_in_vain(&flow, MAX_WINDOW_BYTES / 8 - 1);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, MAX_WINDOW_BYTES / 8 - 1);
}

SPEC("§19.4: quick adapt leaves a packet where nothing was achieved")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, MTU_BYTES);
}

SPEC("§19.4: quick adapt does not judge before its first period")
{
    struct cc_settings settings = flow_reference();
    struct flow flow = { .now_ns = 1000000 };

    EXPECT(cc_profile_init(&flow.profile, &settings));
    cc_init(&flow.cc, &flow.profile);
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, MAX_WINDOW_BYTES - MTU_BYTES);
}

SPEC("§19.4: after quick adapt, marked feedback for packets that were in flight is ignored")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_congest(&flow);
    flow_acknowledge_in_vain(&flow, 20000);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow); /* with 50000 bytes in flight */
    flow_acknowledge(&flow, 45815, 90000, true);
    EXPECT_EQ(flow.cc.window_bytes, 20000);
    flow_trim(&flow); /* 1 byte is left */
    EXPECT_EQ(flow.cc.window_bytes, 20000);
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, 20000 - MTU_BYTES);
}

SPEC("§19.4: after quick adapt, a loss counts as feedback for packets that were in flight")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_acknowledge_in_vain(&flow, 20000);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow);
    cc_on_inferred_loss(&flow.cc, 50000, flow.now_ns);
    flow.cc.window_bytes = WINDOW_BYTES;
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES - MTU_BYTES);
}

SPEC("§19.4: after quick adapt, unmarked feedback changes the window at once")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_acknowledge_in_vain(&flow, 20000);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow);
    flow_acknowledge(&flow, 40000, TARGET_NS, false);
    EXPECT_GT(flow.cc.window_bytes, 20000 + 628);
}

SPEC("§19.4: quick adapt takes back what was earned and not yet given")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, 20000, TARGET_NS, false);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow);
    flow_acknowledge_in_vain(&flow, 50000);
    EXPECT_EQ(flow.cc.window_bytes, 20000 + 628);
}

SPEC("§19.4: quick adapt starts the count to adjust_bytes again")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    settings.adjust_period_ns = UINT32_MAX;
    flow_begin(&flow, &settings);
    flow_acknowledge_in_vain(&flow, 20000);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow);
    flow_acknowledge(&flow, ADJUST_BYTES, TARGET_NS, false);
    EXPECT_EQ(flow.cc.window_bytes, 20000);
}

SPEC("§19.4: without trimming, a delay above the threshold calls quick adapt")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    settings.network_trims = false;
    flow_begin(&flow, &settings);
    flow_acknowledge_in_vain(&flow, 20000);
    flow.now_ns += 2 * BASE_RTT_NS;
    flow_acknowledge(&flow, 0, 4 * BASE_RTT_NS, true);
    EXPECT_GT(flow.cc.window_bytes, WINDOW_BYTES / 2);

    flow_acknowledge_in_vain(&flow, 20000);
    flow.now_ns += 2 * BASE_RTT_NS;
    flow_acknowledge(&flow, 0, 4 * BASE_RTT_NS + 1, true);
    EXPECT_EQ(flow.cc.window_bytes, 20000);
}

SPEC("§19.4: quick adapt can be switched off")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    settings.quick_adapt_off = true;
    flow_begin(&flow, &settings);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES - MTU_BYTES);
}

/* ---- NACKs and losses ----------------------------------------------------------------------- */

SPEC("§19.4: a trim NACK takes its packet out of the window, down to one packet")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES - MTU_BYTES);
    flow.cc.window_bytes = MTU_BYTES + 1;
    flow_trim(&flow);
    EXPECT_EQ(flow.cc.window_bytes, MTU_BYTES);
}

SPEC("§19.4: a NACK for another reason leaves the window alone")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    for (int i = 0; i < 2; i++) {
        cc_on_nack(&flow.cc,
            &(struct cc_nack){
                .now_ns = flow.now_ns, .rtt_ns = BASE_RTT_NS, .packet_bytes = MTU_BYTES });
        flow.now_ns += BASE_RTT_NS + TARGET_NS;
    }
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
}

SPEC("§19.4: a trim enters the average as a marked delay of one configured base RTT")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    for (int i = 0; i < 110; i++)
        flow_trim(&flow); /* average: 12000 * (1 - 0.9875 ^ 110) = 8992 ns */
    flow.cc.window_bytes = WINDOW_BYTES;
    flow_acknowledge(&flow, 0, TARGET_NS, true); /* 8992 ns */
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);

    flow_trim(&flow); /* 9030 ns */
    flow.cc.window_bytes = WINDOW_BYTES;
    flow_acknowledge(&flow, 0, TARGET_NS, true);
    EXPECT_EQ(flow.cc.window_bytes, 99739);
}

SPEC("§19.4: an inferred loss takes its packet out of the window, down to one packet")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    cc_on_inferred_loss(&flow.cc, MTU_BYTES, flow.now_ns);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES - MTU_BYTES);
    flow.cc.window_bytes = MTU_BYTES + 1;
    cc_on_inferred_loss(&flow.cc, MTU_BYTES, flow.now_ns);
    EXPECT_EQ(flow.cc.window_bytes, MTU_BYTES);
}

SPEC("§19.4: a packet may go while the window is larger than what is in flight")
{
    struct cc cc = { .window_bytes = WINDOW_BYTES };

    EXPECT(cc_can_send(&cc, WINDOW_BYTES - 1));
    EXPECT(!cc_can_send(&cc, WINDOW_BYTES));
}

/* ---- the receiver's penalty ----------------------------------------------------------------- */

/* A round trip under a penalty: what was in flight is acknowledged, and the window kept full. */
static void round_trip(struct flow *flow, uint8_t penalty, uint64_t delay_ns)
{
    uint32_t inflight_bytes = flow->cc.window_bytes;

    for (uint32_t left_bytes = inflight_bytes; left_bytes >= 1000; left_bytes -= 1000) {
        inflight_bytes -= 1000;
        cc_on_ack(&flow->cc, &(struct cc_ack){ .now_ns = flow->now_ns,
                                 .rtt_ns = BASE_RTT_NS + delay_ns,
                                 .received_bytes = 1000,
                                 .inflight_bytes = inflight_bytes,
                                 .penalty = penalty });
        cc_check(&flow->cc);
        if (inflight_bytes < flow->cc.window_bytes)
            inflight_bytes = flow->cc.window_bytes;
    }
    flow->now_ns += BASE_RTT_NS;
}

SPEC("§20: a penalty of 64 halves the window in one round trip, even of an empty network")
{
    static const uint64_t delays_ns[] = { 0, 3000, TARGET_NS };
    struct cc_settings settings = flow_reference();
    struct flow flow;

    for (int i = 0; i < 3; i++) {
        flow_begin(&flow, &settings);
        flow_acknowledge(&flow, 2 * MAX_WINDOW_BYTES, 0, false); /* increases fast */
        flow.cc.window_bytes = WINDOW_BYTES;
        round_trip(&flow, 64, delays_ns[i]);
        EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES / 2);
    }
}

SPEC("§20: a penalty of 127 leads to about one packet in flight")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    for (int i = 0; i < 3; i++)
        round_trip(&flow, 127, 0);
    EXPECT_GE(flow.cc.window_bytes, MTU_BYTES);
    EXPECT_LT(flow.cc.window_bytes, 2 * MTU_BYTES);
}

SPEC("§20: a penalty starts from what is in flight where that is less than the window")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns,
                            .rtt_ns = BASE_RTT_NS,
                            .received_bytes = 1280,
                            .inflight_bytes = 30000,
                            .penalty = 10 });
    EXPECT_EQ(flow.cc.window_bytes, 31280 - 100);
}

SPEC("§20: restore brings back the window from before the penalty")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    round_trip(&flow, 100, 3000);
    round_trip(&flow, 20, 3000);
    EXPECT_LT(flow.cc.window_bytes, WINDOW_BYTES / 2);
    cc_on_ack(&flow.cc,
        &(struct cc_ack){ .now_ns = flow.now_ns, .rtt_ns = BASE_RTT_NS, .restore = true });
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
}

SPEC("§20: a penalty that ends without restore is forgotten")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    round_trip(&flow, 64, 3000);
    cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns, .rtt_ns = BASE_RTT_NS });
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES / 2);
    cc_on_ack(&flow.cc,
        &(struct cc_ack){ .now_ns = flow.now_ns, .rtt_ns = BASE_RTT_NS, .restore = true });
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES / 2);
}
