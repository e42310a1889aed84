/* SPDX-License-Identifier: Apache-2.0 */
/* What a NIC knows of its paths over a graph. */
#include "host/graph_paths.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "graph_bench.h"
#include "plan/plan.h"

static struct graph_bench bench;
static struct plan plan;

/* ZCube(4, 2), described in a file. */
static struct graph_paths *open_for(uint32_t nic)
{
    char path[] = "/tmp/graph_paths_test.XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    struct ipv6_addr self;
    struct topology_problem problem;
    struct topology_config config;
    struct graph_paths *paths = NULL;
    char line[PLAN_TEXT_LINE_BYTES];

    graph_bench_zcube(&bench, 4, 2);
    topology_config_init(&config);
    EXPECT(plan_init_graph(&plan, &config, &bench.graph, 1, bench.scratch, &problem));
    for (uint32_t i = 0; plan_text_line(&plan, i, line); i++)
        fputs(line, file);
    fclose(file);
    self = plan_nic_address(&plan, nic);
    EXPECT_EQ(graph_paths_open(path, &self, &paths), 0);
    unlink(path);
    return paths;
}

static void close_all(struct graph_paths *paths)
{
    graph_paths_close(paths);
    graph_bench_fini(&bench);
}

SPEC("a NIC has the same paths and EVs to its peer as the plan")
{
    struct graph_paths *paths = open_for(6);
    struct ipv6_addr peer = plan_nic_address(&plan, 12);
    uint32_t count =
        plan_pair_routes(&plan, 6, 12, bench.scratch, bench.routes, GRAPH_BENCH_ROUTES);
    struct host_route route;

    EXPECT_EQ(graph_paths_route(paths, &peer, &route), 0);
    EXPECT(route.is_encapsulated);
    EXPECT_EQ(count, 10);
    for (uint32_t i = 0; i < count; i++) {
        struct template_addresses out;

        EXPECT_EQ(
            template_expand(&route.template, plan_ev_path(&plan, bench.routes[i].ev), &out), 1);
        EXPECT(ip_address_equal(&out.destination, &bench.routes[i].outer));
    }
    close_all(paths);
}

SPEC(
    "the minimal path comes first among the EVs of a port, weighs more and is shorter than detours")
{
    struct graph_paths *paths = open_for(6);
    struct ipv6_addr address = plan_nic_address(&plan, 12);
    struct graph_paths_peer *peer = graph_paths_find(paths, &address);
    struct path_entry entries[PLAN_PORT_PATHS];
    struct prng prng = prng_stream(1, 1);

    EXPECT(graph_paths_cross(paths));
    EXPECT_EQ(graph_paths_count(peer), 10);
    EXPECT_EQ(graph_paths_entries(paths, peer, 1, entries, &prng), 5);
    EXPECT_EQ(entries[0].ev, 0x100);
    EXPECT_EQ(entries[0].plane, 1);
    EXPECT_EQ(entries[0].extra, 0);
    for (uint32_t i = 1; i < 5; i++) {
        EXPECT(entries[i].weight < entries[0].weight);
        EXPECT_GT(entries[i].extra, 0);
    }
    EXPECT(graph_paths_find(paths, &address) == peer);
    close_all(paths);
}

SPEC("an address of no NIC has no paths, and a NIC must be part of its graph")
{
    struct graph_paths *paths = open_for(6);
    struct graph_paths *other = NULL;
    struct ipv6_addr stranger = { { 0x20, 0x01, 0x0d, 0xb8, 0, 99 } };
    struct host_route route;

    EXPECT(!graph_paths_find(paths, &stranger));
    EXPECT_EQ(graph_paths_route(paths, &stranger, &route), -EHOSTUNREACH);
    EXPECT_EQ(graph_paths_open("/dev/null", &stranger, &other), -EINVAL);
    EXPECT_EQ(graph_paths_open("/no/such/file", &stranger, &other), -ENOENT);
    close_all(paths);
}
