/* SPDX-License-Identifier: Apache-2.0 */
/* A Clos of two tiers by arithmetic and as a graph: the same fabric in every respect. */
#include "graph_bench.h"

#include <math.h>

#include "base/prng.h"
#include "capacity/capacity.h"

struct both {
    struct plan arithmetic;
    struct plan graph;
    struct graph_bench bench;
};

static void make_both(struct both *both, struct prng *prng)
{
    struct topology_problem problem = { .member = "" };
    struct topology_config config;

    topology_config_init(&config);
    config.plane_count = 1 + prng_below(prng, 4);
    config.t0_count = 2 + prng_below(prng, 3);
    config.t1_count = 1 + prng_below(prng, 4);
    config.hosts_per_t0 = 1 + prng_below(prng, 4);
    EXPECT(plan_init(&both->arithmetic, &config, NULL, &problem));
    graph_bench_clos(&both->bench, &(struct graph_clos){ .plane_count = config.plane_count,
                                       .tier_count = 2,
                                       .units = { config.hosts_per_t0, config.t0_count },
                                       .tops = { 1, config.t1_count },
                                       .host_link = config.host_link,
                                       .uplink = config.uplink });
    EXPECT(plan_init_graph(
        &both->graph, &config, &both->bench.graph, 0, both->bench.scratch, &problem));
}

/* By its name. */
static struct topology_element in_graph(
    const struct both *both, const struct topology_element *element)
{
    char reason[TOPOLOGY_REASON_BYTES];
    char name[TOPOLOGY_NAME_BYTES];
    char again[TOPOLOGY_NAME_BYTES];
    struct topology_element found;

    topology_name(element, name);
    EXPECT(topology_find(&both->graph.topology, name, &found, reason));
    topology_name(&found, again);
    EXPECT_STR_EQ(again, name);
    return found;
}

static void expect_same_port(const struct both *both, struct topology_end end)
{
    struct topology_end peers[2] = { { 0 } };
    struct topology_element links[2] = { { 0 } };
    struct topology_link_kind kinds[2];
    char names[2][TOPOLOGY_NAME_BYTES];

    EXPECT(topology_peer(&both->arithmetic.topology, end, &peers[0]));
    EXPECT(topology_peer(&both->graph.topology, end, &peers[1]));
    EXPECT_EQ(peers[0].is_nic, peers[1].is_nic);
    EXPECT_EQ(peers[0].node, peers[1].node);
    EXPECT_EQ(peers[0].port, peers[1].port);
    EXPECT(topology_link_at(&both->arithmetic.topology, end, &links[0], &kinds[0]));
    EXPECT(topology_link_at(&both->graph.topology, end, &links[1], &kinds[1]));
    topology_name(&links[0], names[0]);
    topology_name(&links[1], names[1]);
    EXPECT_STR_EQ(names[0], names[1]);
    EXPECT_EQ(kinds[0].rate_bps, kinds[1].rate_bps);
    EXPECT_EQ(kinds[0].delay_ps, kinds[1].delay_ps);
}

static void expect_same_place(
    const struct topology_element *element, const struct topology_element *in_graph)
{
    struct topology_place place = topology_place_of(element);
    struct topology_place same = topology_place_of(in_graph);

    EXPECT_EQ(place.plane, same.plane);
    EXPECT_EQ(place.tier, same.tier);
    EXPECT_EQ(place.index, same.index);
}

