/* SPDX-License-Identifier: Apache-2.0 */
/* The table of localisation, docs/fabric.md §11, row by row, with agents that a test plays. */
#include "prober.h"

static struct prober prober;

static void expect_after(const char *broken, uint32_t up, uint32_t down, uint32_t rounds)
{
    prober_open(&prober, 4, 4, 4);
    prober_break(&prober, broken, up, down);
    prober_run(&prober, rounds);
    prober_expect(&prober, broken);
}

SPEC("a fabric without losses has no verdict")
{
    prober_open(&prober, 4, 4, 4);
    prober_run(&prober, 100);
    EXPECT_EQ(map_verdict_count(&prober.map), 0);
    EXPECT_EQ(prober.map.active_count, 0);
    prober_close(&prober);
}

SPEC("one host loses all probes: its link is at fault, and one-way probes tell the direction")
{
    expect_after("h5.p1", 1000, 0, 20);
    EXPECT_EQ(prober_direction(&prober), MAP_DIRECTION_UP);
    prober_close(&prober);
    expect_after("h5.p1", 0, 1000, 20);
    EXPECT_EQ(prober_direction(&prober), MAP_DIRECTION_DOWN);
    prober_close(&prober);
    expect_after("h5.p1", 1000, 1000, 20);
    EXPECT_EQ(prober_direction(&prober), MAP_DIRECTION_BOTH);
    prober_close(&prober);
}

SPEC("all hosts of a T0 lose their probes: the T0 is at fault")
{
    expect_after("p1.t0.2", 1000, 1000, 20);
    prober_close(&prober);
}

SPEC("the only host of a T0 and probes of others through it decide between link and T0")
{
    prober_open(&prober, 4, 4, 1);
    prober_break(&prober, "p1.t0.2", 1000, 1000);
    prober_run(&prober, 20);
    prober_expect(&prober, "p1.t0.2");
    prober_close(&prober);
    prober_open(&prober, 4, 4, 1);
    prober_break(&prober, "h2.p1", 1000, 1000);
    prober_run(&prober, 40);
    prober_expect(&prober, "h2.p1");
    prober_close(&prober);
}

SPEC("probes over one link fail from all hosts of the T0: the link, with its direction")
{
    expect_after("p0.t0.3-t1.1", 1000, 0, 20);
    EXPECT_EQ(prober_direction(&prober), MAP_DIRECTION_UP);
    prober_close(&prober);
    expect_after("p0.t0.3-t1.1", 0, 1000, 20);
    EXPECT_EQ(prober_direction(&prober), MAP_DIRECTION_DOWN);
    prober_close(&prober);
    expect_after("p0.t0.3-t1.1", 1000, 1000, 20);
    EXPECT_EQ(prober_direction(&prober), MAP_DIRECTION_BOTH);
    prober_close(&prober);
}

SPEC("probes over a T1 fail from all T0s: the T1 is at fault")
{
    expect_after("p0.t1.2", 1000, 1000, 20);
    prober_close(&prober);
}

SPEC("all ports of a NIC lose their probes: the NIC is at fault")
{
    expect_after("h9", 1000, 1000, 20);
    prober_close(&prober);
}

SPEC("the same rules hold for a loss of 2 %, and the verdict estimates it")
{
    expect_after("p0.t0.3-t1.1", 20, 0, 500);
    EXPECT_EQ(prober_direction(&prober), MAP_DIRECTION_UP);
    EXPECT_GE(map_verdict_at(&prober.map, 0)->loss_ppm, 15000);
    EXPECT_LE(map_verdict_at(&prober.map, 0)->loss_ppm, 25000);
    prober_close(&prober);
    expect_after("h5.p1", 0, 20, 500);
    prober_close(&prober);
    expect_after("p1.t0.2", 20, 20, 500);
    prober_close(&prober);
    expect_after("p0.t1.2", 20, 20, 500);
    prober_close(&prober);
}

SPEC("without a second switch above, no loop tells the direction, and the verdict says so")
{
    prober_open(&prober, 4, 1, 4);
    prober_break(&prober, "p0.t0.3-t1.0", 1000, 0);
    prober_run(&prober, 20);
    prober_expect(&prober, "p0.t0.3-t1.0");
    EXPECT_EQ(prober_direction(&prober), MAP_DIRECTION_UNKNOWN);
    prober_close(&prober);
}

