/* SPDX-License-Identifier: Apache-2.0 */
/* Localisation at random places in simulated fabrics: a slice of what make map measures. */
#include "spec.h"

#include "localise.h"

static struct localise all;

/* A square Clos of two planes. */
static void open_fabric(uint64_t seed, uint32_t side)
{
    struct topology_config config;
    struct topology_problem problem;

    all = (struct localise){ .seed = seed };
    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = config.t1_count = config.hosts_per_t0 = side;
    EXPECT(plan_init(&all.fabric, &config, NULL, &problem));
}

static void expect_all_named(enum localise_class class, uint32_t places, uint32_t side)
{
    open_fabric(1, side);
    localise_class(&all, class, places);
    EXPECT_EQ(all.totals.named, places);
    EXPECT_EQ(all.totals.wrong, 0);
    EXPECT_EQ(all.totals.directions_wrong, 0);
}

SPEC("dead links, switches and NICs are named, and nothing else")
{
    for (uint32_t class = LOCALISE_HOST_LINK; class <= LOCALISE_NIC; class ++)
        expect_all_named((enum localise_class) class, 8, 8);
}

SPEC("links and switches that lose 1.5 % to 50 % are named, and nothing else")
{
    for (uint32_t class = LOCALISE_LOSSY_HOST_LINK; class < LOCALISE_CLASS_COUNT; class ++)
        expect_all_named((enum localise_class) class, 8, 8);
}

SPEC("a switch with four links that lose a little is not taken for one of its links")
{
    expect_all_named(LOCALISE_LOSSY_T1, 20, 4);
    expect_all_named(LOCALISE_LOSSY_T0, 20, 4);
}

SPEC("while three faults are open, no healthy element is named")
{
    open_fabric(2, 8);
    localise_three(&all, 4);
    EXPECT_EQ(all.totals.named, 12);
    EXPECT_EQ(all.totals.wrong, 0);
}

SPEC("a fabric without faults that loses 0.01 % has no verdict in 10,000 periods")
{
    open_fabric(3, 8);
    localise_quiet(&all, 10000);
    EXPECT_GT(all.totals.probes, 0);
    EXPECT_EQ(all.totals.wrong, 0);
}
