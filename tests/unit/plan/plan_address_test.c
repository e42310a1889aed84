/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, uSIDs, paths and route tables in numbers. */
#include "spec.h"

#include "plan/plan.h"
#include "topology/topology.h"
#include "vectors.h"

#define ADDRESS(...) ((struct ipv6_addr){ { __VA_ARGS__ } })

static struct plan fabric_of(uint32_t planes, uint32_t t0s, uint32_t t1s, uint32_t hosts)
{
    struct topology_config config;
    struct topology_problem problem;
    struct plan fabric;

    topology_config_init(&config);
    config.plane_count = planes;
    config.t0_count = t0s;
    config.t1_count = t1s;
    config.hosts_per_t0 = hosts;
    EXPECT(plan_init(&fabric, &config, NULL, &problem));
    return fabric;
}

SPEC("the example of the uSID plan is the address of vector X3")
{
    struct plan fabric = fabric_of(8, 512, 256, 256);
    struct ipv6_addr outer = plan_outer(&fabric, 5 * 256 + 3, 0x12 * 256 + 7, 0x059c);

    EXPECT_MEM_EQ(outer.octets, vectors_find("X3")->bytes + 24, 16);
}

SPEC("within a T0 an address has the T0 and the host, for any uplink")
{
    struct plan fabric = fabric_of(8, 512, 256, 256);
    struct ipv6_addr expected = ADDRESS(0xfc, 0, 0, 0x42, 0xa4, 0x05, 0xac, 0x07);

    for (uint32_t uplink = 0; uplink < 256; uplink++) {
        struct ipv6_addr outer = plan_outer(&fabric, 5 * 256 + 3, 5 * 256 + 7, 5 << 8 | uplink);

        EXPECT_MEM_EQ(outer.octets, expected.octets, 16);
    }
}

SPEC("a uSID is plane, type and index")
{
    struct plan fabric = fabric_of(8, 512, 256, 256);

    EXPECT_EQ(
        plan_usid(&fabric, &(struct topology_element){ .kind = TOPOLOGY_T0, .plane = 5, .t0 = 5 }),
        0xa405);
    EXPECT_EQ(plan_usid(&fabric,
                  &(struct topology_element){ .kind = TOPOLOGY_T1, .plane = 5, .t1 = 0x9c }),
        0xa89c);
    EXPECT_EQ(plan_usid(&fabric,
                  &(struct topology_element){
                      .kind = TOPOLOGY_HOST_LINK, .plane = 5, .nic = 0x12 * 256 + 7 }),
        0xac07);
}

SPEC("with more than 8 planes, each has a block, and a uSID is type and index")
{
    struct plan fabric = fabric_of(16, 512, 256, 256);
    struct ipv6_addr outer = plan_outer(&fabric, 5 * 256 + 3, 0x12 * 256 + 7, 13 << 8 | 0x9c);
    struct ipv6_addr local = plan_outer(&fabric, 5 * 256 + 3, 5 * 256 + 7, 13 << 8 | 0x9c);

    EXPECT_MEM_EQ(outer.octets,
        ADDRESS(0xfc, 0, 0, 0x4f, 0x20, 0x05, 0x40, 0x9c, 0x20, 0x12, 0x60, 0x07).octets, 16);
    EXPECT_MEM_EQ(local.octets, ADDRESS(0xfc, 0, 0, 0x4f, 0x20, 0x05, 0x60, 0x07).octets, 16);
    EXPECT_EQ(plan_block(&fabric, 13), 0xfc00004f);
    EXPECT_EQ(
        plan_usid(&fabric, &(struct topology_element){ .kind = TOPOLOGY_T0, .plane = 9, .t0 = 5 }),
        0x2005);
    EXPECT_EQ(plan_block(&(struct plan){ .topology = fabric.topology }, 13), 0xfc000042);
}

SPEC("no block of a plane may be that of the NICs, or of multicast")
{
    static const struct {
        uint32_t block;
        uint32_t planes;
        bool fits;
    } cases[] = { { 0x20010db7, 8, true }, { 0x20010db7, 9, false }, { 0x20010da9, 15, true },
        { 0x20010da9, 16, false }, { 0xfefffff8, 8, true }, { 0xfefffff8, 9, false },
        { 0xfefffff0, 16, true } };

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct topology_config config;
        struct topology_problem problem;
        struct plan fabric;

        topology_config_init(&config);
        config.plane_count = cases[i].planes;
        config.usid_block = cases[i].block;
        EXPECT_EQ(plan_init(&fabric, &config, NULL, &problem), cases[i].fits);
        if (!cases[i].fits)
            EXPECT_STR_EQ(problem.member, "usid_block");
    }
}

SPEC("the address of a NIC gives its T0 and downlink")
{
    struct plan fabric = fabric_of(8, 512, 256, 256);
    struct ipv6_addr address = plan_nic_address(&fabric, 511 * 256 + 254);
    uint32_t nic;

    EXPECT_MEM_EQ(address.octets,
        ADDRESS(0x20, 0x01, 0x0d, 0xb8, 0x01, 0xff, 0, 0xfe, 0, 0, 0, 0, 0, 0, 0, 1).octets, 16);
    EXPECT(plan_nic_of(&fabric, &address, &nic));
    EXPECT_EQ(nic, 511 * 256 + 254);
}

