/* SPDX-License-Identifier: Apache-2.0 */
/* What the faults of a soft fabric do to its links. */
#include "lab/soft_fault.h"

#include <errno.h>

#include "spec.h"

static struct topology fabric;
static struct soft_faults faults;

static struct topology_element named(const char *name)
{
    struct topology_element element;
    char reason[160];

    EXPECT(topology_find(&fabric, name, &element, reason));
    return element;
}

static void begin(void)
{
    struct topology_config config;
    struct topology_problem problem;

    topology_config_init(&config);
    EXPECT(topology_init(&fabric, &config, NULL, &problem));
    faults = (struct soft_faults){ 0 };
}

static struct soft_condition at(const char *link, uint64_t now_ps)
{
    struct topology_element element = named(link);

    return soft_faults_condition(&faults, &fabric, &element, now_ps);
}

static void add(enum soft_fault_kind kind, const char *where, uint64_t until_ps)
{
    struct soft_fault fault = { .kind = kind,
        .where = named(where),
        .from_ps = 100,
        .until_ps = until_ps,
        .probability = 5,
        .rate_bps = 7,
        .period_ps = 10000,
        .duty_permille = 250 };

    EXPECT_EQ(soft_faults_add(&faults, &fault), 0);
}

SPEC("a switch that is down takes its own links down, and no others")
{
    begin();
    add(SOFT_FAULT_DOWN, "p1.t1.3", UINT64_MAX);
    EXPECT(at("p1.t0.0-t1.3", 100).is_down);
    EXPECT(at("p1.t0.7-t1.3", 100).is_down);
    EXPECT(!at("p1.t0.7-t1.2", 100).is_down);
    EXPECT(!at("p0.t0.7-t1.3", 100).is_down);
    add(SOFT_FAULT_DOWN, "p0.t0.1", UINT64_MAX);
    EXPECT(at("h8.p0", 100).is_down);
    EXPECT(at("h15.p0", 100).is_down);
    EXPECT(at("p0.t0.1-t1.0", 100).is_down);
    EXPECT(!at("h16.p0", 100).is_down);
    EXPECT(!at("h8.p1", 100).is_down);
}

SPEC("a NIC stands for its ports, a plane for all its links")
{
    begin();
    add(SOFT_FAULT_BLACKHOLE, "h5", UINT64_MAX);
    add(SOFT_FAULT_LOSS, "p2", UINT64_MAX);
    EXPECT(at("h5.p0", 100).is_blackhole);
    EXPECT(at("h5.p3", 100).is_blackhole);
    EXPECT(!at("h6.p3", 100).is_blackhole);
    EXPECT_EQ(at("h6.p2", 100).loss, 5);
    EXPECT_EQ(at("p2.t0.0-t1.0", 100).loss, 5);
    EXPECT_EQ(at("p3.t0.0-t1.0", 100).loss, 0);
}

SPEC("a fault begins and ends at its time, and is then forgotten")
{
    begin();
    add(SOFT_FAULT_DOWN, "h0.p0", 200);
    EXPECT(!at("h0.p0", 99).is_down);
    EXPECT(at("h0.p0", 199).is_down);
    EXPECT(!at("h0.p0", 200).is_down);
    EXPECT_EQ(soft_faults_next_ps(&faults, 100), 200);
    soft_faults_prune(&faults, 199);
    EXPECT_EQ(faults.count, 1);
    soft_faults_prune(&faults, 200);
    EXPECT_EQ(faults.count, 0);
}

SPEC("a flapping link is down for its share of every period")
{
    begin();
    add(SOFT_FAULT_FLAP, "h0.p0", UINT64_MAX);
    EXPECT(at("h0.p0", 100).is_down);
    EXPECT(at("h0.p0", 2599).is_down);
    EXPECT(!at("h0.p0", 2600).is_down);
    EXPECT(!at("h0.p0", 10099).is_down);
    EXPECT(at("h0.p0", 10100).is_down);
    EXPECT_EQ(soft_faults_next_ps(&faults, 100), 2600);
    EXPECT_EQ(soft_faults_next_ps(&faults, 2600), 10100);
}

SPEC("of several faults the worst counts")
{
    struct soft_fault worse = {
        .kind = SOFT_FAULT_LOSS, .where = named("h0.p0"), .until_ps = UINT64_MAX, .probability = 9
    };

    begin();
    add(SOFT_FAULT_LOSS, "p0", UINT64_MAX);
    EXPECT_EQ(soft_faults_add(&faults, &worse), 0);
    EXPECT_EQ(at("h0.p0", 100).loss, 9);
}

SPEC("a fault of an EV meets packets with that EV only")
{
    struct soft_fault fault = {
        .kind = SOFT_FAULT_LOSS, .until_ps = UINT64_MAX, .probability = 9, .of_ev = true, .ev = 3
    };
    struct topology_element link;

    begin();
    fault.where = named("p0");
    link = named("p0.t0.0-t1.3");
    EXPECT_EQ(soft_faults_add(&faults, &fault), 0);
    EXPECT(at("p0.t0.0-t1.3", 100).is_picky);
    EXPECT_EQ(at("p0.t0.0-t1.3", 100).loss, 0);
    EXPECT_EQ(soft_faults_condition_of_ev(&faults, &fabric, &link, 3, 100).loss, 9);
    EXPECT_EQ(soft_faults_condition_of_ev(&faults, &fabric, &link, 4, 100).loss, 0);
}

SPEC("clearing a part ends its own faults, not those of the whole")
{
    struct topology_element port;

    begin();
    port = named("h0.p0");
    add(SOFT_FAULT_DOWN, "h0.p0", UINT64_MAX);
    add(SOFT_FAULT_LOSS, "h0.p0", UINT64_MAX);
    add(SOFT_FAULT_DOWN, "p0", UINT64_MAX);
    EXPECT_EQ(soft_faults_clear(&faults, &port, false, 0), 2);
    EXPECT_EQ(faults.count, 1);
    EXPECT(at("h0.p0", 100).is_down);
}

SPEC("a list that is full refuses")
{
    struct soft_fault fault = { .kind = SOFT_FAULT_DOWN, .until_ps = UINT64_MAX };

    begin();
    for (uint32_t i = 0; i < SOFT_FAULTS_MAX; i++)
        EXPECT_EQ(soft_faults_add(&faults, &fault), 0);
    EXPECT_EQ(soft_faults_add(&faults, &fault), -ENOSPC);
}
