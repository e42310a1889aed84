/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of a pair in any graph, shortest first from each port of the sender, and their addresses.
 */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "plan/plan.h"
#include "plan/plan_cost.h"
#include "plan/plan_graph.h"
#include "plan/plan_usid.h"

#define UNREACHED  UINT32_MAX
#define USID_BYTES 2

struct search {
    const struct plan_graph *plan;
    uint32_t to;
    const uint32_t *distances; /* switches from a node to the receiver, itself included */
    struct plan_route route;   /* so far */
    uint32_t switches_max;
    struct plan_route *out;
    uint32_t out_max;
    uint32_t count;
    uint32_t first_of_port;
};

/* ---- distances ------------------------------------------------------------------------------- */

static bool spread(const struct graph *graph, uint32_t *distances, uint32_t distance)
{
    bool any = false;

    for (uint32_t i = 0; i < graph->link_count; i++)
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t near = graph->links[i].ends[side].node;
            uint32_t far = graph->links[i].ends[!side].node;

            if (distances[near] == distance && distances[far] == UNREACHED &&
                !graph->nodes[far].is_nic) {
                distances[far] = distance + 1;
                any = true;
            }
        }
    return any;
}

static void measure(const struct graph *graph, uint32_t to, uint32_t *distances)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        distances[i] = UNREACHED;
    distances[to] = 0;
    for (uint32_t distance = 0; distance < PLAN_SWITCHES_MAX; distance++)
        if (!spread(graph, distances, distance))
            return;
}

/* ---- a path ---------------------------------------------------------------------------------- */

/* Links beside this one, to the same neighbour, itself included. */
static uint32_t parallel_count(const struct graph *graph, struct graph_end end, uint32_t peer)
{
    uint32_t count = 0;

    for (uint32_t port = 0; port < graph->nodes[end.node].port_count; port++) {
        struct graph_end other;

        graph_link_at(graph, (struct graph_end){ end.node, port }, &other);
        count += other.node == peer;
    }
    return count;
}

static void add_costs(const struct search *search, struct plan_route *route)
{
    const struct graph *graph = search->plan->graph;

    route->rate_bps = UINT64_MAX;
    route->one_way_ps =
        2 * search->plan->nic_latency_ps + route->switch_count * search->plan->switch_latency_ps;
    for (uint32_t i = 0; i <= route->switch_count; i++) {
        struct graph_end peer;
        const struct graph_link *link = graph_link_at(graph, route->hops[i], &peer);
        uint32_t count = i == 0 ? 1 : parallel_count(graph, route->hops[i], peer.node);

        plan_cost_add(route, link->rate_bps, link->delay_ps, link->rate_bps * count);
    }
}

/* The last one of the highest tier: from there a path only descends. */
static uint32_t highest_hop(const struct graph *graph, const struct plan_route *route)
{
    uint32_t highest = 1;

    for (uint32_t i = 2; i <= route->switch_count; i++)
        if (graph->nodes[route->hops[i].node].tier >= graph->nodes[route->hops[highest].node].tier)
            highest = i;
    return highest;
}

/* Of a path over four tiers, the switches between the highest and the last can be left out: each
 * has one way down to the last, and knows it. */
static bool may_be_short(
    const struct graph *graph, const struct plan_route *route, uint32_t highest)
{
    if (graph->nodes[route->hops[highest].node].tier + 1 < GRAPH_TIERS_MAX)
        return false;
    for (uint32_t i = highest + 1; i <= route->switch_count; i++)
        if (graph->nodes[route->hops[i].node].tier >= graph->nodes[route->hops[i - 1].node].tier)
            return false;
    return true;
}

/* All switches and the downlink, in the short form where these are more than fit. False: they do
 * not fit. */
static bool name_hops(const struct search *search, struct plan_route *route)
{
    const struct plan_graph *plan = search->plan;
    bool is_short = route->switch_count + 1 > PLAN_USIDS_MAX;
    uint32_t highest = highest_hop(plan->graph, route);
    uint32_t last = route->switch_count;

    if (is_short && !may_be_short(plan->graph, route, highest))
        return false;
    route->usid_count = 0;
    for (uint32_t i = 1; i <= last; i++) {
        if (is_short && i > highest && i < last)
            continue;
        if (route->usid_count + 1 == PLAN_USIDS_MAX)
            return false;
        route->usids[route->usid_count++] = plan_graph_usid(plan, route->hops[i].node);
    }
    route->usids[route->usid_count++] = plan_usid_of(plan->layout,
        plan->graph->nodes[route->hops[last].node].plane, PLAN_USID_HOST, route->hops[last].port);
    return true;
}

