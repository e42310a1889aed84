/* SPDX-License-Identifier: Apache-2.0 */
/* uSIDs, paths and addresses of graphs in numbers. */
#include "graph_bench.h"

#include <arpa/inet.h>
#include <string.h>

static struct graph_bench bench;

static void expect_address(uint32_t route, const char *text)
{
    char got[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, bench.routes[route].outer.octets, got, sizeof(got));
    EXPECT_STR_EQ(got, text);
}

static bool has_address(uint32_t count, const char *text)
{
    struct ipv6_addr wanted;

    EXPECT_EQ(inet_pton(AF_INET6, text, wanted.octets), 1);
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(bench.routes[i].outer.octets, wanted.octets, 16) == 0)
            return true;
    return false;
}

static struct graph_clos fat_tree(uint32_t k)
{
    return (struct graph_clos){ .plane_count = 1,
        .tier_count = 3,
        .units = { k / 2, k / 2, k },
        .tops = { 1, k / 2, k * k / 4 },
        .host_link = graph_bench_link,
        .uplink = graph_bench_link };
}

SPEC("a fat tree of 4 ports has 16 NICs, 8 T0s, 8 T1s, 4 T2s and 4 paths between pods")
{
    struct graph_clos clos = fat_tree(4);
    uint32_t count;

    graph_bench_clos(&bench, &clos);
    EXPECT_EQ(bench.graph.size.nic_count, 16);
    EXPECT_EQ(graph_count(&bench.graph, 0, 0), 8);
    EXPECT_EQ(graph_count(&bench.graph, 1, 0), 8);
    EXPECT_EQ(graph_count(&bench.graph, 2, 0), 4);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 3, 0), 2);
    bench.plan.layout = PLAN_LAYOUT_PLANE_BLOCK;
    count = graph_bench_routes(&bench, 0, 15, 0);
    EXPECT_EQ(count, 4);
    EXPECT_EQ(bench.routes[2].usid_count, 6);
    expect_address(2, "fc00:42:2000:4001:a002:4007:2007:6001");
    EXPECT(has_address(graph_bench_routes(&bench, 0, 3, 0), "fc00:42:2000:4001:2001:6001::"));
    graph_bench_fini(&bench);
}

SPEC("65,536 NICs on three tiers take 5,120 switches of 64 ports and wide uSIDs")
{
    struct graph_clos clos = fat_tree(64);

    graph_bench_clos(&bench, &clos);
    EXPECT_EQ(bench.graph.size.nic_count, 65536);
    EXPECT_EQ(bench.graph.size.switch_count, 5120);
    EXPECT_EQ(bench.plan.layout, PLAN_LAYOUT_PLANE_BLOCK);
    graph_bench_fini(&bench);
}

SPEC("four tiers use the short form: four switches up, the last T0, the downlink")
{
    struct graph_clos clos = { .plane_count = 2,
        .tier_count = 4,
        .units = { 2, 2, 2, 2 },
        .tops = { 1, 2, 4, 8 },
        .host_link = graph_bench_link,
        .uplink = graph_bench_link };

    graph_bench_clos(&bench, &clos);
    EXPECT_EQ(bench.graph.size.nic_count, 16);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 15, 0), 2 * 8);
    EXPECT_EQ(bench.routes[0].switch_count, 7);
    EXPECT_EQ(bench.routes[0].usid_count, 6);
    expect_address(0, "fc00:42:400:800:1400:1800:407:c01");
    graph_bench_fini(&bench);
}

SPEC("parallel links are separate paths, and each has a uSID")
{
    struct graph_clos clos = { .plane_count = 1,
        .tier_count = 2,
        .units = { 2, 2 },
        .tops = { 1, 2 },
        .parallel = { 0, 3 },
        .host_link = { .rate_bps = UINT64_C(800000000000), .delay_ps = 1 },
        .uplink = graph_bench_link };

    graph_bench_clos(&bench, &clos);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 3, 0), 2 * 3 * 3);
    EXPECT_EQ(bench.routes[0].rate_bps, UINT64_C(100000000000));
    EXPECT(has_address(18, "fc00:42:400:800:401:c01::"));
    EXPECT(has_address(18, "fc00:42:400:802:403:c01::"));
    EXPECT(has_address(18, "fc00:42:400:805:405:c01::"));
    graph_bench_fini(&bench);
}

SPEC("rails: a group has a leaf per rail; spines join groups and rails")
{
    struct graph_rail rail = { .rail_count = 8,
        .group_count = 8,
        .servers_per_group = 16,
        .spine_count = 32,
        .plane_count = 1,
        .host_link = graph_bench_link,
        .uplink = graph_bench_link };
    uint32_t from = (2 * 16 + 3) * 8 + 5;

    graph_bench_rail(&bench, &rail);
    EXPECT_EQ(bench.graph.size.nic_count, 1024);
    EXPECT_EQ(bench.graph.size.switch_count, 64 + 32);
    EXPECT_EQ(graph_bench_routes(&bench, from, from + 8, 0), 1);
    EXPECT_EQ(graph_bench_routes(&bench, from, (6 * 16 + 9) * 8 + 1, 0), 32);
    expect_address(30, "fc00:42:415:81e:431:c09::");
    graph_bench_fini(&bench);
}

