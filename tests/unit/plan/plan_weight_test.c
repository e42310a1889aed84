/* SPDX-License-Identifier: Apache-2.0 */
/* What paths of a pair shall carry. */
#include "graph_bench.h"

#include <string.h>

enum { ROUTES = 32, GBPS = 1000000000 };

static struct plan_route routes[ROUTES];
static uint64_t weights[2 * ROUTES];
static struct graph_bench bench;

/* A path over these switches, on a plane: links of 100 Gb/s, a port for each next node. */
static struct plan_route *add_route(uint32_t index, uint32_t plane, const char *switches)
{
    struct plan_route *route = &routes[index];

    *route = (struct plan_route){ .ev = plane << 8 | index,
        .switch_count = (uint32_t)strlen(switches),
        .hops = { { 0, plane } } };
    for (uint32_t i = 0; i <= route->switch_count; i++) {
        if (i > 0)
            route->hops[i] = (struct graph_end){ .node = 1000 * plane + (uint8_t)switches[i - 1],
                .port = (uint8_t)switches[i] };
        route->link_bps[i] = UINT64_C(100) * GBPS;
    }
    return route;
}

/* Two planes with four T1s. */
static void two_planes(void)
{
    static const char *const over[] = { "aqb", "arb", "asb", "atb" };

    for (uint32_t i = 0; i < 8; i++)
        add_route(i, i / 4, over[i % 4]);
}

static void expect_weights(uint32_t count, const uint8_t *expected)
{
    plan_weigh(routes, count, weights);
    for (uint32_t i = 0; i < count; i++)
        EXPECT_EQ(weights[i], expected[i]);
}

SPEC("equal paths have the usual weight")
{
    two_planes();
    expect_weights(8, (const uint8_t[]){ 240, 240, 240, 240, 240, 240, 240, 240 });
}

SPEC("a path over a link of a quarter of the rate gets a quarter, at either end")
{
    two_planes();
    routes[1].link_bps[1] /= 4;
    routes[2].link_bps[2] /= 2;
    plan_weigh(routes, 8, weights);
    EXPECT_EQ(weights[0], 240);
    EXPECT_EQ(weights[1], 60);
    EXPECT_EQ(weights[2], 120);
    EXPECT_EQ(weights[3], 240);
}

SPEC("a plane whose links still carry the rate of its port has an equal share")
{
    two_planes();
    routes[1].link_bps[1] /= 4;
    routes[2].link_bps[2] /= 2;
    plan_weigh(routes, 8, weights);
    for (uint32_t i = 4; i < 8; i++) /* 100 Gb/s over 4 paths, and over 2.75 */
        EXPECT_EQ(weights[i], (240 * 275 + 200) / 400);
}

SPEC("a slow port of either NIC reduces the share of its plane")
{
    two_planes();
    for (uint32_t i = 4; i < 8; i++)
        routes[i].link_bps[0] /= 4;
    expect_weights(8, (const uint8_t[]){ 240, 240, 240, 240, 60, 60, 60, 60 });
    two_planes();
    for (uint32_t i = 0; i < 4; i++)
        routes[i].link_bps[3] /= 2;
    expect_weights(8, (const uint8_t[]){ 120, 120, 120, 120, 240, 240, 240, 240 });
}

SPEC("a plane with fewer paths than its port can use has the share that they carry")
{
    two_planes();
    for (uint32_t i = 4; i < 8; i++)
        routes[i].link_bps[1] /= 8; /* 12.5 Gb/s each, 50 together */
    expect_weights(8, (const uint8_t[]){ 240, 240, 240, 240, 120, 120, 120, 120 });
}

SPEC("paths that share a link share its rate")
{
    add_route(0, 0, "apzb");
    add_route(1, 0, "aqxb");
    add_route(2, 0, "aqyb");
    expect_weights(3, (const uint8_t[]){ 240, 120, 120 });
    add_route(0, 0, "axqb"); /* the last link of two */
    add_route(1, 0, "ayqb");
    add_route(2, 0, "apzb");
    expect_weights(3, (const uint8_t[]){ 120, 120, 240 });
}

/* In the first plane, the second of four T1s lacks three of its seven links to other T0s. */
static void with_others(uint32_t t0_count)
{
    two_planes();
    for (uint32_t i = 0; i < 8; i++) {
        routes[i].middle_links = t0_count - 1 - (i == 1 ? 3 : 0);
        routes[i].middle_bps = routes[i].middle_links * UINT64_C(100) * GBPS;
    }
}