SPEC("a verdict is cleared when the link has recovered, and can return")
{
    expect_after("p0.t0.3-t1.1", 1000, 1000, 20);
    prober_break(&prober, "p0.t0.3-t1.1", 0, 0);
    prober_run(&prober, 500);
    EXPECT(!map_verdict_is_open(map_verdict_at(&prober.map, 0)));
    prober_break(&prober, "p0.t0.3-t1.1", 1000, 1000);
    prober_run(&prober, 20);
    EXPECT_EQ(map_verdict_count(&prober.map), 2);
    EXPECT_EQ(map_verdict_at(&prober.map, 1)->number, 2);
    prober_close(&prober);
}

SPEC("NICs without an agent are not held against any link")
{
    prober_open(&prober, 4, 4, 4);
    prober.absent_from = 6;
    prober_break(&prober, "p0.t0.0-t1.1", 1000, 1000);
    prober_run(&prober, 50);
    prober_expect(&prober, "p0.t0.0-t1.1");
    prober_close(&prober);
}

SPEC("EVs that the data path avoids add to the evidence of probes, and alone are none")
{
    const struct map_verdict *verdict;
    uint32_t ev;
    uint64_t named;

    expect_after("p0.t0.0-t1.1", 30, 0, 400);
    named = map_verdict_at(&prober.map, 0)->named;
    prober_close(&prober);
    prober_open(&prober, 4, 4, 4);
    EXPECT(plan_ev_find(&prober.plan, "p0/u1", &ev));
    for (uint32_t to = 4; to < 8; to++)
        map_ev_changed(&prober.map, 0, to, ev, true);
    prober_run(&prober, 100);
    EXPECT_EQ(map_verdict_count(&prober.map), 0);
    prober_close(&prober);
    prober_open(&prober, 4, 4, 4);
    for (uint32_t to = 4; to < 8; to++)
        map_ev_changed(&prober.map, 0, to, ev, true);
    prober_break(&prober, "p0.t0.0-t1.1", 30, 0);
    prober_run(&prober, 400);
    prober_expect(&prober, "p0.t0.0-t1.1");
    verdict = map_verdict_at(&prober.map, 0);
    EXPECT_LT(verdict->named, named);
    EXPECT_EQ(verdict->evs_bad, 4);
    prober_close(&prober);
}

SPEC("a report that cannot be true is refused and counted")
{
    static const struct map_loss unknown_slot = { .period = 0, .slot = 63 };
    static const struct map_loss later = { .period = PROBER_ROUND, .slot = 0 };
    struct map_report good = { .nic = 1, .port = 0, .periods = PROBER_ROUND };
    struct map_report bad[6];

    prober_open(&prober, 4, 4, 4);
    for (uint32_t i = 0; i < 6; i++)
        bad[i] = good;
    bad[0].nic = 16;
    bad[1].port = 2;
    bad[2].periods = PROBER_ROUND + 1;
    bad[3].lost = &unknown_slot;
    bad[3].lost_count = 1;
    bad[4].lost = &later;
    bad[4].lost_count = 1;
    bad[5].periods = 0;
    for (uint32_t i = 0; i < 6; i++)
        EXPECT(!map_report(&prober.map, &bad[i]));
    EXPECT(map_report(&prober.map, &good));
    EXPECT(!map_report(&prober.map, &good));
    EXPECT_EQ(prober.map.counts.refused, 7);
    prober_close(&prober);
}

SPEC("an agent whose one-way counts are wrong brings about no verdict")
{
    struct map_loss lost[PROBER_ROUND];

    prober_open(&prober, 4, 4, 4);
    for (uint16_t i = 0; i < PROBER_ROUND; i++)
        lost[i] = (struct map_loss){ .period = i,
            .slot = (uint8_t)(map_schedule_count(&prober.map.schedule, 0, 0) - 1) };
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t nic = 0; nic < 16; nic++)
            for (uint32_t port = 0; port < 2; port++)
                map_report(&prober.map, &(struct map_report){ .nic = nic,
                                            .port = port,
                                            .periods = PROBER_ROUND,
                                            .lost = lost,
                                            .lost_count = nic == 3 ? PROBER_ROUND : 0 });
        map_close_round(&prober.map);
    }
    EXPECT_EQ(map_verdict_count(&prober.map), 0);
    prober_close(&prober);
}
