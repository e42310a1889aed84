/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic behind claims about sizes, costs and chips (experiments/claims). */
#include "study/study.h"

#include <math.h>
#include <string.h>

#include "spec.h"

#define GBPS UINT64_C(1000000000)

static struct size_fabric clos(uint64_t gpus, uint32_t planes, uint32_t tiers, uint64_t chip_gbps)
{
    struct size_request request;
    char reason[SIZE_REASON_BYTES] = "";
    struct size_fabric fabric = { 0 };

    size_request_init(&request);
    request.gpus = gpus;
    request.planes = planes;
    request.tiers = tiers;
    request.switch_bps = chip_gbps * GBPS;
    EXPECT(size_solve(&request, &fabric, reason));
    EXPECT_STR_EQ(reason, "");
    return fabric;
}

static struct size_fabric cube(uint64_t gpus, uint64_t nic_gbps, uint32_t dimensions)
{
    struct size_request request;
    char reason[SIZE_REASON_BYTES] = "";
    struct size_fabric fabric = { 0 };

    size_request_init(&request);
    request.kind = SIZE_ZCUBE;
    request.gpus = gpus;
    request.nic_bps = nic_gbps * GBPS;
    request.planes = 1;
    request.tiers = dimensions;
    EXPECT(size_solve(&request, &fabric, reason));
    return fabric;
}

static struct size_bill bill_of(const struct size_fabric *fabric)
{
    struct size_bill bill;
    struct size_site site;
    struct prices prices;
    struct yaml yaml;

    yaml_init(&yaml);
    EXPECT(price_file_read(&yaml, NULL, &prices));
    size_site_init(&site);
    size_bill_make(fabric, &site, &prices, &bill);
    yaml_fini(&yaml);
    return bill;
}

/* ---- counts ---------------------------------------------------------------------------------- */

SPEC("claim 48: a plane of 131,072 GPUs has 512 T0s and 256 T1s, and all planes 6,144 switches")
{
    struct size_fabric fabric = clos(131072, 8, 2, 51200);

    EXPECT_EQ(fabric.tiers[0].switches, 512);
    EXPECT_EQ(fabric.tiers[1].switches, 256);
    EXPECT_EQ(size_switches(&fabric), 6144);
    EXPECT_EQ(size_modules(&fabric), 524288);
}

SPEC("claim 49: a T0 of 51.2 Tb/s has 256 ports to NICs and 256 uplinks, of 100 Gb/s each")
{
    struct size_fabric fabric = clos(131072, 8, 2, 51200);

    EXPECT_EQ(fabric.tiers[0].host_ports, 256);
    EXPECT_EQ(fabric.tiers[0].up_ports, 256);
    EXPECT_EQ(fabric.port_bps, 100 * GBPS);
    EXPECT_EQ(fabric.nic_ports, 8);
}

SPEC("claim 71: with eight planes the 64 ports of a switch become 512")
{
    struct size_fabric one = clos(2048, 1, 2, 51200);
    struct size_fabric eight = clos(131072, 8, 2, 51200);

    EXPECT_EQ(one.tiers[1].down_ports, 64);
    EXPECT_EQ(eight.tiers[1].down_ports, 512);
}

SPEC("claim 72: at 800 Gb/s a port, 100,000 GPUs need four tiers; with eight planes two suffice")
{
    EXPECT_EQ(clos(100000, 1, 0, 51200).tier_count, 4);
    EXPECT_EQ(clos(65536, 1, 0, 51200).tier_count, 3);
    EXPECT_EQ(clos(100000, 8, 0, 51200).tier_count, 2);
    EXPECT_EQ(clos(131072, 8, 0, 51200).tier_count, 2);
}

SPEC("claim 54: 524,288 GPUs need a third tier, or switches with twice as many table entries")
{
    struct size_fabric largest = clos(131072, 8, 2, 51200);
    struct size_fabric grown = clos(524288, 8, 0, 51200);
    struct size_fabric wide = clos(524288, 8, 2, 102400);

    EXPECT_EQ(grown.tier_count, 3);
    EXPECT_GT(size_switches(&grown), 4 * size_switches(&largest));
    EXPECT_EQ(wide.tiers[1].down_ports, 2 * largest.tiers[1].down_ports);
}

SPEC("claim 60: the longest path has 2 switches in a ZCube of k = 2, 5 in three tiers, 7 in four")
{
    struct size_fabric zcube = cube(16384, 400, 2);
    struct size_fabric three = clos(65536, 1, 3, 51200);
    struct size_fabric four = clos(131072, 1, 4, 51200);

    EXPECT_EQ(size_longest(&zcube), 2);
    EXPECT_EQ(size_longest(&three), 5);
    EXPECT_EQ(size_longest(&four), 7);
}

SPEC("claim 61: a ZCube has 2 shortest paths for any k, and 2n detours for k = 2, 4n for k = 3")
{
    struct size_fabric two = cube(16384, 400, 2);
    struct size_fabric three = cube(592704, 600, 3);

    EXPECT_EQ(size_paths(&two, 1), 2 + 2 * 128);
    EXPECT_EQ(size_paths(&three, 2), 2 + 4 * 84);
}

SPEC("claim 31: a subnet of InfiniBand has fewer than 64 K NICs, because LIDs end at 49,151")
{
    struct size_request request;
    struct size_fabric fabric;
    char reason[SIZE_REASON_BYTES];

    size_request_init(&request);
    request.kind = SIZE_INFINIBAND;
    request.planes = 1;
    request.tiers = 3;
    request.gpus = 49151;
    EXPECT(!size_solve(&request, &fabric, reason));
    EXPECT_LT(size_largest(&request, 3), 49151);
}

