/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of a pair in any graph, shortest first from each port of the sender, and their
 * addresses. */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/prng.h"
#include "plan/plan.h"
#include "plan/plan_cost.h"
#include "plan/plan_disjoint.h"
#include "plan/plan_graph.h"
#include "plan/plan_usid.h"
#include "plan/plan_walks.h"

struct search {
    const struct plan_graph *plan;
    struct plan_walks walks;
    struct prng prng;
    struct plan_route *out;
    uint32_t out_max;
    uint32_t count;
    uint32_t first_of_port;
    uint32_t usid_max; /* on a path */
};

/* ---- a path ---------------------------------------------------------------------------------- */

static void add_costs(const struct search *search, struct plan_route *route)
{
    const struct graph *graph = search->plan->graph;

    route->rate_bps = UINT64_MAX;
    route->one_way_ps =
        2 * search->plan->nic_latency_ps + route->switch_count * search->plan->switch_latency_ps;
    for (uint32_t i = 0; i <= route->switch_count; i++) {
        struct graph_end peer;
        const struct graph_link *link = graph_link_at(graph, route->hops[i], &peer);

        plan_cost_add(route, i, search->plan->framing_bytes, link->rate_bps, link->delay_ps);
    }
}

/* Returns the last switch of the highest tier: after it the path only descends. */
static uint32_t highest_hop(const struct graph *graph, const struct plan_route *route)
{
    uint32_t highest = 1;

    for (uint32_t i = 2; i <= route->switch_count; i++)
        if (graph->nodes[route->hops[i].node].tier >= graph->nodes[route->hops[highest].node].tier)
            highest = i;
    return highest;
}

/* On a path over four tiers, the uSIDs of the switches between the highest and the last may be
 * omitted: each of these switches has one way down to the last and a route for it. */
static bool may_be_short(
    const struct graph *graph, const struct plan_route *route, uint32_t highest)
{
    if (graph->nodes[route->hops[highest].node].tier + 1 < GRAPH_TIERS_MAX)
        return false;
    for (uint32_t i = highest + 1; i <= route->switch_count; i++)
        if (graph->nodes[route->hops[i].node].tier >= graph->nodes[route->hops[i - 1].node].tier ||
            graph_parallel(graph, route->hops[i - 1]) > 0)
            return false;
    return true;
}

/* Returns the number of the parallel link by which a path arrives at a switch. */
static uint32_t arrival(const struct plan_graph *plan, const struct plan_route *route, uint32_t hop)
{
    return hop > 1 ? graph_parallel(plan->graph, route->hops[hop - 1]) : 0;
}

/* Writes the uSIDs of all switches and of the downlink, in the short form if they do not fit an
 * address. Returns false if there are too many. */
static bool name_hops(const struct search *search, struct plan_route *route)
{
    const struct plan_graph *plan = search->plan;
    uint32_t highest = highest_hop(plan->graph, route);
    uint32_t last = route->switch_count;
    bool is_short = last + 1 > USID_COUNT_MAX && may_be_short(plan->graph, route, highest);

    route->usid_count = 0;
    for (uint32_t i = 1; i <= last; i++) {
        if (is_short && i > highest && i < last)
            continue;
        if (route->usid_count + 1 == search->usid_max)
            return false;
        route->usids[route->usid_count++] = plan_graph_usid(
            plan, route->hops[i].node, is_short && i == last ? 0 : arrival(plan, route, i));
    }
    route->usids[route->usid_count++] = plan_usid_of(plan->layout,
        plan->graph->nodes[route->hops[last].node].plane, PLAN_USID_HOST, route->hops[last].port);
    return true;
}

static void write_carrier(
    struct ipv6_addr *carrier, uint32_t block, const uint16_t *usids, uint32_t count)
{
    assert(count <= USID_COUNT_MAX);
    memset(carrier, 0, sizeof(*carrier));
    bytes_put_be32(carrier->octets, block);
    for (uint32_t i = 0; i < count; i++)
        bytes_put_be16(carrier->octets + USID_BLOCK_BYTES + (size_t)USID_BYTES * i, usids[i]);
}