SPEC("a T1 without links to other T0s has more capacity for this receiver, the more T0s there are")
{
    with_others(8); /* 3/8 + 5/8 * 7/4 */
    plan_weigh(routes, 8, weights);
    EXPECT_EQ(weights[1], 240);
    for (uint32_t i = 0; i < 4; i++)
        if (i != 1)
            EXPECT_EQ(weights[i], 163); /* 240 * 32 / 47 */
    with_others(32);                    /* 3/32 + 29/32 * 31/28 */
    plan_weigh(routes, 8, weights);
    EXPECT_EQ(weights[0], 219);
    EXPECT_EQ(weights[1], 240);
}

SPEC("slow links to other T0s count as missing, and slow links of the pair with their rate")
{
    with_others(8);
    routes[1].middle_links = 7; /* at the same rate together */
    plan_weigh(routes, 8, weights);
    EXPECT_EQ(weights[0], 163);
    routes[1].middle_bps = routes[0].middle_bps;
    routes[1].link_bps[1] /= 2;
    plan_weigh(routes, 8, weights);
    EXPECT_EQ(weights[1], 120);
    routes[1].link_bps[2] /= 2; /* 3/8 * 1/2 + 5/8 * 1/4: both share a T1 with faster ones */
    plan_weigh(routes, 8, weights);
    EXPECT_EQ(weights[1], 82);
}

SPEC("with three T0s or fewer, links to other T0s do not count")
{
    with_others(8);
    for (uint32_t i = 0; i < 8; i++)
        routes[i].middle_links = 2 - (i == 1);
    expect_weights(8, (const uint8_t[]){ 240, 240, 240, 240, 240, 240, 240, 240 });
}

SPEC("longer paths have an eighth together where shorter ones fill the port, else the rest")
{
    add_route(0, 0, "ab");
    add_route(1, 0, "axb");
    add_route(2, 0, "ayb");
    expect_weights(3, (const uint8_t[]){ 240, 15, 15 });
    routes[0].link_bps[1] = UINT64_C(50) * GBPS;
    expect_weights(3, (const uint8_t[]){ 240, 120, 120 });
}

SPEC("paths from two ports to one port of the receiver share its rate")
{
    add_route(0, 0, "a");
    add_route(1, 1, "xb");
    add_route(2, 1, "xyb");
    routes[1].hops[2] = routes[0].hops[1]; /* arrives where the first does */
    expect_weights(3, (const uint8_t[]){ 240, 1, 240 });
}

SPEC("in a ZCube the shortest path of a port has most of the weight, and detours have little")
{
    uint32_t count;

    graph_bench_zcube(&bench, 4, 2);
    count = graph_bench_routes(&bench, 6, 12, 1);
    EXPECT_LE(count, ROUTES);
    EXPECT_EQ(count, 10);
    plan_weigh(bench.routes, count, weights);
    for (uint32_t i = 0; i < count; i++)
        EXPECT_EQ(weights[i], bench.routes[i].switch_count == 2 ? 240 : 8);
    graph_bench_fini(&bench);
}

SPEC("a profile gets the weights of its EVs, and the least weight for an EV that is not a path")
{
    struct path_entry entries[3];
    struct path_profile profile;

    two_planes();
    routes[2].link_bps[1] /= 4;
    entries[0] = (struct path_entry){ .ev = routes[2].ev };
    entries[1] = (struct path_entry){ .ev = routes[3].ev };
    entries[2] = (struct path_entry){ .ev = 99 };
    EXPECT(path_profile_explicit(&profile, entries, 3, 1));
    plan_weigh_profile(routes, 8, weights, &profile);
    EXPECT_EQ(entries[0].weight, 60);
    EXPECT_EQ(entries[0].turns, 64);
    EXPECT_EQ(entries[1].weight, 240);
    EXPECT_EQ(entries[2].weight, 1);
    EXPECT(profile.is_weighted);
}

SPEC("the relative length of a path is that to the mean, weighted by what paths carry")
{
    two_planes();
    for (uint32_t i = 0; i < 8; i++) {
        routes[i].one_way_ps = i < 4 ? UINT64_C(4000000) : UINT64_C(7200000);
        weights[i] = i < 4 ? 240 : 80;
    }
    EXPECT_EQ(plan_mean_ps(routes, 8, weights), 4800000);
    EXPECT_EQ(plan_fastest_ps(routes, 8), 4000000);
    EXPECT_EQ(plan_extra(&routes[0], 4800000), -12);
    EXPECT_EQ(plan_extra(&routes[7], 4800000), 37);
    EXPECT_EQ(plan_extra(&routes[7], 0), 112);
    routes[7].one_way_ps = UINT64_C(1) << 60;
    EXPECT_EQ(plan_extra(&routes[7], 0), INT16_MAX);
    EXPECT_EQ(plan_mean_ps(routes, 0, weights), 0);
}
