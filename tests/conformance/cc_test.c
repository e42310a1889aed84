/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion control, chapter §19: parameters, samples, and what acknowledgements do. */
#include "flow.h"

/* ---- parameters ----------------------------------------------------------------------------- */

SPEC("§19.2: the parameters of 800 Gb/s and 10 us are those of the table")
{
    struct cc_settings given = flow_reference();
    struct cc_profile profile;
    const struct cc_settings *settings = &profile.settings;

    given.link_bps = UINT64_C(800000000000);
    given.base_rtt_ns = 10000;
    EXPECT(cc_profile_init(&profile, &given));

    EXPECT_EQ(settings->target_delay_ns, 7500);
    EXPECT_EQ((int)(profile.alpha_bytes_per_ns * 10000 + 0.5), 92978);
    EXPECT_EQ(settings->fair_increase_bytes, 139467);
    EXPECT_EQ(settings->eta_bytes, 4184);
    EXPECT_EQ(settings->fast_scale_permille, 1667);
    EXPECT_EQ(settings->gamma_permille, 800);
    EXPECT_EQ(settings->max_md_jump_permille, 500);
    EXPECT_EQ(settings->quick_adapt_gate, 3);
    EXPECT_EQ(settings->adjust_bytes, 33472);
    EXPECT_EQ(settings->adjust_period_ns, 10000);
    EXPECT_EQ(settings->max_window_bytes, 1500000);
}

SPEC("§19.2: the parameters of 400 Gb/s and 10 us are those of the table")
{
    struct cc_settings given = flow_reference();
    struct cc_profile profile;
    const struct cc_settings *settings = &profile.settings;

    given.link_bps = UINT64_C(400000000000);
    given.base_rtt_ns = 10000;
    EXPECT(cc_profile_init(&profile, &given));

    EXPECT_EQ(settings->target_delay_ns, 7500);
    EXPECT_EQ((int)(profile.alpha_bytes_per_ns * 10000 + 0.5), 46489);
    EXPECT_EQ(settings->fair_increase_bytes, 69733);
    EXPECT_EQ(settings->eta_bytes, 2092);
    EXPECT_EQ(settings->fast_scale_permille, 833);
    EXPECT_EQ(settings->max_window_bytes, 750000);
}

SPEC("§19.2: the parameters of 100 Gb/s and 12 us are those of the table")
{
    struct cc_settings given = flow_reference();
    struct cc_profile profile;
    const struct cc_settings *settings = &profile.settings;

    EXPECT(cc_profile_init(&profile, &given));

    EXPECT_EQ(settings->target_delay_ns, 9000);
    EXPECT_EQ((int)(profile.alpha_bytes_per_ns * 10000 + 0.5), 13947);
    EXPECT_EQ(settings->fair_increase_bytes, 20920);
    EXPECT_EQ(settings->eta_bytes, 628); /* 627.6 */
    EXPECT_EQ(settings->fast_scale_permille, 250);
    EXPECT_EQ(settings->adjust_period_ns, 12000);
    EXPECT_EQ(settings->max_window_bytes, MAX_WINDOW_BYTES);
}

SPEC("§19.2: quick adapt by delay alone is for networks that do not trim, at four targets")
{
    struct cc_settings given = flow_reference();
    struct cc_profile profile;

    EXPECT(cc_profile_init(&profile, &given));
    EXPECT_EQ(profile.settings.quick_adapt_threshold_ns, UINT32_MAX);

    given.network_trims = false;
    given.target_delay_ns = 7500;
    EXPECT(cc_profile_init(&profile, &given));
    EXPECT_EQ(profile.settings.quick_adapt_threshold_ns, 30000);
}

SPEC("§24: without trimming the target is a whole round trip")
{
    struct cc_settings given = flow_reference();
    struct cc_profile profile;

    given.network_trims = false;
    EXPECT(cc_profile_init(&profile, &given));
    EXPECT_EQ(profile.settings.target_delay_ns, BASE_RTT_NS);
    EXPECT_EQ(profile.settings.quick_adapt_threshold_ns, 4 * BASE_RTT_NS);
}