SPEC("a Clos with rails is rail-optimised, also with three tiers")
{
    struct graph_clos two_tiers = { .plane_count = 1,
        .tier_count = 2,
        .units = { 16, 64 },
        .tops = { 1, 32 },
        .rail_count = 8,
        .host_link = graph_bench_link,
        .uplink = graph_bench_link };
    struct graph_clos three_tiers = fat_tree(4);
    uint32_t from = (2 * 16 + 3) * 8 + 5;

    graph_bench_clos(&bench, &two_tiers);
    EXPECT_EQ(graph_bench_routes(&bench, from, from + 8, 0), 1);
    EXPECT_EQ(graph_bench_routes(&bench, from, (6 * 16 + 9) * 8 + 1, 0), 32);
    expect_address(30, "fc00:42:415:81e:431:c09::");
    graph_bench_fini(&bench);

    three_tiers.rail_count = 8;
    graph_bench_clos(&bench, &three_tiers);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 8, 0), 1);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 1, 0), 2);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 9, 0), 2);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 7, 0), 4);
    graph_bench_fini(&bench);
}

SPEC("rail-only: a rail is a plane, and there is no path between rails")
{
    struct graph_rail rail = { .rail_count = 8,
        .group_count = 16,
        .servers_per_group = 32,
        .spine_count = 16,
        .plane_count = 1,
        .is_rail_only = true,
        .host_link = graph_bench_link,
        .uplink = graph_bench_link };
    uint32_t from = 4 * 32 * 8 + 5;

    graph_bench_rail(&bench, &rail);
    EXPECT_EQ(graph_bench_routes(&bench, from, from + 1, 0), 0);
    EXPECT_EQ(graph_bench_routes(&bench, from, (11 * 32 + 17) * 8 + 5, 0), 16);
    expect_address(9, "fc00:42:a404:a809:a40b:ac11::");
    graph_bench_fini(&bench);
}

SPEC("dual plane: 60 aggregation switches a plane give 120 paths")
{
    struct graph_rail rail = { .rail_count = 8,
        .group_count = 15,
        .servers_per_group = 136,
        .spine_count = 60,
        .plane_count = 2,
        .host_link = graph_bench_link,
        .uplink = graph_bench_link };

    graph_bench_rail(&bench, &rail);
    EXPECT_EQ(graph_bench_routes(&bench, 3 * 136 * 8 + 2, (7 * 136 + 100) * 8 + 2, 0), 120);
    EXPECT_EQ(bench.routes[60 + 41].ev, 0x129);
    expect_address(60 + 41, "fc00:42:241a:2829:243a:2c64::");
    graph_bench_fini(&bench);
}

SPEC("ZCube(4, 2): two minimal paths, and detours over every switch of the other level")
{
    uint32_t count;

    graph_bench_zcube(&bench, 4, 2);
    EXPECT_EQ(bench.graph.size.switch_count, 8);
    EXPECT_EQ(bench.graph.link_count, 48);
    bench.plan.layout = PLAN_LAYOUT_PLANE_BLOCK;
    EXPECT_EQ(graph_bench_routes(&bench, 1 * 4 + 2, 3 * 4 + 0, 0), 2);
    expect_address(0, "fc00:42:2001:4000:6003::");
    expect_address(1, "fc00:42:4002:2003:6000::");
    count = graph_bench_routes(&bench, 1 * 4 + 2, 3 * 4 + 0, 1);
    EXPECT_EQ(count, 2 + 2 * 4);
    EXPECT(has_address(count, "fc00:42:2001:4001:2003:6000::"));
    graph_bench_fini(&bench);
}

SPEC("disjoint paths share no link between switches; ports take turns, short paths first")
{
    uint32_t count;

    graph_bench_zcube(&bench, 4, 2);
    bench.plan.layout = PLAN_LAYOUT_PLANE_BLOCK;
    bench.plan.choice = PLAN_CHOICE_DISJOINT;
    count = graph_bench_routes(&bench, 1 * 4 + 2, 3 * 4 + 0, 1);
    EXPECT_EQ(count, 6); /* of the 4 detours of a port, two cross a link of a minimal path */
    expect_address(0, "fc00:42:2001:4000:6003::");
    expect_address(1, "fc00:42:2001:4001:2003:6000::");
    expect_address(2, "fc00:42:2001:4003:2003:6000::");
    expect_address(3, "fc00:42:4002:2003:6000::");
    EXPECT_EQ(bench.routes[2].ev, 0x002);
    EXPECT_EQ(bench.routes[3].ev, 0x100);
    EXPECT_EQ(bench.routes[5].ev, 0x102);
    EXPECT_EQ(graph_bench_routes(&bench, 1 * 4 + 2, 3 * 4 + 0, 0), 2);
    graph_bench_fini(&bench);
}

