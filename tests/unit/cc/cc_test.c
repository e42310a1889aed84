/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles and what all algorithms share; the formulas themselves are in conformance/cc_test.c. */
#include "flow.h"

static struct cc_settings on_a_real_clock(void)
{
    struct cc_settings settings = flow_reference();

    settings.base_rtt_floor_ns = 200000;
    settings.target_floor_ns = 1000000;
    return settings;
}

/* Returns the algorithm that a profile finds by this name; NULL: none. */
static const struct cc_algorithm *named(const char *name)
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;

    settings.algorithm = name;
    return cc_profile_init(&profile, &settings) ? profile.algorithm : NULL;
}

SPEC("an algorithm is found by its whole name")
{
    EXPECT(named("fair") == &cc_fair);
    EXPECT(named("nscc") == &cc_nscc);
    EXPECT(named("none") == &cc_none);
    EXPECT(named("ns") == NULL);
    EXPECT(named("nscc2") == NULL);
    EXPECT(named("") == NULL);
}

SPEC("the list of algorithms holds each once and ends with NULL")
{
    EXPECT(cc_algorithms[0] == &cc_fair);
    EXPECT(cc_algorithms[1] == &cc_nscc);
    EXPECT(cc_algorithms[2] == &cc_none);
    EXPECT(cc_algorithms[3] == NULL);
    EXPECT_STR_EQ(cc_fair.api_name, "openmrc-fair");
    EXPECT_STR_EQ(cc_nscc.api_name, "uet-1.0-nscc");
    EXPECT(cc_none.api_name == NULL);
}

SPEC("a profile of an unknown algorithm is refused")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;

    settings.algorithm = "cubic";
    EXPECT(!cc_profile_init(&profile, &settings));
}

SPEC("a value that the operator sets is not derived")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;

    settings.about_zero_ns = 11;
    settings.target_delay_ns = 12;
    settings.max_window_bytes = 13;
    settings.fair_increase_bytes = 14;
    settings.eta_bytes = 15;
    settings.fast_scale_permille = 16;
    settings.gamma_permille = 17;
    settings.max_md_jump_permille = 18;
    settings.adjust_bytes = 19;
    settings.adjust_period_ns = 20;
    settings.quick_adapt_gate = 21;
    settings.quick_adapt_threshold_ns = 22;
    EXPECT(cc_profile_init(&profile, &settings));
    EXPECT_EQ(profile.settings.about_zero_ns, 11);
    EXPECT_EQ(profile.settings.target_delay_ns, 12);
    EXPECT_EQ(profile.settings.max_window_bytes, 13);
    EXPECT_EQ(profile.settings.fair_increase_bytes, 14);
    EXPECT_EQ(profile.settings.eta_bytes, 15);
    EXPECT_EQ(profile.settings.fast_scale_permille, 16);
    EXPECT_EQ(profile.settings.gamma_permille, 17);
    EXPECT_EQ(profile.settings.max_md_jump_permille, 18);
    EXPECT_EQ(profile.settings.adjust_bytes, 19);
    EXPECT_EQ(profile.settings.adjust_period_ns, 20);
    EXPECT_EQ(profile.settings.quick_adapt_gate, 21);
    EXPECT_EQ(profile.settings.quick_adapt_threshold_ns, 22);
}

SPEC("without a real clock, the delay that counts as zero is 1 us for any round trip")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;

    settings.base_rtt_ns = 1000000;
    EXPECT(cc_profile_init(&profile, &settings));
    EXPECT_EQ(profile.settings.about_zero_ns, 1000);
}

SPEC("on a real clock base RTT and target have floors, and a tenth of a round trip counts as no "
     "delay")
{
    struct cc_settings settings = on_a_real_clock();
    struct cc_profile profile;

    EXPECT(cc_profile_init(&profile, &settings));
    EXPECT_EQ(profile.settings.base_rtt_ns, 200000);
    EXPECT_EQ(profile.settings.target_delay_ns, 1000000);
    EXPECT_EQ(profile.settings.about_zero_ns, 20000);
    EXPECT_EQ(profile.settings.adjust_period_ns, 200000);
    EXPECT_EQ(profile.settings.max_window_bytes, 3750000);
}

SPEC("on a real clock times above the floors are kept, and at least 1 us counts as no delay")
{
    struct cc_settings settings = on_a_real_clock();
    struct cc_profile profile;

    settings.base_rtt_ns = 4000000;
    EXPECT(cc_profile_init(&profile, &settings));
    EXPECT_EQ(profile.settings.base_rtt_ns, 4000000);
    EXPECT_EQ(profile.settings.target_delay_ns, 3000000);

    settings.base_rtt_ns = 5000;
    settings.base_rtt_floor_ns = 5000;
    EXPECT(cc_profile_init(&profile, &settings));
    EXPECT_EQ(profile.settings.about_zero_ns, 1000);
}

SPEC("the floor of the base RTT also applies to measured round trips")
{
    struct cc_settings settings = on_a_real_clock();
    struct cc_profile profile;
    struct cc cc;

    settings.base_rtt_ns = 300000;
    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    cc_on_rtt(&cc, 0);
    EXPECT_EQ(cc.base_rtt_ns, 300000);
    cc_on_rtt(&cc, 15000);
    EXPECT_EQ(cc.base_rtt_ns, 200000);
    EXPECT_EQ(cc.max_window_bytes, 3750000);
    cc_check(&cc);
}

