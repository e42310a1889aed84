/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of all generators, over random parameters. */
#include "graph_random.h"

#include "base/prng.h"

PROPERTY("a generator makes as many nodes and links as its formula says", 200)
{
    struct prng prng = prng_stream(seed, 0);
    struct graph_bench bench;

    graph_random(&bench, &prng);
    EXPECT_EQ(bench.graph.node_count, bench.graph.size.nic_count + bench.graph.size.switch_count);
    EXPECT_EQ(bench.graph.link_count, bench.graph.size.link_count);
    graph_bench_fini(&bench);
}

PROPERTY("the neighbour of a port's neighbour is the port", 200)
{
    struct prng prng = prng_stream(seed, 1);
    struct graph_bench bench;

    graph_random(&bench, &prng);
    for (uint32_t node = 0; node < bench.graph.node_count; node++)
        for (uint32_t port = 0; port < bench.graph.nodes[node].port_count; port++) {
            struct graph_end there;
            struct graph_end back;
            const struct graph_link *link =
                graph_link_at(&bench.graph, (struct graph_end){ node, port }, &there);

            EXPECT(link == graph_link_at(&bench.graph, there, &back));
            EXPECT_EQ(back.node, node);
            EXPECT_EQ(back.port, port);
        }
    graph_bench_fini(&bench);
}

PROPERTY("each node is found by its name", 200)
{
    struct prng prng = prng_stream(seed, 2);
    struct graph_bench bench;
    char name[GRAPH_NAME_BYTES];

    graph_random(&bench, &prng);
    for (uint32_t node = 0; node < bench.graph.node_count; node++) {
        graph_name(&bench.graph, node, name);
        EXPECT_EQ(graph_find(&bench.graph, name), node);
    }
    graph_bench_fini(&bench);
}

/* Follows the ports of a path. */
static void expect_arrival(const struct graph *graph, const struct plan_route *route, uint32_t to)
{
    for (uint32_t i = 0; i <= route->switch_count; i++) {
        struct graph_end peer;

        EXPECT(graph_link_at(graph, route->hops[i], &peer) != NULL);
        EXPECT_EQ(peer.node, i == route->switch_count ? to : route->hops[i + 1].node);
    }
}

/* Of a random pair of a random graph; returns how many there are in `bench`. */
static uint32_t random_routes(struct graph_bench *bench, struct prng *prng, uint32_t *to)
{
    uint32_t from;
    uint32_t count;

    graph_random(bench, prng);
    from = prng_below(prng, bench->graph.size.nic_count);
    *to = prng_below(prng, bench->graph.size.nic_count);
    count = from == *to ? 0 : graph_bench_routes(bench, from, *to, prng_below(prng, 3));
    return count < GRAPH_BENCH_ROUTES ? count : GRAPH_BENCH_ROUTES;
}

PROPERTY("paths arrive, and their EVs and addresses differ", 200)
{
    struct prng prng = prng_stream(seed, 3);
    struct graph_bench bench;
    uint32_t to;
    uint32_t count = random_routes(&bench, &prng, &to);

    for (uint32_t i = 0; i < count; i++) {
        expect_arrival(&bench.graph, &bench.routes[i], to);
        for (uint32_t other = 0; other < i; other++) {
            EXPECT(bench.routes[i].ev != bench.routes[other].ev);
            EXPECT(!ip_address_equal(&bench.routes[i].outer, &bench.routes[other].outer) ||
                   !ip_address_equal(&bench.routes[i].segment, &bench.routes[other].segment));
        }
    }
    graph_bench_fini(&bench);
}

static uint32_t look_up(const struct plan_graph *plan, uint32_t node, uint16_t usid)
{
    struct plan_range ranges[256];
    uint32_t count = plan_graph_ranges(plan, node, ranges, 256);

    EXPECT(count < 256);
    for (uint32_t i = 0; i < count; i++)
        if (usid >= ranges[i].first_usid && usid <= ranges[i].last_usid)
            return ranges[i].first_port + (uint32_t)(usid - ranges[i].first_usid);
    return GRAPH_NONE;
}

static bool is_own(const struct plan_graph *plan, uint32_t node, uint16_t usid)
{
    for (uint32_t i = 0; i < plan->tier_names[plan->graph->nodes[node].tier]; i++)
        if (plan_graph_usid(plan, node, i) == usid)
            return true;
    return false;
}

