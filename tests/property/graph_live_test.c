/* SPDX-License-Identifier: Apache-2.0 */
/* Random fabrics as live NICs, soft switches and the kernel have them: the paths of the plan. */
#include "graph_random.h"

#include <stdio.h>
#include <string.h>

#include "config/config_port.h"
#include "lab/netns_plan.h"
#include "lab/soft_state.h"

enum {
    SOFT_EVERY = 32, /* seeds: its switches have large buffers */
    WALKS_MAX = 4,   /* paths of a pair that are followed */
};

struct live {
    struct graph_bench bench;
    struct plan plan;
    struct graph_bench read; /* by a NIC */
    struct plan of_nic;
    uint32_t from;
    uint32_t to;
    uint32_t count; /* of paths, in bench.routes */
};

/* ---- the NIC --------------------------------------------------------------------------------- */

static void read_as_nic(struct live *live)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    char line[PLAN_TEXT_LINE_BYTES];
    struct graph_size size;

    for (uint32_t i = 0; plan_text_line(&live->plan, i, line); i++)
        fputs(line, file);
    fclose(file);
    EXPECT(plan_text_size(text, &size));
    graph_bench_take(&live->read, &size);
    EXPECT(plan_text_read(text, &live->read.graph, live->read.scratch, &live->of_nic));
    free(text);
}

static void begin(struct live *live, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 1);
    struct topology_problem problem;
    struct topology_config config;

    graph_random(&live->bench, &prng);
    topology_config_init(&config);
    EXPECT(plan_init_graph(&live->plan, &config, &live->bench.graph, prng_below(&prng, 2),
        live->bench.scratch, &problem));
    read_as_nic(live);
    live->from = prng_below(&prng, live->plan.topology.nic_count);
    live->to = prng_below(&prng, live->plan.topology.nic_count);
    live->count = plan_pair_routes(&live->plan, live->from, live->to, live->bench.scratch,
        live->bench.routes, GRAPH_BENCH_ROUTES);
    if (live->count > GRAPH_BENCH_ROUTES)
        live->count = GRAPH_BENCH_ROUTES;
}

static void end(struct live *live)
{
    graph_bench_fini(&live->bench);
    graph_bench_fini(&live->read);
}

static void expect_same_paths(struct live *live)
{
    uint32_t count = plan_pair_routes(&live->of_nic, live->from, live->to, live->read.scratch,
        live->read.routes, GRAPH_BENCH_ROUTES);

    count = count < GRAPH_BENCH_ROUTES ? count : GRAPH_BENCH_ROUTES;
    EXPECT_EQ(count, live->count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(live->read.routes[i].ev, live->bench.routes[i].ev);
        EXPECT(ip_address_equal(&live->read.routes[i].outer, &live->bench.routes[i].outer));
        EXPECT(ip_address_equal(&live->read.routes[i].segment, &live->bench.routes[i].segment));
    }
}

/* ---- a packet on its way --------------------------------------------------------------------- */

/* The port by which a packet leaves a switch, whose addresses are changed. */
typedef bool (*forwarder)(
    void *context, uint32_t node, struct template_addresses *addresses, uint32_t *port);

/* The destination ends at a switch: the segment takes its place, once. */
static void take_segment(struct template_addresses *addresses)
{
    addresses->destination = addresses->segment;
    addresses->segment = (struct ipv6_addr){ { 0 } };
}

static void expect_way(
    const struct live *live, const struct plan_route *route, forwarder forward, void *context)
{
    const struct topology *topology = &live->plan.topology;
    struct template_addresses addresses = { route->outer, route->segment };
    struct topology_end at = { .is_nic = true, .node = live->from, .port = route->hops[0].port };

    for (uint32_t i = 1; i <= route->switch_count; i++) {
        EXPECT(topology_peer(topology, at, &at));
        EXPECT(!at.is_nic);
        EXPECT_EQ(topology->nic_count + at.node, route->hops[i].node);
        EXPECT(forward(context, at.node, &addresses, &at.port));
        EXPECT_EQ(at.port, route->hops[i].port);
    }
    EXPECT(topology_peer(topology, at, &at));
    EXPECT(at.is_nic);
    EXPECT_EQ(at.node, live->to);
    EXPECT(ip_address_is_zero(&addresses.segment));
}