PROPERTY("two tiers by arithmetic and as a graph have the same ports, cables, names and times", 60)
{
    struct prng prng = prng_stream(seed, 0);
    struct both both;
    const struct topology *topology = &both.arithmetic.topology;

    make_both(&both, &prng);
    EXPECT_EQ(topology->base_rtt_ps, both.graph.topology.base_rtt_ps);
    EXPECT_EQ(topology->lookahead_ps, both.graph.topology.lookahead_ps);
    EXPECT_EQ(topology->config.buffers.data_bytes, both.graph.topology.config.buffers.data_bytes);
    EXPECT(!both.graph.topology.ports_cross);
    EXPECT(both.graph.topology.has_leaves);
    for (uint32_t nic = 0; nic < topology->nic_count; nic++) {
        EXPECT_EQ(topology_leaf_of(topology, nic), topology_leaf_of(&both.graph.topology, nic));
        EXPECT_EQ(
            topology_downlink_of(topology, nic), topology_downlink_of(&both.graph.topology, nic));
        for (uint32_t port = 0; port < topology->config.plane_count; port++)
            expect_same_port(
                &both, (struct topology_end){ .is_nic = true, .node = nic, .port = port });
    }
    EXPECT_EQ(topology->switch_count, both.graph.topology.switch_count);
    for (uint32_t i = 0; i < topology->switch_count; i++) {
        struct topology_element element = topology_switch_at(topology, i);
        struct topology_element same = in_graph(&both, &element);

        EXPECT_EQ(topology_switch_index(&both.graph.topology, &same), i);
        expect_same_place(&element, &same);
        EXPECT_EQ(topology_host_port_count(topology, i),
            topology_host_port_count(&both.graph.topology, i));
        EXPECT_EQ(topology_port_count(topology, i), topology_port_count(&both.graph.topology, i));
        for (uint32_t port = 0; port < topology_port_count(topology, i); port++) {
            expect_same_port(&both, (struct topology_end){ .node = i, .port = port });
            EXPECT_EQ(topology_port_faces_host(topology, i, port),
                topology_port_faces_host(&both.graph.topology, i, port));
        }
    }
    graph_bench_fini(&both.bench);
}

PROPERTY("two tiers by arithmetic and as a graph have the same addresses, uSIDs and tables", 60)
{
    struct prng prng = prng_stream(seed, 1);
    struct both both;

    make_both(&both, &prng);
    for (uint32_t nic = 0; nic < both.arithmetic.topology.nic_count; nic++) {
        struct ipv6_addr address = plan_nic_address(&both.arithmetic, nic);
        struct ipv6_addr same = plan_nic_address(&both.graph, nic);
        uint32_t found;

        EXPECT(ip_address_equal(&address, &same));
        EXPECT(plan_nic_of(&both.graph, &same, &found));
        EXPECT_EQ(found, nic);
    }
    for (uint32_t i = 0; i < both.arithmetic.topology.switch_count; i++) {
        struct topology_element element = topology_switch_at(&both.arithmetic.topology, i);
        struct topology_element same = topology_switch_at(&both.graph.topology, i);
        struct plan_range ranges[2][8];
        uint32_t count = plan_routes(&both.arithmetic, i, ranges[0], 8);

        EXPECT_EQ(plan_usid(&both.arithmetic, &element), plan_usid(&both.graph, &same));
        EXPECT_EQ(plan_routes(&both.graph, i, ranges[1], 8), count);
        for (uint32_t r = 0; r < count; r++) {
            EXPECT_EQ(ranges[0][r].first_usid, ranges[1][r].first_usid);
            EXPECT_EQ(ranges[0][r].last_usid, ranges[1][r].last_usid);
            EXPECT_EQ(ranges[0][r].first_port, ranges[1][r].first_port);
        }
    }
    graph_bench_fini(&both.bench);
}

static void expect_same_link(const struct both *both, size_t number, size_t in_graph)
{
    struct topology_link_kind kinds[2];
    struct topology_element links[2];
    char names[2][TOPOLOGY_NAME_BYTES];

    EXPECT(topology_link_numbered(&both->arithmetic.topology, number, &links[0], &kinds[0]));
    EXPECT(topology_link_numbered(&both->graph.topology, in_graph, &links[1], &kinds[1]));
    topology_name(&links[0], names[0]);
    topology_name(&links[1], names[1]);
    EXPECT_STR_EQ(names[0], names[1]);
    EXPECT_EQ(kinds[0].rate_bps, kinds[1].rate_bps);
}