/* As switches do: a switch whose uSID is active takes it away, and sends by the next. */
static void expect_forwarded(
    const struct plan_graph *plan, const struct plan_route *route, uint32_t to)
{
    uint32_t active = 0;
    struct graph_end at;

    graph_link_at(plan->graph, route->hops[0], &at);
    for (uint32_t i = 1; i <= route->switch_count; i++) {
        EXPECT_EQ(at.node, route->hops[i].node);
        if (is_own(plan, at.node, route->usids[active]))
            active++;
        EXPECT(active < route->usid_count);
        at.port = look_up(plan, at.node, route->usids[active]);
        EXPECT(at.port != GRAPH_NONE);
        EXPECT(graph_link_at(plan->graph, at, &at) != NULL);
    }
    EXPECT_EQ(at.node, to);
    EXPECT_EQ(active, route->usid_count - 1);
}

PROPERTY("tables of switches forward each address along its path", 200)
{
    struct prng prng = prng_stream(seed, 5);
    struct graph_bench bench;
    uint32_t to;
    uint32_t count = random_routes(&bench, &prng, &to);

    for (uint32_t i = 0; i < count; i++)
        expect_forwarded(&bench.plan, &bench.routes[i], to);
    graph_bench_fini(&bench);
}

static void expect_same(const struct graph *graph, const struct plan_route *route,
    const struct plan *fabric, const struct plan_route *pair)
{
    char names[2][GRAPH_NAME_BYTES];

    EXPECT_EQ(route->ev, pair->ev);
    EXPECT_EQ(route->rate_bps, pair->rate_bps);
    EXPECT_EQ(route->one_way_ps, pair->one_way_ps);
    EXPECT_EQ(route->usid_count, pair->usid_count);
    EXPECT_MEM_EQ(route->usids, pair->usids, route->usid_count * sizeof(route->usids[0]));
    EXPECT_EQ(route->switch_count, pair->switch_count);
    for (uint32_t i = 0; i <= route->switch_count; i++) {
        graph_name(graph, route->hops[i].node, names[0]);
        plan_pair_name(fabric, pair->hops[i].node, names[1]);
        EXPECT_STR_EQ(names[0], names[1]);
        EXPECT_EQ(route->hops[i].port, pair->hops[i].port);
    }
}

PROPERTY("two tiers have the EVs, addresses and delays of the arithmetic", 100)
{
    struct prng prng = prng_stream(seed, 4);
    struct topology_config config;
    struct topology_problem problem;
    struct plan_route pair[GRAPH_BENCH_ROUTES];
    struct graph_bench bench;
    struct plan fabric;
    uint32_t from;
    uint32_t to;
    uint32_t count;

    topology_config_init(&config);
    config.framing_bytes = TOPOLOGY_FRAMING_BYTES;
    config.plane_count = 1 + prng_below(&prng, 8);
    config.t0_count = 2 + prng_below(&prng, 4);
    config.t1_count = 1 + prng_below(&prng, 8);
    config.hosts_per_t0 = 1 + prng_below(&prng, 4);
    EXPECT(plan_init(&fabric, &config, NULL, &problem));
    graph_bench_clos(&bench, &(struct graph_clos){ .plane_count = config.plane_count,
                                 .tier_count = 2,
                                 .units = { config.hosts_per_t0, config.t0_count },
                                 .tops = { 1, config.t1_count },
                                 .host_link = graph_bench_link,
                                 .uplink = graph_bench_link });
    from = prng_below(&prng, fabric.topology.nic_count);
    to = (from + 1 + prng_below(&prng, fabric.topology.nic_count - 1)) % fabric.topology.nic_count;
    count = graph_bench_routes(&bench, from, to, 0);
    EXPECT_EQ(count, config.plane_count * plan_paths(&fabric, from, to).uplink_count);
    EXPECT_EQ(plan_pair_routes(&fabric, from, to, NULL, pair, GRAPH_BENCH_ROUTES), count);
    for (uint32_t i = 0; i < count; i++) {
        struct ipv6_addr outer = plan_outer(&fabric, from, to, bench.routes[i].ev);

        EXPECT_MEM_EQ(bench.routes[i].outer.octets, outer.octets, sizeof(outer.octets));
        EXPECT_EQ(bench.routes[i].one_way_ps,
            topology_one_way_ps(&fabric.topology, from, to, TOPOLOGY_PACKET_BYTES));
        expect_same(&bench.graph, &bench.routes[i], &fabric, &pair[i]);
    }
    graph_bench_fini(&bench);
}