SPEC("on a slow link no derived value falls to 0, which would mean derive again")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;

    settings.link_bps = 1000000;
    EXPECT(cc_profile_init(&profile, &settings));
    EXPECT_EQ(profile.settings.fast_scale_permille, 1);
    EXPECT_EQ(profile.settings.eta_bytes, 1);
    EXPECT_EQ(profile.settings.max_window_bytes, 2);
}

SPEC("on a fast and long link derived values are at most 2^32 - 1")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;
    struct cc cc;

    settings.link_bps = UINT64_C(10000000000000);
    settings.base_rtt_ns = 1000000000;
    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    EXPECT_EQ(profile.settings.fair_increase_bytes, UINT32_MAX);
    EXPECT_EQ(cc.max_window_bytes, UINT32_MAX);
}

SPEC("the limit of a window is at least a packet")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;
    struct cc cc;

    settings.max_window_bytes = 100;
    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    EXPECT_EQ(cc.window_bytes, MTU_BYTES);
    cc_on_link_rate(&cc, 0);
    EXPECT_EQ(cc.window_bytes, MTU_BYTES);
    cc_check(&cc);
}

SPEC("a quick adapt gate above 31 acts as 31")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;

    settings.quick_adapt_gate = 200;
    EXPECT(cc_profile_init(&profile, &settings));
    EXPECT_EQ(profile.settings.quick_adapt_gate, 31);
}

SPEC("a limit of the operator is replaced by a smaller one that was measured")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;
    struct cc cc;

    settings.max_window_bytes = 300000;
    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    EXPECT_EQ(cc.window_bytes, 300000);
    cc_on_rtt(&cc, 10000);
    EXPECT_EQ(cc.max_window_bytes, 187500);
    cc_on_link_rate(&cc, UINT64_C(400000000000));
    EXPECT_EQ(cc.max_window_bytes, 300000);
}

SPEC("the limit of the window follows the link rate up and down, the window only down")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    flow.cc.window_bytes = MAX_WINDOW_BYTES;
    cc_on_link_rate(&flow.cc, UINT64_C(25000000000));
    EXPECT_EQ(flow.cc.max_window_bytes, MAX_WINDOW_BYTES / 4);
    EXPECT_EQ(flow.cc.window_bytes, MAX_WINDOW_BYTES / 4);
    cc_on_rtt(&flow.cc, BASE_RTT_NS / 2);
    EXPECT_EQ(flow.cc.max_window_bytes, MAX_WINDOW_BYTES / 8);

    cc_on_link_rate(&flow.cc, UINT64_C(200000000000));
    EXPECT_EQ(flow.cc.max_window_bytes, MAX_WINDOW_BYTES);
    EXPECT_EQ(flow.cc.window_bytes, MAX_WINDOW_BYTES / 8);
}

SPEC("a known path sets base RTT, target, limit and first window, and samples do not change it")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;
    struct cc cc;

    settings.algorithm = "fair";
    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    cc_set_path(&cc, 6000, 1500);
    EXPECT_EQ(cc.base_rtt_ns, 6000);
    EXPECT_EQ(cc.target_delay_ns, 15000);
    EXPECT_EQ(cc.max_window_bytes, 262500); /* 21 us */
    EXPECT_EQ(cc.window_bytes, 75000);
    cc_on_rtt(&cc, 3000);
    EXPECT_EQ(cc.base_rtt_ns, 6000);
    cc_set_path(&cc, 24000, 100); /* longer than what the profile is made for */
    EXPECT_EQ(cc.base_rtt_ns, 24000);
    EXPECT_EQ(cc.target_delay_ns, 9600);
    EXPECT_EQ(cc.window_bytes, 300000);
    cc_check(&cc);
}

SPEC("the floor of the base RTT also applies to known paths")
{
    struct cc_settings settings = on_a_real_clock();
    struct cc_profile profile;
    struct cc cc;

    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    cc_set_path(&cc, 15000, 0);
    EXPECT_EQ(cc.base_rtt_ns, 200000);
    EXPECT_EQ(cc.window_bytes, cc.max_window_bytes); /* NSCC begins with its limit */
    cc_set_path(&cc, 250000, 0);
    EXPECT_EQ(cc.base_rtt_ns, 250000);
}

SPEC("a sample that is no shorter than the base RTT does not change it")
{
    struct flow flow;

    flow_begin_unadjusted(&flow);
    cc_on_rtt(&flow.cc, BASE_RTT_NS);
    EXPECT_EQ(flow.cc.base_rtt_ns, BASE_RTT_NS);
    cc_on_rtt(&flow.cc, BASE_RTT_NS - 1);
    EXPECT_EQ(flow.cc.base_rtt_ns, BASE_RTT_NS - 1);
}

SPEC("NSCC starts with its limit, the default with a BDP if that is less")
{
    struct cc_settings settings = flow_reference();
    struct cc_profile profile;
    struct cc cc;

    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    EXPECT_EQ(cc.window_bytes, MAX_WINDOW_BYTES);
    settings.algorithm = "fair";
    settings.max_window_bytes = 150000; /* as much as the link carries in a base RTT */
    EXPECT(cc_profile_init(&profile, &settings));
    cc_init(&cc, &profile);
    EXPECT_EQ(cc.window_bytes, 150000);
}
