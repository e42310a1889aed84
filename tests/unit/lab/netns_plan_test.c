/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that build a namespace fabric. */
#include "lab/netns_plan.h"

#include <stdlib.h>
#include <string.h>

#include "graph_bench.h"
#include "spec.h"

struct world {
    struct topology_exception exceptions[1];
    struct plan fabric;
    struct netns netns;
    char *text;
    size_t size;
    FILE *lines;
};

/* 2 planes, 2 T0s, 2 T1s, 4 hosts; one cable is missing. */
static void begin(struct world *world, bool is_kernel)
{
    struct topology_exception missing = {
        .link = { .kind = TOPOLOGY_UPLINK, .plane = 1, .t0 = 0, .t1 = 1 }, .missing = true
    };
    struct topology_config config;
    struct topology_problem problem;

    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = 2;
    config.t1_count = 2;
    config.hosts_per_t0 = 2;
    config.exceptions = &missing;
    config.exception_count = 1;
    EXPECT(plan_init(&world->fabric, &config, world->exceptions, &problem));
    world->netns = (struct netns){
        .fabric = &world->fabric, .prefix = "lab", .is_kernel = is_kernel, .slower = 1
    };
    world->lines = open_memstream(&world->text, &world->size);
}

static void end(struct world *world)
{
    free(world->text);
}

static bool has_line(const struct world *world, const char *wanted)
{
    const char *at = strstr(world->text, wanted);

    return at && (at == world->text || at[-1] == '\n') && at[strlen(wanted)] == '\n';
}

static uint32_t count_of(const struct world *world, const char *part)
{
    uint32_t count = 0;

    for (const char *at = world->text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

SPEC("there is a namespace for each host, each switch and the management network")
{
    struct world world;

    begin(&world, false);
    netns_plan_spaces(&world.netns, world.lines);
    fclose(world.lines);
    EXPECT_EQ(count_of(&world, "netns add lab-"), 4 + 8 + 1);
    EXPECT(has_line(&world, "netns add lab-h3"));
    EXPECT(has_line(&world, "netns add lab-p1.t1.1"));
    EXPECT(has_line(&world, "netns add lab-mgmt"));
    end(&world);
}

SPEC("each cable is created once, directly in both namespaces, with known MAC addresses")
{
    struct world world;

    begin(&world, false);
    netns_plan_cables(&world.netns, world.lines);
    fclose(world.lines);
    EXPECT_EQ(count_of(&world, "mtu 9216"), 2 * (8 + 8 - 1));
    EXPECT(has_line(&world,
        "link add name d1 address 06:00:00:05:00:01 mtu 9216 netns lab-p1.t0.1 type veth peer "
        "name p1 address 02:01:00:00:00:03 mtu 9216 netns lab-h3"));
    EXPECT(has_line(&world,
        "link add name u1 address 06:00:00:01:00:03 mtu 9216 netns lab-p0.t0.1 type veth peer "
        "name d1 address 06:00:00:03:00:01 mtu 9216 netns lab-p0.t1.1"));
    EXPECT(
        has_line(&world, "link add name mgmt netns lab-h2 type veth peer name h2 netns lab-mgmt"));
    EXPECT_EQ(count_of(&world, "netns lab-p1.t1.1"), 1); /* its other cable is missing */
    end(&world);
}

/* ZCube(2, 2): 4 hosts with 2 ports, 2 levels of 2 switches. */
static void begin_graph(struct world *world, struct graph_bench *bench)
{
    struct topology_problem problem;
    struct topology_config config;

    graph_bench_zcube(bench, 2, 2);
    topology_config_init(&config);
    EXPECT(plan_init_graph(&world->fabric, &config, &bench->graph, 1, bench->scratch, &problem));
    world->netns =
        (struct netns){ .fabric = &world->fabric, .prefix = "lab", .is_kernel = true, .slower = 1 };
    world->lines = open_memstream(&world->text, &world->size);
}

SPEC("each cable of a graph is created once")
{
    struct graph_bench bench;
    struct world world;

    begin_graph(&world, &bench);
    netns_plan_cables(&world.netns, world.lines);
    fclose(world.lines);
    EXPECT_EQ(count_of(&world, "mtu 9216"), 2 * (8 + 4));
    EXPECT(has_line(&world,
        "link add name u1 address 06:00:00:01:00:03 mtu 9216 netns lab-p0.t0.1 type veth peer "
        "name d3 address 06:00:00:03:00:03 mtu 9216 netns lab-p0.t1.1"));
    end(&world);
    graph_bench_fini(&bench);
}

SPEC("a switch of a graph has routes to its hosts and to all its neighbours")
{
    struct graph_bench bench;
    struct world world;

    begin_graph(&world, &bench);
    netns_plan_switch(&world.netns, 2, world.lines);
    fclose(world.lines);
    EXPECT_EQ(count_of(&world, "via fe80::1"), 4);
    EXPECT(has_line(&world, "route replace fc00:42:c01::/48 via fe80::1 dev d1"));
    EXPECT(has_line(&world, "route replace fc00:42:401::/48 via fe80::1 dev d3"));
    end(&world);
    graph_bench_fini(&bench);
}

SPEC("a host has its address, its planes and an IPv4 address")
{
    struct world world;

    begin(&world, false);
    netns_plan_host(&world.netns, 3, world.lines);
    fclose(world.lines);
    EXPECT(has_line(&world, "addr replace 2001:db8:1:1::1/128 dev lo nodad"));
    EXPECT(has_line(&world, "link set dev p0 up"));
    EXPECT(has_line(&world, "link set dev p1 up"));
    EXPECT(has_line(&world, "addr replace 10.99.0.4/16 dev mgmt"));
    end(&world);
}

SPEC("mrc switch needs no routes")
{
    struct world world;

    begin(&world, false);
    netns_plan_switch(&world.netns, 0, world.lines);
    fclose(world.lines);
    EXPECT_EQ(count_of(&world, "route"), 0);
    EXPECT_EQ(count_of(&world, "link set dev"), 1 + 4);
    end(&world);
}

SPEC("a T0 run by the kernel shifts its own uSID and has routes to those of its neighbours")
{
    struct world world;

    begin(&world, true);
    netns_plan_switch(&world.netns, 5, world.lines); /* p1.t0.1 */
    fclose(world.lines);
    EXPECT(has_line(&world, "route replace fc00:42:2401::/48 encap seg6local action End count "
                            "flavors next-csid lblen 32 nflen 16 dev sid"));
    EXPECT(has_line(&world, "route replace fc00:42:2801::/48 via fe80::1 dev u1"));
    EXPECT(has_line(&world, "route replace fc00:42:2c00::/48 via fe80::1 dev d0"));
    EXPECT(has_line(&world, "neigh replace fe80::1 lladdr 02:01:00:00:00:02 dev d0 nud permanent"));
    EXPECT_EQ(count_of(&world, "route replace"), 1 + 4);
    end(&world);
}

SPEC("there is no route over a missing cable")
{
    struct world world;

    begin(&world, true);
    netns_plan_switch(&world.netns, 7, world.lines); /* p1.t1.1 */
    fclose(world.lines);
    EXPECT_EQ(count_of(&world, "dev d0"), 0);
    EXPECT(has_line(&world, "route replace fc00:42:2401::/48 via fe80::1 dev d1"));
    end(&world);
}