SPEC("§19.1: the window starts at its limit")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;
    struct cc cc;

    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    EXPECT_EQ(cc.window_bytes, MAX_WINDOW_BYTES);
}

/* ---- samples -------------------------------------------------------------------------------- */

SPEC("§19.3: the least sample is the base RTT, and the window's limit is 1.5 BDP of it")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow.cc.window_bytes = MAX_WINDOW_BYTES;
    cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns, .rtt_ns = 8000 });
    EXPECT_EQ(flow.cc.base_rtt_ns, 8000);
    EXPECT_EQ(flow.cc.max_window_bytes, 150000);
    EXPECT_EQ(flow.cc.window_bytes, 150000);

    flow_acknowledge(&flow, 0, 0, false);
    EXPECT_EQ(flow.cc.base_rtt_ns, 8000);
}

SPEC("§19.3: the sample of a NACK also lowers the base RTT, for any reason of the NACK")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    cc_on_nack(&flow.cc, &(struct cc_nack){ .now_ns = flow.now_ns, .rtt_ns = 11000 });
    EXPECT_EQ(flow.cc.base_rtt_ns, 11000);
}

SPEC("§19.3: without a valid sample the average delay stands in")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_congest(&flow); /* average: 9633 ns */
    flow.cc.window_bytes = WINDOW_BYTES;
    flow.now_ns += BASE_RTT_NS + 1;
    cc_on_ack(&flow.cc, &(struct cc_ack){ .now_ns = flow.now_ns, .marked = true });
    EXPECT_EQ(flow.cc.window_bytes, 94741);
}

SPEC("§19.3: an unmarked delay above the target enters the average as a quarter of the base RTT")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    for (int i = 0; i < 1000; i++)
        flow_acknowledge(&flow, 0, TARGET_NS + 1, false);
    for (int i = 0; i < 5; i++)
        flow_acknowledge(&flow, 0, 90000, true); /* average: 3000 + 6.1 % of 87000 = 8303 ns */
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);

    flow_acknowledge(&flow, 0, 90000, true); /* 9324 ns */
    EXPECT_EQ(flow.cc.window_bytes, 97216);
}

SPEC("§19.3: an unmarked delay up to the target enters the average as it is")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    for (int i = 0; i < 2000; i++)
        flow_acknowledge(&flow, 0, TARGET_NS, false);
    flow_acknowledge(&flow, 0, 90000, true); /* average: 9000 + 1.25 % of 81000 = 10012 ns */
    EXPECT_EQ(flow.cc.window_bytes, 91910);
}

/* ---- quadrants ------------------------------------------------------------------------------ */

SPEC("§19.4: an unmarked sample below target grows the window in proportion")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, 40000, 3000, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 3347); /* alpha * 6 us * 40000 / 100000 */

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, 40000, 6000, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 1673);
}

SPEC("§19.4: an unmarked sample of the target or more grows it by the fair increase")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, 40000, TARGET_NS, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 8368); /* 20920 * 40000 / 100000 */

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, 40000, TARGET_NS - 1, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
}

SPEC("§19.4: a marked sample below target changes nothing")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_congest(&flow);
    flow.cc.window_bytes = WINDOW_BYTES;
    flow.now_ns += BASE_RTT_NS / 2;
    flow_acknowledge(&flow, 40000, TARGET_NS - 1, true);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
}

SPEC("§19.4: a marked sample of the target or more cuts by gamma times the average's excess")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_congest(&flow); /* 1 - 0.8 * 633 / 9633 */
    EXPECT_EQ(flow.cc.window_bytes, 94741);

    flow.cc.window_bytes = WINDOW_BYTES;
    flow.now_ns += BASE_RTT_NS + 1;
    flow_acknowledge(&flow, 0, TARGET_NS, true); /* average: 9625 ns */
    EXPECT_EQ(flow.cc.window_bytes, 94802);
}

SPEC("§19.4: no cut while the average delay is within the target")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    for (int i = 0; i < 8; i++)
        flow_acknowledge(&flow, 0, 90000, true); /* average: 8610 ns */
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
}

