/* SPDX-License-Identifier: Apache-2.0 */
/* Switches, ports and cables of a topology that is a graph. */
#include "topology/topology_graph.h"

#include <assert.h>

static struct topology_place place_of(const struct graph *graph, uint32_t node)
{
    const struct graph_node *at = &graph->nodes[node];

    return (struct topology_place){ .plane = at->plane, .tier = at->tier, .index = at->index };
}

uint32_t topology_graph_switch_index(const struct graph *graph, const struct topology_place *place)
{
    uint32_t node = graph_find_switch(graph, place->plane, place->tier, place->index);

    assert(node != GRAPH_NONE);
    return node - graph->size.nic_count;
}

struct topology_element topology_graph_switch(const struct graph *graph, uint32_t switch_index)
{
    struct topology_place place = place_of(graph, graph->size.nic_count + switch_index);

    return (
        struct topology_element){ .kind = TOPOLOGY_SWITCH, .plane = place.plane, .lower = place };
}

bool topology_graph_peer(
    const struct graph *graph, struct topology_end end, struct topology_end *peer)
{
    struct graph_end other;

    if (!graph_link_at(
            graph, (struct graph_end){ topology_graph_node(graph, end), end.port }, &other))
        return false;
    *peer = topology_graph_end(graph, other);
    return true;
}

bool topology_nic_of_graph(
    const struct topology *topology, uint32_t switch_index, uint32_t port, uint32_t *nic)
{
    struct topology_end peer;

    if (switch_index >= topology->switch_count ||
        !topology_graph_peer(
            topology->graph, (struct topology_end){ .node = switch_index, .port = port }, &peer))
        return false;
    *nic = peer.node;
    return peer.is_nic && peer.port == 0;
}

bool topology_graph_port_faces_host(const struct graph *graph, uint32_t switch_index, uint32_t port)
{
    struct topology_end peer;

    return topology_graph_peer(
               graph, (struct topology_end){ .node = switch_index, .port = port }, &peer) &&
           peer.is_nic;
}

bool topology_graph_link_at(const struct graph *graph, struct topology_end end,
    struct topology_element *out, struct topology_link_kind *kind)
{
    struct graph_end other;
    const struct graph_link *link = graph_link_at(
        graph, (struct graph_end){ topology_graph_node(graph, end), end.port }, &other);
    const struct graph_end *lower;
    const struct graph_end *upper;

    if (!link)
        return false;
    lower = &link->ends[graph_lower_side(graph, link)];
    upper = &link->ends[!graph_lower_side(graph, link)];
    *kind = (struct topology_link_kind){ .rate_bps = link->rate_bps, .delay_ps = link->delay_ps };
    if (graph->nodes[lower->node].is_nic)
        *out = (struct topology_element){
            .kind = TOPOLOGY_HOST_LINK, .nic = lower->node, .plane = lower->port
        };
    else
        *out = (struct topology_element){ .kind = TOPOLOGY_LINK,
            .plane = graph->nodes[lower->node].plane,
            .lower = place_of(graph, lower->node),
            .upper = place_of(graph, upper->node),
            .parallel = graph_parallel(graph, *lower) };
    return true;
}

bool topology_graph_goes_up(const struct graph *graph, struct topology_end end)
{
    struct graph_end from = { topology_graph_node(graph, end), end.port };
    struct graph_end other;
    const struct graph_link *link = graph_link_at(graph, from, &other);
    const struct graph_end *lower = link ? &link->ends[graph_lower_side(graph, link)] : NULL;

    return lower && lower->node == from.node && lower->port == from.port;
}