/* What leads up from a leaf within a plane. */
static void expect_same_uplinks(const struct both *both, uint32_t plane, uint32_t leaf)
{
    const struct topology *topology = &both->arithmetic.topology;
    const struct topology *graph = &both->graph.topology;
    struct topology_leaf_uplink uplink = { .plane = plane, .leaf = leaf };
    uint32_t count = topology_leaf_uplink_count(topology, plane, leaf);

    EXPECT_EQ(topology_leaf_uplink_count(graph, plane, leaf), count);
    for (; uplink.number < count; uplink.number++) {
        size_t number = topology_uplink(topology, &uplink);
        struct topology_link_kind kind;
        struct topology_element link;
        uint32_t below;

        expect_same_link(both, number, topology_uplink(graph, &uplink));
        EXPECT(topology_link_numbered(topology, number, &link, &kind));
        EXPECT(topology_leaf_below(topology, &link, &below));
        EXPECT_EQ(below, leaf);
        EXPECT_EQ(topology_leaf_uplink_number(topology, &link), uplink.number);
        link = in_graph(both, &link);
        EXPECT(topology_leaf_below(graph, &link, &below));
        EXPECT_EQ(below, leaf);
        EXPECT_EQ(topology_leaf_uplink_number(graph, &link), uplink.number);
    }
}

PROPERTY("two tiers by arithmetic and as a graph have the same leaves and links up", 60)
{
    struct prng prng = prng_stream(seed, 4);
    struct both both;
    const struct topology *topology = &both.arithmetic.topology;
    const struct topology *graph = &both.graph.topology;

    make_both(&both, &prng);
    EXPECT(topology->has_leaves);
    EXPECT_EQ(topology_link_count(topology), topology_link_count(graph));
    EXPECT_EQ(topology_narrowest_bps(topology), topology_narrowest_bps(graph));
    EXPECT_EQ(topology_leaf_count(topology), topology_leaf_count(graph));
    for (uint32_t leaf = 0; leaf < topology_leaf_count(topology); leaf++) {
        EXPECT_EQ(
            topology_leaf_uplinks_bps(topology, leaf), topology_leaf_uplinks_bps(graph, leaf));
        for (uint32_t plane = 0; plane < topology->config.plane_count; plane++)
            expect_same_uplinks(&both, plane, leaf);
    }
    for (uint32_t nic = 0; nic < topology->nic_count; nic++) {
        EXPECT_EQ(topology_leaf_number(topology, nic), topology_leaf_number(graph, nic));
        for (uint32_t port = 0; port < topology->config.plane_count; port++)
            expect_same_link(
                &both, topology_nic_link(topology, nic, port), topology_nic_link(graph, nic, port));
    }
    graph_bench_fini(&both.bench);
}

static struct topology_end end_of_hop(const struct plan *plan, struct graph_end hop)
{
    bool is_nic = hop.node < plan->topology.nic_count;

    return (struct topology_end){ .is_nic = is_nic,
        .node = is_nic ? hop.node : hop.node - plan->topology.nic_count,
        .port = hop.port };
}