SPEC("an address that no NIC has is refused")
{
    struct plan fabric = fabric_of(2, 4, 4, 4);
    struct ipv6_addr good = plan_nic_address(&fabric, 15);
    uint32_t nic;

    for (uint32_t i = 0; i < 16; i++) {
        struct ipv6_addr other = good;

        other.octets[i] ^= 0x40;
        EXPECT(!plan_nic_of(&fabric, &other, &nic));
    }
    good.octets[7] = 4; /* downlink: would be h16 */
    EXPECT(!plan_nic_of(&fabric, &good, &nic));
    good.octets[5] = 2; /* would be h12, spelled otherwise */
    EXPECT(!plan_nic_of(&fabric, &good, &nic));
}

SPEC("a path has four links, within a T0 two")
{
    struct plan fabric = fabric_of(4, 8, 8, 8);
    struct topology_element links[PLAN_LINKS_MAX];
    char name[TOPOLOGY_NAME_BYTES];
    static const char *const names[] = { "h9.p2", "p2.t0.1-t1.5", "p2.t0.7-t1.5", "h63.p2" };

    EXPECT_EQ(plan_links(&fabric, 9, 63, 2 << 8 | 5, links), 4);
    for (uint32_t i = 0; i < 4; i++) {
        topology_name(&links[i], name);
        EXPECT_STR_EQ(name, names[i]);
    }
    EXPECT_EQ(plan_links(&fabric, 9, 10, 2 << 8 | 5, links), 2);
    EXPECT_EQ(links[0].nic, 9);
    EXPECT_EQ(links[1].nic, 10);
}

SPEC("an EV is as wide as the ports of a switch need, or the T1s if there are more")
{
    struct topology_config config;
    struct topology_problem problem;
    struct plan fabric;

    EXPECT_EQ(fabric_of(8, 512, 256, 256).uplink_bits, 8);
    EXPECT_EQ(fabric_of(8, 1024, 512, 512).uplink_bits, 9);
    topology_config_init(&config);
    config.radix = 1024;
    EXPECT(plan_init(&fabric, &config, NULL, &problem));
    EXPECT_EQ(fabric.uplink_bits, 9);
    config.t1_count = 1000;
    EXPECT(plan_init(&fabric, &config, NULL, &problem));
    EXPECT_EQ(fabric.uplink_bits, 10);
}

SPEC("pairs on one T0 have a path per plane, others one per plane and T1")
{
    struct plan fabric = fabric_of(4, 8, 6, 8);
    struct plan_generate local = plan_paths(&fabric, 8, 15);
    struct plan_generate across = plan_paths(&fabric, 8, 16);

    EXPECT_EQ(plan_generate_count(&local), 4);
    EXPECT_EQ(plan_generate_count(&across), 24);
    EXPECT_EQ(across.uplink_bits, 8);
}

SPEC("a T0 routes T1s to its uplinks and hosts to its downlinks, a T1 routes T0s")
{
    struct plan fabric = fabric_of(8, 512, 256, 256);
    struct topology_element t0 = { .kind = TOPOLOGY_T0, .plane = 5, .t0 = 5 };
    struct topology_element t1 = { .kind = TOPOLOGY_T1, .plane = 5, .t1 = 0x9c };
    struct plan_range ranges[PLAN_RANGES_MAX];

    EXPECT_EQ(
        plan_routes(&fabric, topology_switch_index(&fabric.topology, &t0), ranges, PLAN_RANGES_MAX),
        2);
    EXPECT_EQ(ranges[0].first_usid, 0xa800);
    EXPECT_EQ(ranges[0].last_usid, 0xa8ff);
    EXPECT_EQ(ranges[0].first_port, 256);
    EXPECT_EQ(ranges[1].first_usid, 0xac00);
    EXPECT_EQ(ranges[1].last_usid, 0xacff);
    EXPECT_EQ(ranges[1].first_port, 0);
    EXPECT_EQ(
        plan_routes(&fabric, topology_switch_index(&fabric.topology, &t1), ranges, PLAN_RANGES_MAX),
        1);
    EXPECT_EQ(ranges[0].first_usid, 0xa400);
    EXPECT_EQ(ranges[0].last_usid, 0xa5ff);
    EXPECT_EQ(ranges[0].first_port, 0);
}

SPEC("a T0 without T1s has routes only to its hosts")
{
    struct plan fabric = fabric_of(2, 1, 0, 4);
    struct plan_range ranges[PLAN_RANGES_MAX];

    EXPECT_EQ(plan_routes(&fabric, 1, ranges, PLAN_RANGES_MAX), 1);
    EXPECT_EQ(ranges[0].first_usid, 0x2c00);
    EXPECT_EQ(ranges[0].last_usid, 0x2c03);
}