/* The address is full before the SRH is used, so the switch of its last uSID takes the segment. */
static void write_addresses(const struct plan_graph *plan, struct plan_route *route)
{
    uint32_t plane = plan->graph->nodes[route->hops[1].node].plane;
    uint32_t block = plan->block + (plan->layout == PLAN_LAYOUT_PLANE_BLOCK ? plane : 0);
    uint32_t first = route->usid_count < USID_COUNT_MAX ? route->usid_count : USID_COUNT_MAX;

    write_carrier(&route->outer, block, route->usids, first);
    if (route->usid_count > first)
        write_carrier(&route->segment, block, route->usids + first, route->usid_count - first);
}

static void keep_route(struct search *search, struct plan_route *route)
{
    if (!name_hops(search, route))
        return;
    if (search->count < search->out_max) {
        add_costs(search, route);
        write_addresses(search->plan, route);
        route->ev =
            route->hops[0].port << PLAN_EV_BITS_MIN | (search->count - search->first_of_port);
        search->out[search->count] = *route;
    }
    search->count++;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Divides `total` into `wanted` equal parts and draws one number from part `part`. If `wanted`
 * equals `total`, this is every number. */
static uint32_t draw_number(struct search *search, uint32_t total, uint32_t wanted, uint32_t part)
{
    uint64_t first = (uint64_t)total * part / wanted;
    uint64_t next = (uint64_t)total * (part + 1) / wanted;

    return (uint32_t)(first +
                      (next - first > 1 ? prng_below(&search->prng, (uint32_t)(next - first)) : 0));
}

static void take_length(
    struct search *search, struct graph_end leaf, uint32_t port, uint32_t from, uint32_t switches)
{
    uint32_t total = plan_walks_count(&search->walks, leaf.node, switches);
    uint32_t room = PLAN_PORT_PATHS - (search->count - search->first_of_port);
    uint32_t wanted = total < room ? total : room;

    for (uint32_t i = 0; i < wanted; i++) {
        struct plan_route route = { .switch_count = switches, .hops = { { from, port } } };

        if (plan_walks_follow(
                &search->walks, leaf.node, draw_number(search, total, wanted, i), &route))
            keep_route(search, &route);
    }
}

uint32_t plan_graph_scratch(const struct graph *graph)
{
    return plan_walks_scratch(graph);
}

uint32_t plan_graph_least(
    const struct plan_graph *plan, uint32_t from, uint32_t to, uint32_t *scratch)
{
    const struct graph *graph = plan->graph;
    struct plan_walks walks;
    uint32_t least = GRAPH_NONE;

    plan_walks_init(&walks, graph, to, 0, scratch);
    for (uint32_t port = 0; port < graph->nodes[from].port_count; port++) {
        struct graph_end leaf;

        graph_link_at(graph, (struct graph_end){ from, port }, &leaf);
        if (walks.distances[leaf.node] < least)
            least = walks.distances[leaf.node];
    }
    return least;
}

/* Writes the paths of a port with at most usid_max uSIDs. */
static void take_port(struct search *search, uint32_t from, uint32_t port, uint32_t usid_max)
{
    struct graph_end leaf;
    uint32_t least;

    graph_link_at(search->plan->graph, (struct graph_end){ from, port }, &leaf);
    least = search->walks.distances[leaf.node];
    search->first_of_port = search->count;
    search->usid_max = usid_max;
    for (uint32_t more = 0; least != GRAPH_NONE && more <= search->plan->detour; more++)
        if (least + more <= PLAN_SWITCHES_MAX)
            take_length(search, leaf, port, from, least + more);
}

uint32_t plan_graph_routes(const struct plan_graph *plan, uint32_t from, uint32_t to,
    uint32_t *scratch, struct plan_route *routes, uint32_t route_max)
{
    const struct graph *graph = plan->graph;
    struct search search = { .plan = plan,
        .prng = prng_stream((uint64_t)from << 32 | to, plan->detour),
        .out = routes,
        .out_max = route_max };

    assert(graph->nodes[from].is_nic && graph->nodes[to].is_nic);
    plan_walks_init(&search.walks, graph, to, plan->detour, scratch);
    for (uint32_t port = 0; port < graph->nodes[from].port_count; port++) {
        take_port(&search, from, port, USID_COUNT_MAX);
        if (search.count == search.first_of_port)
            take_port(&search, from, port, PLAN_USIDS_MAX);
    }
    if (plan->choice == PLAN_CHOICE_SHORTEST)
        return search.count;
    assert(search.count <= route_max);
    return plan_disjoint_select(routes, search.count);
}