SPEC("ZCube(2, 3): 12 switches, digits are corrected upward or downward")
{
    uint32_t count;

    graph_bench_zcube(&bench, 2, 3);
    EXPECT_EQ(bench.graph.size.switch_count, 12);
    EXPECT_EQ(bench.graph.link_count, 24 + 16);
    bench.plan.layout = PLAN_LAYOUT_PLANE_BLOCK;
    count = graph_bench_routes(&bench, 3, 4, 0);
    EXPECT(has_address(count, "fc00:42:2001:4000:a000:6001::"));
    EXPECT(has_address(count, "fc00:42:a003:4003:2002:6000::"));
    graph_bench_fini(&bench);
}

static void expect_refusal(uint32_t plane_count, uint32_t leaf_pairs, const char *reason)
{
    struct graph_clos clos = { .plane_count = plane_count,
        .tier_count = 3,
        .units = { 1, leaf_pairs, 2 },
        .tops = { 1, 1, 1 },
        .host_link = graph_bench_link,
        .uplink = graph_bench_link };
    struct graph_parameters parameters = graph_bench_clos_parameters(&clos);
    struct plan_graph plan = { .graph = &bench.graph };

    graph_bench_build(&bench, &parameters);
    EXPECT(graph_finish(&bench.graph, bench.scratch, &bench.problem));
    EXPECT(!plan_graph_choose(&plan, &bench.problem));
    EXPECT_STR_EQ(bench.problem.reason, reason);
    graph_bench_fini(&bench);
}

SPEC("a graph with more nodes than the wider layout can name is refused with figures")
{
    expect_refusal(1, 4097,
        "planes: 1, switches or downlinks of a kind: 8194; uSIDs have room for 16 and 8192");
}

SPEC("a graph with more switches than the addresses of NICs can name is refused with figures")
{
    expect_refusal(9, 4000, "switches: 72027; addresses of NICs have room for 65536");
}

/* ---- paths longer than an address ------------------------------------------------------------ */

static void expect_segment(uint32_t route, const char *text)
{
    char got[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, bench.routes[route].segment.octets, got, sizeof(got));
    EXPECT_STR_EQ(got, text);
}

SPEC("five switches and the downlink fill an address, and need no SRH")
{
    graph_bench_chain(&bench, 12, false);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 4, 0), 1);
    expect_address(0, "fc00:42:400:401:402:403:404:c00");
    expect_segment(0, "::");
    EXPECT_EQ(plan_route_srh_bytes(&bench.routes[0]), 0);
    graph_bench_fini(&bench);
}

SPEC("six to eleven switches need an SRH, which begins behind the sixth uSID")
{
    graph_bench_chain(&bench, 12, false);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 5, 0), 1);
    expect_address(0, "fc00:42:400:401:402:403:404:405");
    expect_segment(0, "fc00:42:c00::");
    EXPECT_EQ(graph_bench_routes(&bench, 0, 7, 0), 1);
    expect_segment(0, "fc00:42:406:407:c00::");
    EXPECT_EQ(graph_bench_routes(&bench, 11, 1, 0), 1);
    expect_address(0, "fc00:42:40b:40a:409:408:407:406");
    expect_segment(0, "fc00:42:405:404:403:402:401:c00");
    EXPECT_EQ(bench.routes[0].usid_count, 12);
    EXPECT_EQ(plan_route_srh_bytes(&bench.routes[0]), 24);
    graph_bench_fini(&bench);
}

SPEC("a path over twelve switches is omitted")
{
    graph_bench_chain(&bench, 12, false);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 11, 0), 0);
    graph_bench_fini(&bench);
}

SPEC("a port with paths that fit an address uses no other: detours cost no SRH")
{
    graph_bench_chain(&bench, 10, true);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 4, 2), 1);
    EXPECT_EQ(bench.routes[0].switch_count, 5);
    EXPECT_EQ(graph_bench_routes(&bench, 0, 5, 0), 2);
    EXPECT_EQ(bench.routes[0].switch_count, 6);
    EXPECT_EQ(bench.routes[1].switch_count, 6);
    graph_bench_fini(&bench);
}

SPEC("an SRH takes its time on each link")
{
    uint64_t short_ps;

    graph_bench_chain(&bench, 12, false);
    graph_bench_routes(&bench, 0, 4, 0);
    short_ps = bench.routes[0].one_way_ps;
    graph_bench_routes(&bench, 0, 5, 0);
    /* One more switch and link, 4262 bytes at 80 ps each; 24 bytes on each of 7 links. */
    EXPECT_EQ(bench.routes[0].one_way_ps - short_ps, 500000 + 500000 + 4262 * 80 + 7 * 24 * 80);
    graph_bench_fini(&bench);
}