/* ---- cost ------------------------------------------------------------------------------------ */

SPEC("claim 5: 131,072 GPUs: two tiers have 3/5 of the switches of three, and cost and draw less")
{
    struct size_fabric two = clos(131072, 8, 2, 51200);
    struct size_fabric half = clos(65536, 1, 3, 51200);
    struct size_bill planes = bill_of(&two);
    struct size_bill tiers = bill_of(&half);

    EXPECT_EQ(5 * size_switches(&two), 3 * 2 * size_switches(&half));
    EXPECT(planes.usd.most < 2 * tiers.usd.least);
    EXPECT(planes.watts.most < 2 * tiers.watts.least);
}

SPEC("claim 32: two tiers with 8 planes cost less than three tiers, and these less than InfiniBand")
{
    struct size_fabric two = clos(32768, 8, 2, 51200);
    struct size_fabric three = clos(32768, 1, 3, 51200);
    struct size_fabric infiniband = three;
    struct size_bill planes = bill_of(&two);
    struct size_bill tiers = bill_of(&three);
    struct size_bill lids;

    infiniband.request.kind = SIZE_INFINIBAND;
    lids = bill_of(&infiniband);
    EXPECT(planes.usd.least < tiers.usd.least);
    EXPECT(planes.usd.most < tiers.usd.most);
    EXPECT(tiers.usd.least <= lids.usd.least);
    EXPECT(tiers.usd.most <= lids.usd.most);
}

SPEC("claim 73: two tiers save 262,144 modules, of 288 to 367 million dollars")
{
    struct size_fabric two = clos(131072, 8, 2, 51200);
    struct size_fabric half = clos(65536, 1, 3, 51200);
    uint64_t saved = 2 * size_modules(&half) - size_modules(&two);
    struct size_bill bill = bill_of(&two);
    struct price_range usd = { 0, 0 };

    for (uint32_t i = 0; i < bill.count; i++)
        if (strcmp(bill.parts[i].name, "modules in T0") == 0)
            usd = bill.parts[i].usd;
    EXPECT_EQ(saved, 262144);
    EXPECT(fabs((double)saved * usd.least - 288e6) < 1e6);
    EXPECT(fabs((double)saved * usd.most - 367e6) < 1e6);
}

/* ---- chips ----------------------------------------------------------------------------------- */

static struct price_range chips(const char *name)
{
    struct size_fabric fabric = clos(131072, 8, 2, 51200);
    struct size_report report = { 0 };

    size_report_chips(&report, &fabric);
    for (uint32_t i = 0; i < report.count; i++)
        if (strcmp(report.rows[i].name, name) == 0)
            return report.rows[i].value;
    EXPECT_STR_EQ(name, "in the report");
    return (struct price_range){ 0, 0 };
}

static uint64_t most_of(const char *name)
{
    return (uint64_t)chips(name).most;
}

SPEC("claim 45: the static table of a switch has an entry for each of its 512 ports, 4 KB")
{
    EXPECT_EQ(most_of("T0: static routes of MRC"), 512);
    EXPECT_EQ(most_of("T1: static routes of MRC"), 512);
    EXPECT_EQ(most_of("T0: their bytes"), 4096);
}

SPEC("claim 45: the reserve for trimmed packets is 1 to 2 % of a buffer of 166 MB, 1.7 to 3.3 MB")
{
    double buffer = chips("buffer").least;

    EXPECT(fabs(buffer - 165.7) < 0.1);
    EXPECT(buffer - chips("left for data with trimming").most > 1.6);
    EXPECT(buffer - chips("left for data with trimming").least < 3.4);
}

SPEC("claim 46: a router in place of a T0 has up to 511 ECMP groups of 256 members")
{
    EXPECT_EQ(most_of("router in place of a T0: ECMP groups"), 511);
    EXPECT_EQ(most_of("router in place of a T0: members of groups"), 511 * 256);
}

SPEC("claim 46: the headroom of PFC is 24 MB for one priority and 47 MB for two, at 100 m")
{
    EXPECT(fabs(chips("PFC headroom of a switch").least - 23.7) < 0.1);
    EXPECT(fabs(chips("PFC headroom of a switch").most - 47.4) < 0.2);
}

SPEC("claim 63: trimming leaves more of the buffer for data than PFC")
{
    EXPECT(chips("left for data with trimming").least > chips("left for data with PFC").most);
}

SPEC("claim 40: a NIC has 16 QPs for rings, 126 for 64 experts and 1,023 for all of 1,024 ranks")
{
    EXPECT_EQ(most_of("rings: QPs of a NIC"), 16);
    EXPECT_EQ(most_of("all-to-all of 64 ranks: QPs of a NIC"), 126);
    EXPECT_EQ(most_of("all-to-all of 1,024 ranks: QPs of a NIC"), 1023);
}

/* ---- failures -------------------------------------------------------------------------------- */

SPEC("claim 67: 131,072 NICs have 2.1 million links, of which one flaps or fails every 3 seconds")
{
    struct size_fabric fabric = clos(131072, 8, 2, 51200);
    struct job job = { .exposed_communication = 1, .class_count = 6, .protocol_count = 1 };
    static const char *const names[] = { "host link flap", "uplink flap", "host link failure",
        "uplink failure", "T0 reboot", "T1 reboot" };
    struct size_failures failures;
    double year_s = 365 * 24 * 3600.0;

    for (int i = 0; i < 6; i++)
        strcpy(job.classes[i].name, names[i]);
    EXPECT(size_failures_find(&fabric, &job, &failures));
    EXPECT_EQ(size_links(&fabric), 2097152);
    EXPECT(year_s / failures.per_year.least < 3);
    EXPECT(year_s / failures.per_year.most > 1);
}