SPEC("§19.4: one cut in a base RTT at most")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_congest(&flow);
    flow.cc.window_bytes = WINDOW_BYTES;
    flow_acknowledge(&flow, 0, 90000, true);
    flow.now_ns += BASE_RTT_NS;
    flow_acknowledge(&flow, 0, 90000, true);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);

    flow.now_ns += 1;
    flow_acknowledge(&flow, 0, 90000, true);
    EXPECT_LT(flow.cc.window_bytes, WINDOW_BYTES);
}

SPEC("§19.4: a cut leaves max_md_jump, half of the window, and never less than a packet")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_acknowledge(&flow, 0, 10000000, true); /* average: 125 us, fourteen targets */
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES / 2);

    flow.cc.window_bytes = MTU_BYTES + 100;
    flow.now_ns += BASE_RTT_NS + 1;
    flow_acknowledge(&flow, 0, 10000000, true);
    EXPECT_EQ(flow.cc.window_bytes, MTU_BYTES);
}

/* ---- giving increases ----------------------------------------------------------------------- */

SPEC("§19.4: an increase is given after more than adjust_bytes")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, ADJUST_BYTES, 3000, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
    flow_acknowledge(&flow, 1, 3000, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 2801); /* without eta */
}

SPEC("§19.4: an increase is given after adjust_period, with eta on top")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow.now_ns += BASE_RTT_NS - 1;
    flow_acknowledge(&flow, 10000, 3000, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
    flow.now_ns += 1;
    flow_acknowledge(&flow, 0, 3000, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 836 + 628);
}

SPEC("§19.4: an increase is given once, and its bytes are counted once")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, 40000, 3000, false);
    flow.cc.window_bytes = WINDOW_BYTES;
    flow_acknowledge(&flow, ADJUST_BYTES, 3000, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
    flow_acknowledge(&flow, 1, 3000, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 2801);

    flow.cc.window_bytes = WINDOW_BYTES;
    flow.now_ns += BASE_RTT_NS;
    flow_acknowledge_in_vain(&flow, 0);
    flow_acknowledge_in_vain(&flow, 0);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 628);
}

SPEC("§19.4: the window stays within its limit")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow.cc.window_bytes = MAX_WINDOW_BYTES - 100;
    flow_acknowledge(&flow, 40000, TARGET_NS, false);
    EXPECT_EQ(flow.cc.window_bytes, MAX_WINDOW_BYTES);
}

/* ---- fast increase -------------------------------------------------------------------------- */

SPEC("§19.4: fast increase begins after more than a window of bytes with less than 1 us of delay")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_acknowledge(&flow, WINDOW_BYTES / 2, 999, false);
    flow_acknowledge(&flow, WINDOW_BYTES / 2, 999, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
    flow_acknowledge(&flow, 4, 999, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 1); /* fi_scale: a quarter of every byte */
    flow_acknowledge(&flow, 40000, 999, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 10001);
}

SPEC("§19.4: fast increase takes the place of the proportional one")
{
    struct cc_settings settings = flow_reference();
    struct flow flow;

    flow_begin(&flow, &settings);
    flow_acknowledge(&flow, WINDOW_BYTES + 4, 0, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 25001);
}

SPEC("§19.4: a delay of 1 us ends fast increase, and the count starts again")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_acknowledge(&flow, WINDOW_BYTES + 4, 0, false);
    flow.cc.window_bytes = WINDOW_BYTES;
    flow_acknowledge(&flow, 0, 1000, false);
    flow_acknowledge(&flow, WINDOW_BYTES, 0, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
    flow_acknowledge(&flow, 4, 0, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES + 1);
}

SPEC("§19.4: a marked delay ends fast increase, even where it does not cut")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow_acknowledge(&flow, WINDOW_BYTES + 4, 0, false);
    flow.cc.window_bytes = WINDOW_BYTES;
    flow_acknowledge(&flow, 0, TARGET_NS, true);
    flow_acknowledge(&flow, WINDOW_BYTES, 0, false);
    EXPECT_EQ(flow.cc.window_bytes, WINDOW_BYTES);
}
