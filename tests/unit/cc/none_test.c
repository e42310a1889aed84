/* SPDX-License-Identifier: Apache-2.0 */
/* No congestion control is a constant. */
#include "flow.h"

static void begin_with_limit(struct flow *flow, uint32_t max_window_bytes)
{
    struct cc_settings settings = flow_reference();

    settings.algorithm = "none";
    settings.max_window_bytes = max_window_bytes;
    EXPECT(cc_profile_init(&flow->profile, &settings));
    cc_init(&flow->cc, &flow->profile);
    flow->now_ns = 1000000;
}

SPEC("the window has no limit unless the operator sets one")
{
    struct flow flow;

    begin_with_limit(&flow, 0);
    EXPECT_EQ(flow.cc.window_bytes, UINT32_MAX);
    EXPECT(cc_can_send(&flow.cc, 4000000000));
    begin_with_limit(&flow, 10000000);
    EXPECT_EQ(flow.cc.window_bytes, 10000000);
}

SPEC("no feedback changes the window")
{
    struct flow flow;

    begin_with_limit(&flow, 1000000);
    for (int i = 0; i < 100; i++) {
        flow.now_ns += BASE_RTT_NS;
        flow_acknowledge(&flow, 1000, 90000, true);
        flow_trim(&flow);
        cc_on_inferred_loss(&flow.cc, MTU_BYTES, flow.now_ns);
    }
    cc_on_ack(&flow.cc, &(struct cc_ack){ .received_bytes = 5000, .penalty = 127 });
    cc_on_link_rate(&flow.cc, 0);
    EXPECT_EQ(flow.cc.window_bytes, 1000000);
}

SPEC("the base RTT is measured")
{
    struct flow flow;

    begin_with_limit(&flow, 0);
    cc_on_rtt(&flow.cc, 7000);
    EXPECT_EQ(flow.cc.base_rtt_ns, 7000);
    EXPECT_EQ(flow.cc.window_bytes, UINT32_MAX);
}
