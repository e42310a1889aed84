/* SPDX-License-Identifier: Apache-2.0 */
/* NSCC beyond the letter of the specification, which is in conformance/: delay as a mark, changing
 * links, numbers out of the ordinary. */
#include "flow.h"

static struct cc_settings decreasing(void)
{
    struct cc_settings settings = flow_reference();

    settings.unmarked_delay = CC_UNMARKED_DECREASE;
    return settings;
}

SPEC("with decrease, an unmarked delay cuts like a marked one")
{
    struct cc_settings settings = decreasing();
    struct flow marked;
    struct flow unmarked;

    flow_begin(&marked, &settings);
    flow_begin(&unmarked, &settings);
    for (int i = 0; i < 100; i++) {
        marked.now_ns += 2000;
        unmarked.now_ns += 2000;
        flow_acknowledge(&marked, 1000, 20000, true);
        flow_acknowledge(&unmarked, 1000, 20000, false);
    }
    EXPECT_EQ(unmarked.cc.window_bytes, marked.cc.window_bytes);
    EXPECT_LT(unmarked.cc.window_bytes, WINDOW_BYTES);
}

SPEC("with decrease, a delay of exactly the target adds no fair increase")
{
    struct cc_settings settings = decreasing();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, 40000, TARGET_NS, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
}

SPEC("with decrease, an unmarked delay below the target grows the window as without it")
{
    struct cc_settings settings = decreasing();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, 40000, 3000, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 3347);
}

SPEC("with decrease, an unmarked delay is ignored after quick adapt like a marked one")
{
    struct cc_settings settings = decreasing();
    struct flow flow;

    settings.adjust_period_ns = UINT32_MAX;
    flow_begin(&flow, &settings);
    flow_congest(&flow);
    flow_acknowledge_in_vain(&flow, 20000);
    flow.now_ns += BASE_RTT_NS + TARGET_NS;
    flow_trim(&flow);
    flow_acknowledge(&flow, 40000, 90000, false);
    EXPECT_EQ(flow.cc.window_bytes, 20000);
}

SPEC("increases follow the link rate")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    cc_on_link_rate(&flow.cc, UINT64_C(50000000000));
    flow.cc.window_bytes = WINDOW_BYTES;
    flow.now_ns += BASE_RTT_NS;
    flow_acknowledge(&flow, 40000, 3000, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + (3347 + 628) / 2);

    flow.cc.window_bytes = 60000;
    flow_acknowledge(&flow, 80000, 0, false);
    EXPECT_EQ(flow.cc.window_bytes, 60000 + 80000 / 8);
}

SPEC("an acknowledgement without a sample does not change the average")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_congest(&flow); /* average above the target */
    for (int i = 0; i < 1000; i++)
        cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns });
    flow.cc.window_bytes = WINDOW_BYTES;
    flow.now_ns += BASE_RTT_NS + 1;
    flow_acknowledge(&flow, 0, TARGET_NS, true);
    EXPECT_EQ(flow.cc.window_bytes, 94802);
}

SPEC("a penalty keeps the growth earned before it, and stops further growth")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, 20000, TARGET_NS, false);
    cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns,
                            .rtt_ns = BASE_RTT_NS,
                            .received_bytes = 20000,
                            .inflight_bytes = WINDOW_BYTES,
                            .penalty = 1 });
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES - 156 + 4190); /* 20920 * 20000 / 99844 */
}

SPEC("a window restored after a penalty is at most the present limit")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns,
                            .received_bytes = 50000,
                            .inflight_bytes = WINDOW_BYTES,
                            .penalty = 127 });
    cc_on_rtt(&flow.cc, 4000);
    cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns, .restore = true });
    EXPECT_EQ(flow.cc.window_bytes, 75000);
    cc_check(&flow.cc);
}

SPEC("the largest byte counts that a peer can claim cause no overflow")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    for (int i = 0; i < 10; i++) {
        flow_acknowledge(&flow, UINT32_MAX, 0, false);
        flow_acknowledge(&flow, UINT32_MAX, TARGET_NS, false);
    }
    EXPECT_EQ(flow.cc.window_bytes, MAX_WINDOW_BYTES);
    cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns,
                            .rtt_ns = UINT64_MAX,
                            .received_bytes = UINT32_MAX,
                            .inflight_bytes = UINT32_MAX,
                            .penalty = 127 });
    EXPECT_EQ(flow.cc.window_bytes, MTU_BYTES);
}