PROPERTY("the links of an EV are those that its address leads over", 60)
{
    struct prng prng = prng_stream(seed, 5);
    struct plan_route routes[GRAPH_BENCH_ROUTES];
    struct both both;
    const struct plan *plan = &both.arithmetic;
    uint32_t from;
    uint32_t to;
    uint32_t count;

    make_both(&both, &prng);
    from = prng_below(&prng, plan->topology.nic_count);
    to = prng_below(&prng, plan->topology.nic_count);
    count = plan_pair_routes(plan, from, to, NULL, routes, GRAPH_BENCH_ROUTES);
    for (uint32_t i = 0; i < count; i++) {
        struct plan_step steps[PLAN_LINKS_MAX];

        EXPECT_EQ(plan_steps(plan, from, to, routes[i].ev, steps), routes[i].switch_count + 1);
        for (uint32_t hop = 0; hop <= routes[i].switch_count; hop++) {
            struct topology_end end = end_of_hop(plan, routes[i].hops[hop]);

            EXPECT_EQ(steps[hop].link, topology_link_number(&plan->topology, end));
            EXPECT_EQ(steps[hop].goes_up, topology_goes_up(&plan->topology, end));
        }
    }
    graph_bench_fini(&both.bench);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static struct fault random_fault(
    const struct both *both, struct topology_element places[2], struct prng *prng)
{
    const struct topology *topology = &both->arithmetic.topology;
    enum topology_component kind = (enum topology_component)prng_below(prng, TOPOLOGY_UPLINK + 1);
    uint32_t count = topology_component_count(topology, kind);
    struct fault fault = { .where_count = 1, .until_ps = FAULT_NEVER_PS };

    places[0] = topology_component_at(topology, kind, prng_below(prng, count));
    places[1] = in_graph(both, &places[0]);
    do
        fault.kind = (enum fault_kind)prng_below(prng, FAULT_KIND_COUNT);
    while (fault_kind_is(fault.kind, FAULT_OF_SWITCH));
    fault.probability = UINT32_MAX / 64;
    fault.rate_bps = UINT64_C(10000000000);
    if (fault_kind_is(fault.kind, FAULT_ONE_WAY))
        fault.direction = (enum fault_direction)prng_below(prng, FAULT_DIRECTION_COUNT);
    return fault;
}

struct covered {
    uint32_t count;
    uint64_t sum;
};

static void note(void *context, struct topology_end from)
{
    struct covered *covered = context;
    struct prng prng = prng_stream((uint64_t)from.is_nic << 32 | from.node, from.port);

    covered->count++;
    covered->sum += prng_next(&prng);
}

PROPERTY("a fault covers the same ports by arithmetic and in a graph", 200)
{
    struct prng prng = prng_stream(seed, 2);
    struct topology_element places[2];
    struct covered covered[2] = { { 0 } };
    struct fault fault;
    struct both both;

    make_both(&both, &prng);
    fault = random_fault(&both, places, &prng);
    fault.where = &places[0];
    fault_cover(&both.arithmetic.topology, &fault, note, &covered[0]);
    fault.where = &places[1];
    fault_cover(&both.graph.topology, &fault, note, &covered[1]);
    EXPECT_EQ(covered[0].count, covered[1].count);
    EXPECT_EQ(covered[0].sum, covered[1].sum);
    graph_bench_fini(&both.bench);
}

/* ---- capacity -------------------------------------------------------------------------------- */

static void solve(const struct plan *fabric, const struct fault *fault,
    const struct capacity_demand *demands, uint32_t count, double *bps)
{
    struct capacity_fabric network;
    struct capacity_rates rates;

    EXPECT_EQ(capacity_fabric_init(&network, fabric, &fault, 1, demands, count), 0);
    EXPECT_EQ(capacity_fabric_solve(&network, &fabric->topology, &rates), 0);
    for (uint32_t i = 0; i < count; i++)
        bps[i] = rates.flow_bps[i];
    capacity_rates_fini(&rates);
    capacity_fabric_fini(&network);
}

PROPERTY("flows have the same capacity by arithmetic and in a graph, whatever is broken", 100)
{
    struct prng prng = prng_stream(seed, 3);
    struct capacity_demand demands[6];
    struct topology_element places[2];
    struct fault fault;
    struct both both;
    double bps[2][6];

    make_both(&both, &prng);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t nic_count = both.arithmetic.topology.nic_count;
        uint32_t from = prng_below(&prng, nic_count);

        demands[i] = (struct capacity_demand){ .from_nic = from,
            .to_nic = (from + 1 + prng_below(&prng, nic_count - 1)) % nic_count,
            .payload_share = 0.97 };
    }
    fault = random_fault(&both, places, &prng);
    fault.where = &places[0];
    solve(&both.arithmetic, &fault, demands, 6, bps[0]);
    fault.where = &places[1];
    solve(&both.graph, &fault, demands, 6, bps[1]);
    for (uint32_t i = 0; i < 6; i++)
        EXPECT(fabs(bps[0][i] - bps[1][i]) <= 1e-5 * fmax(bps[0][i], bps[1][i]));
    graph_bench_fini(&both.bench);
}
