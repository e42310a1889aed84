/* SPDX-License-Identifier: Apache-2.0 */
/* Distances between the nodes of a graph, breadth first. */
#include "topology/graph.h"

enum { PLACES_MAX = 1024 }; /* receivers that graph_longest() examines */

uint32_t graph_distances(
    const struct graph *graph, uint32_t to_nic, uint32_t *distances, uint32_t *queue)
{
    uint32_t first = 0;
    uint32_t last = 0;

    for (uint32_t i = 0; i < graph->node_count; i++)
        distances[i] = GRAPH_NONE;
    distances[to_nic] = 0;
    queue[last++] = to_nic;
    while (first < last) {
        uint32_t node = queue[first++];

        for (uint32_t port = 0; port < graph->nodes[node].port_count; port++) {
            struct graph_end peer;

            graph_link_at(graph, (struct graph_end){ node, port }, &peer);
            if (distances[peer.node] != GRAPH_NONE || graph->nodes[peer.node].is_nic)
                continue;
            distances[peer.node] = distances[node] + 1;
            queue[last++] = peer.node;
        }
    }
    return last;
}

/* Returns the distance of the nearest switch that a NIC has a link to. */
static uint32_t nearest(const struct graph *graph, uint32_t nic, const uint32_t *distances)
{
    uint32_t least = GRAPH_NONE;

    for (uint32_t port = 0; port < graph->nodes[nic].port_count; port++) {
        struct graph_end peer;

        graph_link_at(graph, (struct graph_end){ nic, port }, &peer);
        least = distances[peer.node] < least ? distances[peer.node] : least;
    }
    return least;
}

/* Returns true if the NIC has links to the same switches as the NIC before it. Their distances are
 * equal. */
static bool is_like_the_one_before(const struct graph *graph, uint32_t nic)
{
    const struct graph_node *node = &graph->nodes[nic];

    if (nic == 0 || graph->nodes[nic - 1].port_count != node->port_count)
        return false;
    for (uint32_t port = 0; port < node->port_count; port++) {
        struct graph_end peer;
        struct graph_end before;

        graph_link_at(graph, (struct graph_end){ nic, port }, &peer);
        graph_link_at(graph, (struct graph_end){ nic - 1, port }, &before);
        if (peer.node != before.node)
            return false;
    }
    return true;
}

static uint32_t count_places(const struct graph *graph)
{
    uint32_t count = 0;

    for (uint32_t nic = 0; nic < graph->size.nic_count; nic++)
        count += !is_like_the_one_before(graph, nic);
    return count;
}

static uint32_t longest_to(const struct graph *graph, uint32_t to, uint32_t *scratch)
{
    uint32_t longest = 1;

    graph_distances(graph, to, scratch, scratch + graph->node_count);
    for (uint32_t from = 0; from < graph->size.nic_count; from++) {
        uint32_t here = from == to ? 0 : nearest(graph, from, scratch);

        longest = here != GRAPH_NONE && here > longest ? here : longest;
    }
    return longest;
}

uint32_t graph_longest(const struct graph *graph, uint32_t *scratch)
{
    uint32_t step = 1 + count_places(graph) / PLACES_MAX;
    uint32_t place = 0;
    uint32_t longest = 1;

    for (uint32_t to = 0; to < graph->size.nic_count; to++) {
        uint32_t here;

        if (is_like_the_one_before(graph, to) || place++ % step != 0)
            continue;
        here = longest_to(graph, to, scratch);
        longest = here > longest ? here : longest;
    }
    return longest;
}
