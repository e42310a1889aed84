/* SPDX-License-Identifier: Apache-2.0 */
/* DCQCN at the sender, and ECN marking. */
#include "spec.h"

#include <math.h>

#include "rival/rival.h"

#define LINE_BPS  UINT64_C(400000000000)
#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

/* Returns the time from half of the line rate, with the target there, too, to 95 %, in us. A full
 * packet is sent whenever the rate permits. */
static double recovery_us(enum dcqcn_set set)
{
    enum { PACKET_BYTES = 4096 };
    struct dcqcn_profile profile;
    struct dcqcn dcqcn;
    uint64_t start_ps = US(1000);
    uint64_t now_ps = start_ps;

    dcqcn_profile_init(&profile, set, LINE_BPS);
    dcqcn_init(&dcqcn, &profile);
    dcqcn_on_cnp(&dcqcn, &profile, start_ps);
    dcqcn.rate_bps = profile.line_bps / 2;
    dcqcn.target_bps = profile.line_bps / 2;
    while (dcqcn.rate_bps < 0.95 * profile.line_bps) {
        now_ps += (uint64_t)(PACKET_BYTES * 8e12 / dcqcn.rate_bps);
        dcqcn_advance(&dcqcn, &profile, now_ps);
        dcqcn_on_sent(&dcqcn, &profile, PACKET_BYTES);
    }
    return (double)(now_ps - start_ps) / 1e6;
}

static void expect_recovery(enum dcqcn_set set, double expected_us)
{
    EXPECT(fabs(recovery_us(set) / expected_us - 1) < 0.1);
}

SPEC("published settings recover in the time that their constants say")
{
    expect_recovery(DCQCN_CONNECTX, 1080000);
    expect_recovery(DCQCN_ASTRA, 1620000);
    expect_recovery(DCQCN_HPCC, 136000);
    expect_recovery(DCQCN_PAPER, 25000);
    expect_recovery(DCQCN_HTSIM, 660);
    expect_recovery(DCQCN_LAB, 420);
}

SPEC("the first CNP halves the rate, and the first increase goes half-way back")
{
    struct dcqcn_profile profile;
    struct dcqcn dcqcn;

    dcqcn_profile_init(&profile, DCQCN_PAPER, LINE_BPS);
    dcqcn_init(&dcqcn, &profile);
    EXPECT(!dcqcn_limits(&dcqcn));
    dcqcn_on_cnp(&dcqcn, &profile, US(100));
    EXPECT(fabs(dcqcn.rate_bps / profile.line_bps - 0.5) < 0.001);
    EXPECT_EQ(dcqcn_next_ps(&dcqcn, &profile), US(155));
    dcqcn_advance(&dcqcn, &profile, US(154));
    EXPECT(fabs(dcqcn.rate_bps / profile.line_bps - 0.5) < 0.001);
    dcqcn_advance(&dcqcn, &profile, US(155));
    EXPECT(fabs(dcqcn.rate_bps / profile.line_bps - 0.75) < 0.001);
}

SPEC("a CNP soon after a cut waits for the end of the period, and cuts once")
{
    struct dcqcn_profile profile;
    struct dcqcn dcqcn;
    double after_first;

    dcqcn_profile_init(&profile, DCQCN_CONNECTX, LINE_BPS);
    dcqcn_init(&dcqcn, &profile);
    dcqcn_on_cnp(&dcqcn, &profile, US(10));
    after_first = dcqcn.rate_bps;
    dcqcn_on_cnp(&dcqcn, &profile, US(11));
    dcqcn_on_cnp(&dcqcn, &profile, US(12));
    EXPECT(dcqcn.rate_bps == after_first);
    EXPECT_EQ(dcqcn_next_ps(&dcqcn, &profile), US(14));
    dcqcn_advance(&dcqcn, &profile, US(20));
    EXPECT(fabs(dcqcn.rate_bps / after_first - 0.5) < 0.02);
}

SPEC("after a long time without CNPs a cut is small")
{
    struct dcqcn_profile profile;
    struct dcqcn dcqcn;

    dcqcn_profile_init(&profile, DCQCN_LAB, LINE_BPS);
    dcqcn_init(&dcqcn, &profile);
    dcqcn_on_cnp(&dcqcn, &profile, US(10));
    dcqcn_on_cnp(&dcqcn, &profile, US(30010));
    EXPECT(dcqcn.rate_bps >= 0.99 * profile.line_bps);
}

SPEC("packets are marked by the length of the queue that they enter")
{
    struct ecn_marking marking = ecn_marking_of(ECN_SET_SCALED, LINE_BPS);
    struct prng prng = prng_stream(1, 1);
    uint32_t marked = 0;

    EXPECT_EQ(marking.least_bytes, 1600000);
    EXPECT_EQ(marking.most_bytes, 6400000);
    EXPECT(!ecn_marking_marks(&marking, 1600000, &prng));
    EXPECT(ecn_marking_marks(&marking, 6400001, &prng));
    for (uint32_t i = 0; i < 10000; i++)
        marked += ecn_marking_marks(&marking, 4000000, &prng);
    EXPECT_GE(marked, 900);
    EXPECT_LE(marked, 1100);
}
