/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule: every link in every period, ways that fit an address, one-way probes. */
#include "prober.h"

#include <arpa/inet.h>

#include "graph_bench.h"

enum { UP = 1, DOWN = 2 };

static struct prober prober;

/* Returns the directions in which the probes of a period cross a link, as bits. */
static void cross_links(uint64_t period, uint8_t *crossed)
{
    const struct topology *topology = &prober.plan.topology;
    struct map_probe probe;

    memset(crossed, 0, prober.map.link_count);
    for (uint32_t nic = 0; nic < topology->nic_count; nic++)
        for (uint32_t port = 0; port < topology->config.plane_count; port++) {
            uint32_t count = map_schedule_count(&prober.map.schedule, nic, port);

            for (uint32_t number = 0; number < count; number++) {
                struct map_slot slot = { nic, port, period, number };
                struct map_steps steps;

                if (!map_schedule_at(&prober.map.schedule, &slot, &probe))
                    continue;
                steps = map_schedule_steps(&prober.map.schedule, &slot, &probe);
                for (uint32_t i = 0; i < steps.count; i++)
                    crossed[steps.at[i].link] |= steps.at[i].goes_up ? UP : DOWN;
            }
        }
}

static uint32_t uncrossed(uint64_t period)
{
    uint8_t *crossed = calloc(prober.map.link_count, 1);
    uint32_t count = 0;

    cross_links(period, crossed);
    for (uint32_t i = 0; i < prober.map.link_count; i++)
        count += crossed[i] != (UP | DOWN);
    free(crossed);
    return count;
}

static void expect_covered(uint32_t t0_count, uint32_t t1_count, uint32_t hosts_per_t0)
{
    prober_open(&prober, t0_count, t1_count, hosts_per_t0);
    for (uint64_t period = 0; period < 20; period++)
        EXPECT_EQ(uncrossed(period), 0);
    prober_close(&prober);
}

SPEC("every link is crossed in both directions in every period")
{
    expect_covered(8, 8, 8);
    expect_covered(4, 8, 3);
    expect_covered(6, 2, 16);
    expect_covered(2, 2, 1);
    expect_covered(1, 0, 4);
}

SPEC("in a Clos of three tiers, links between switches without NICs are crossed as well")
{
    struct graph_bench bench = { 0 };
    struct graph_clos clos = { .plane_count = 1,
        .tier_count = 3,
        .units = { 2, 2, 4 },
        .tops = { 1, 2, 4 },
        .host_link = graph_bench_link,
        .uplink = graph_bench_link };
    struct topology_config config;
    struct topology_problem problem;

    graph_bench_clos(&bench, &clos);
    topology_config_init(&config);
    EXPECT(plan_init_graph(&prober.plan, &config, &bench.graph, 0, bench.scratch, &problem));
    prober_open_plan(&prober);
    EXPECT_EQ(prober.map.schedule.uncovered, 0);
    for (uint64_t period = 0; period < 20; period++)
        EXPECT_EQ(uncrossed(period), 0);
    prober_close(&prober);
    graph_bench_fini(&bench);
}

static void expect_outer(uint32_t number, enum map_probe_kind kind, const char *text)
{
    struct map_slot slot = { .nic = 5, .port = 1, .period = 0, .number = number };
    struct ipv6_addr outer;
    struct map_probe probe;
    char got[INET6_ADDRSTRLEN];

    EXPECT(map_schedule_at(&prober.map.schedule, &slot, &probe));
    EXPECT_EQ(probe.kind, kind);
    outer = plan_trail_outer(&prober.plan, &probe.trail);
    inet_ntop(AF_INET6, outer.octets, got, sizeof(got));
    EXPECT_STR_EQ(got, text);
}

SPEC("a loop has six uSIDs: T0 a, T1 j, T0 b, T1 j', T0 a, host")
{
    prober_open(&prober, 4, 4, 4);
    expect_outer(0, MAP_NEAR, "fc00:42:2401:2c01::");
    expect_outer(1, MAP_FAR, "fc00:42:2401:2801:2401:2c01::");
    expect_outer(2, MAP_LOOP, "fc00:42:2401:2801:2402:2802:2401:2c01");
    expect_outer(3, MAP_ONE_WAY, "fc00:42:2401:2c02::");
    prober_close(&prober);
}

SPEC("a port knows which one-way probe arrives at it")
{
    struct map_slot incoming;
    struct map_probe probe;

    prober_open(&prober, 4, 4, 4);
    for (uint64_t period = 0; period < 10; period++) {
        EXPECT(map_schedule_incoming(&prober.map.schedule, 6, 1, period, &incoming));
        EXPECT(map_schedule_at(&prober.map.schedule, &incoming, &probe));
        EXPECT_EQ(probe.kind, MAP_ONE_WAY);
        EXPECT_EQ(probe.to_nic, 6);
        EXPECT_EQ(probe.to_port, 1);
    }
    prober_close(&prober);
}
