/* SPDX-License-Identifier: Apache-2.0 */
/* One flow under NSCC, news by news.
 *
 * The network is the reference of docs/protocol.md §19.2, 100 Gb/s and 12 us, with its target of
 * 9 us, and Table 8-1 to the letter. */
#pragma once

#include <stdbool.h>

#include "cc/cc.h"
#include "spec.h"

enum {
    MTU_BYTES = 4184,
    BASE_RTT_NS = 12000,
    TARGET_NS = 9000,
    WINDOW_BYTES = 100000,
    MAX_WINDOW_BYTES = 225000,
    ADJUST_BYTES = 8 * MTU_BYTES,
};

struct flow {
    struct cc_profile profile;
    struct cc cc;
    uint64_t now_ns;
};

static inline struct cc_settings flow_reference(void)
{
    return (struct cc_settings){ .algorithm = "nscc",
        .link_bps = UINT64_C(100000000000),
        .base_rtt_ns = BASE_RTT_NS,
        .mtu_bytes = MTU_BYTES,
        .network_trims = true,
        .unmarked_delay = CC_UNMARKED_FAIR };
}

/* With a whole window in flight. */
static inline void flow_acknowledge(
    struct flow *flow, uint32_t bytes, uint64_t delay_ns, bool marked)
{
    cc_on_ack(&flow->cc, &(struct cc_ack){ .now_ns = flow->now_ns,
                             .rtt_ns = BASE_RTT_NS + delay_ns,
                             .received_bytes = bytes,
                             .inflight_bytes = WINDOW_BYTES,
                             .marked = marked });
    cc_check(&flow->cc);
}

/* An acknowledgement from the quadrant that does nothing. */
static inline void flow_acknowledge_in_vain(struct flow *flow, uint32_t bytes)
{
    flow_acknowledge(flow, bytes, 0, true);
}

/* A NACK for a trimmed packet, with 50,000 bytes in flight. */
static inline void flow_trim(struct flow *flow)
{
    cc_on_nack(&flow->cc, &(struct cc_nack){ .now_ns = flow->now_ns,
                              .rtt_ns = BASE_RTT_NS,
                              .packet_bytes = MTU_BYTES,
                              .inflight_bytes = 50000,
                              .trimmed = true });
    cc_check(&flow->cc);
}

/* A flow with a window of 100,000 bytes, at the beginning of a period of adjustment and of quick
 * adapt. */
static inline void flow_begin(struct flow *flow, const struct cc_settings *settings)
{
    EXPECT(cc_profile_init(&flow->profile, settings));
    cc_init(&flow->cc, &flow->profile);
    flow->now_ns = 1000000;
    flow_acknowledge_in_vain(flow, 0);
    flow->cc.window_bytes = WINDOW_BYTES;
}

/* The same, in which increases are earned but not given. */
static inline void flow_begin_unadjusted(struct flow *flow)
{
    struct cc_settings settings = flow_reference();

    settings.adjust_bytes = UINT32_MAX;
    settings.adjust_period_ns = UINT32_MAX;
    flow_begin(flow, &settings);
}

/* Marked samples of 90 us, at one moment, until the average has passed the target: nine. */
static inline void flow_congest(struct flow *flow)
{
    for (int i = 0; i < 9; i++)
        flow_acknowledge(flow, 0, 90000, true);
}