static void expect_ways(const struct live *live, forwarder forward, void *context)
{
    for (uint32_t i = 0; i < live->count; i += 1 + live->count / WALKS_MAX)
        expect_way(live, &live->bench.routes[i], forward, context);
}

static bool forward_soft(
    void *context, uint32_t node, struct template_addresses *addresses, uint32_t *port)
{
    const struct soft *soft = context;
    const struct switch_table *table = &soft->switches[node].table;
    struct switch_way way = switch_table_forward(table, &addresses->destination);

    if (way.reason == DROP_END_OF_CARRIER) {
        take_segment(addresses);
        way = switch_table_forward(table, &addresses->destination);
    }
    *port = way.port;
    return way.reason == DROP_NONE;
}

/* ---- the kernel, by the lines for ip(8) ------------------------------------------------------ */

/* The route for the first 48 bits of the address. */
static const char *find_route(const char *lines, const struct ipv6_addr *outer)
{
    const uint8_t *octets = outer->octets;
    char wanted[64];
    const char *at;

    snprintf(wanted, sizeof(wanted), "route replace %x:%x:%x::/48 ", octets[0] << 8 | octets[1],
        octets[2] << 8 | octets[3], octets[4] << 8 | octets[5]);
    at = strstr(lines, wanted);
    return at ? at + strlen(wanted) : NULL;
}

static bool find_port(
    const struct topology *topology, uint32_t node, const char *route, uint32_t *port)
{
    for (*port = 0; *port < topology_port_count(topology, node); ++*port) {
        char wanted[64] = "via fe80::1 dev ";
        char name[CONFIG_PORT_NAME_BYTES];

        config_port_interface(topology, (struct topology_end){ .node = node, .port = *port }, name);
        strcat(strcat(wanted, name), "\n");
        if (strncmp(route, wanted, strlen(wanted)) == 0)
            return true;
    }
    return false;
}

static bool forward_kernel(
    void *context, uint32_t node, struct template_addresses *addresses, uint32_t *port)
{
    const struct netns *netns = context;
    char *lines = NULL;
    size_t bytes;
    FILE *file = open_memstream(&lines, &bytes);
    const char *route;
    bool is_found;

    netns_plan_switch(netns, node, file);
    fclose(file);
    route = find_route(lines, &addresses->destination);
    if (route && strncmp(route, "encap seg6local", 15) == 0) {
        if (usid_is_last(&addresses->destination))
            take_segment(addresses);
        else
            usid_shift(addresses->destination.octets);
        route = find_route(lines, &addresses->destination);
    }
    is_found = route && find_port(&netns->fabric->topology, node, route, port);
    free(lines);
    return is_found;
}

/* ---- what holds ------------------------------------------------------------------------------ */

PROPERTY(
    "a NIC numbers and addresses its paths as the plan does, and the kernel follows them", 1000)
{
    static struct live live;
    struct netns netns = { .fabric = &live.plan, .prefix = "lab", .is_kernel = true, .slower = 1 };

    begin(&live, seed);
    expect_same_paths(&live);
    expect_ways(&live, forward_kernel, &netns);
    end(&live);
}

PROPERTY("soft switches follow the paths of a NIC as the plan does", 1000 / SOFT_EVERY)
{
    static struct live live;
    struct soft soft = { .config = { .fabric = &live.plan, .slower = 2 } };

    begin(&live, seed);
    EXPECT_EQ(soft_scale(&soft), 0);
    EXPECT(soft_switches_make(&soft));
    expect_ways(&live, forward_soft, &soft);
    free(soft.switches);
    free(soft.routes);
    free(soft.memory);
    free(soft.graph);
    end(&live);
}