static void write_outer(const struct plan_graph *plan, struct plan_route *route)
{
    uint32_t plane = plan->graph->nodes[route->hops[1].node].plane;
    uint32_t block = plan->block + (plan->layout == PLAN_LAYOUT_PLANE_BLOCK ? plane : 0);

    memset(&route->outer, 0, sizeof(route->outer));
    bytes_put_be32(route->outer.octets, block);
    for (uint32_t i = 0; i < route->usid_count; i++) {
        route->outer.octets[4 + USID_BYTES * i] = (uint8_t)(route->usids[i] >> 8);
        route->outer.octets[5 + USID_BYTES * i] = (uint8_t)route->usids[i];
    }
}

static void keep(struct search *search)
{
    struct plan_route *route = &search->route;

    if (!name_hops(search, route))
        return;
    if (search->count < search->out_max) {
        add_costs(search, route);
        write_outer(search->plan, route);
        route->ev = search->count - search->first_of_port;
        search->out[search->count] = *route;
    }
    search->count++;
}

/* ---- the search ------------------------------------------------------------------------------ */

static bool was_passed(const struct plan_route *route, uint32_t node)
{
    for (uint32_t i = 1; i <= route->switch_count; i++)
        if (route->hops[i].node == node)
            return true;
    return false;
}

/* Parallel links are one way. */
static bool is_first_to(const struct graph *graph, struct graph_end end, uint32_t peer)
{
    for (uint32_t port = 0; port < end.port; port++) {
        struct graph_end other;

        graph_link_at(graph, (struct graph_end){ end.node, port }, &other);
        if (other.node == peer)
            return false;
    }
    return true;
}

/* Depth first, no deeper than the longest path allowed: PLAN_SWITCHES_MAX bounds the recursion. */
static void walk(struct search *search, uint32_t node)
{
    const struct graph *graph = search->plan->graph;
    uint32_t depth = ++search->route.switch_count;

    for (uint32_t port = 0; port < graph->nodes[node].port_count; port++) {
        struct graph_end end = { node, port };
        struct graph_end peer;

        graph_link_at(graph, end, &peer);
        search->route.hops[depth] = end;
        if (peer.node == search->to) {
            if (is_first_to(graph, end, peer.node))
                keep(search);
        } else if (!graph->nodes[peer.node].is_nic && search->distances[peer.node] != UNREACHED &&
                   depth + search->distances[peer.node] <= search->switches_max &&
                   !was_passed(&search->route, peer.node) && is_first_to(graph, end, peer.node)) {
            walk(search, peer.node);
        }
    }
    search->route.switch_count--;
}

static void number_evs(struct search *search)
{
    uint32_t most = 0;
    uint32_t bits;

    for (uint32_t i = 0; i < search->count && i < search->out_max; i++)
        most = search->out[i].ev >= most ? search->out[i].ev + 1 : most;
    bits = plan_ev_bits(most);
    for (uint32_t i = 0; i < search->count && i < search->out_max; i++)
        search->out[i].ev |= search->out[i].hops[0].port << bits;
}

uint32_t plan_graph_routes(const struct plan_graph *plan, uint32_t from, uint32_t to,
    uint32_t detour, uint32_t *distances, struct plan_route *routes, uint32_t route_max)
{
    struct search search = {
        .plan = plan, .to = to, .distances = distances, .out = routes, .out_max = route_max
    };
    const struct graph *graph = plan->graph;

    assert(from != to);
    assert(graph->nodes[from].is_nic && graph->nodes[to].is_nic);
    measure(graph, to, distances);
    for (uint32_t port = 0; port < graph->nodes[from].port_count; port++) {
        struct graph_end peer;

        search.route.hops[0] = (struct graph_end){ from, port };
        graph_link_at(graph, search.route.hops[0], &peer);
        if (distances[peer.node] == UNREACHED)
            continue;
        search.first_of_port = search.count;
        search.switches_max = distances[peer.node] + detour;
        if (search.switches_max > PLAN_SWITCHES_MAX)
            search.switches_max = PLAN_SWITCHES_MAX;
        walk(&search, peer.node);
    }
    number_evs(&search);
    return search.count;
}
