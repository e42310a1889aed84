/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the ways to a NIC by length, on demand. */
#include "plan/plan_walks.h"

#include <assert.h>

#define UNKNOWN UINT32_MAX

uint32_t plan_walks_scratch(const struct graph *graph)
{
    return graph->node_count * (2 + PLAN_DETOUR_MAX + 1);
}

/* Counts the ways over one port that pass `switches` switches. The recursion is as deep as a path
 * is long. */
static uint32_t count_over(
    struct plan_walks *walks, struct graph_end end, uint32_t switches, uint32_t *peer_node)
{
    struct graph_end peer;

    graph_link_at(walks->graph, end, &peer);
    *peer_node = peer.node;
    if (walks->graph->nodes[peer.node].is_nic)
        return peer.node == walks->to && switches == 1;
    if (switches == 1 || walks->distances[peer.node] > switches - 1)
        return 0;
    return plan_walks_count(walks, peer.node, switches - 1);
}

static uint32_t count_from(struct plan_walks *walks, uint32_t node, uint32_t switches)
{
    uint64_t sum = 0;
    uint32_t peer;

    for (uint32_t port = 0; port < walks->graph->nodes[node].port_count; port++)
        sum += count_over(walks, (struct graph_end){ node, port }, switches, &peer);
    return sum < UNKNOWN - 1 ? (uint32_t)sum : UNKNOWN - 1;
}

uint32_t plan_walks_count(struct plan_walks *walks, uint32_t node, uint32_t switches)
{
    uint32_t distance = walks->distances[node];
    uint32_t *count;

    if (distance > switches || switches - distance > walks->detour)
        return 0;
    count = &walks->counts[(size_t)node * (walks->detour + 1) + switches - distance];
    if (*count == UNKNOWN)
        *count = count_from(walks, node, switches);
    return *count;
}

void plan_walks_init(struct plan_walks *walks, const struct graph *graph, uint32_t to_nic,
    uint32_t detour, uint32_t *scratch)
{
    size_t count = (size_t)graph->node_count * (detour + 1);

    assert(detour <= PLAN_DETOUR_MAX);
    *walks = (struct plan_walks){ .graph = graph,
        .to = to_nic,
        .detour = detour,
        .distances = scratch,
        .counts = scratch + 2 * (size_t)graph->node_count };
    graph_distances(graph, to_nic, walks->distances, scratch + graph->node_count);
    for (size_t i = 0; i < count; i++)
        walks->counts[i] = UNKNOWN;
}

static bool was_passed(const struct plan_route *route, uint32_t count, uint32_t node)
{
    for (uint32_t i = 1; i <= count; i++)
        if (route->hops[i].node == node)
            return true;
    return false;
}

bool plan_walks_follow(
    struct plan_walks *walks, uint32_t node, uint32_t number, struct plan_route *route)
{
    for (uint32_t i = 1; i <= route->switch_count; i++) {
        uint32_t left = route->switch_count - i + 1;
        struct graph_end end = { node, 0 };
        uint32_t next;
        uint32_t here;

        if (was_passed(route, i - 1, node))
            return false;
        while (number >= (here = count_over(walks, end, left, &next))) {
            number -= here;
            end.port++;
        }
        route->hops[i] = end;
        node = next;
    }
    return true;
}
