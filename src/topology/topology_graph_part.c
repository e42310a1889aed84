/* SPDX-License-Identifier: Apache-2.0 */
/* Links of the components of a graph. */
#include "topology/topology_graph.h"

static uint32_t node_at(const struct graph *graph, const struct topology_place *place)
{
    return graph_find_switch(graph, place->plane, place->tier, place->index);
}

bool topology_graph_link_numbered(const struct graph *graph, uint32_t number,
    struct topology_element *link, struct topology_link_kind *kind)
{
    return topology_graph_link_at(
        graph, topology_graph_end(graph, graph->links[number].ends[0]), link, kind);
}

struct topology_element topology_graph_link(const struct graph *graph, uint32_t number)
{
    struct topology_element link = { 0 };
    struct topology_link_kind kind;

    topology_graph_link_numbered(graph, number, &link, &kind);
    return link;
}

size_t topology_graph_link_number(const struct graph *graph, struct topology_end end)
{
    struct graph_end from = { topology_graph_node(graph, end), end.port };
    struct graph_end peer;

    return (size_t)(graph_link_at(graph, from, &peer) - graph->links);
}

uint32_t topology_graph_links_of(const struct graph *graph, const struct topology_element *element)
{
    switch (element->kind) {
    case TOPOLOGY_NIC:
        return graph->nodes[element->nic].port_count;
    case TOPOLOGY_PLANE:
        return graph->link_count;
    case TOPOLOGY_SWITCH:
        return graph->nodes[node_at(graph, &element->lower)].port_count;
    default:
        return 1;
    }
}

uint32_t topology_graph_links_of_any(const struct graph *graph, enum topology_component component)
{
    uint32_t most = 1;

    if (component == TOPOLOGY_PLANE)
        return graph->link_count;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].is_nic ? component == TOPOLOGY_NIC : component == TOPOLOGY_SWITCH)
            most = graph->nodes[i].port_count > most ? graph->nodes[i].port_count : most;
    return most;
}

static const struct graph_link *link_at_port(
    const struct graph *graph, uint32_t node, uint32_t port)
{
    struct graph_end peer;

    return graph_link_at(graph, (struct graph_end){ node, port }, &peer);
}

/* Returns parallel link number `parallel` from the lower switch to the upper one. */
static const struct graph_link *link_between(
    const struct graph *graph, const struct topology_element *element)
{
    uint32_t lower = node_at(graph, &element->lower);
    uint32_t upper = node_at(graph, &element->upper);
    uint32_t left = element->parallel;

    for (uint32_t port = 0; port < graph->nodes[lower].port_count; port++) {
        struct graph_end peer;
        const struct graph_link *link =
            graph_link_at(graph, (struct graph_end){ lower, port }, &peer);

        if (peer.node == upper && left-- == 0)
            return link;
    }
    return NULL;
}

/* A link belongs to a plane if one of its ends is a switch of the plane. */
static const struct graph_link *link_of_plane(
    const struct graph *graph, uint32_t plane, uint32_t number)
{
    const struct graph_link *link = &graph->links[number];

    for (uint32_t side = 0; side < 2; side++) {
        const struct graph_node *node = &graph->nodes[link->ends[side].node];

        if (!node->is_nic && node->plane == plane)
            return link;
    }
    return NULL;
}

static const struct graph_link *nth_link(
    const struct graph *graph, const struct topology_element *element, uint32_t number)
{
    switch (element->kind) {
    case TOPOLOGY_NIC:
        return link_at_port(graph, element->nic, number);
    case TOPOLOGY_HOST_LINK:
        return link_at_port(graph, element->nic, element->plane);
    case TOPOLOGY_PLANE:
        return link_of_plane(graph, element->plane, number);
    case TOPOLOGY_SWITCH:
        return link_at_port(graph, node_at(graph, &element->lower), number);
    default:
        return link_between(graph, element);
    }
}

bool topology_graph_link_of(const struct graph *graph, const struct topology_element *element,
    uint32_t number, struct topology_end *lower, struct topology_end *upper)
{
    const struct graph_link *link = nth_link(graph, element, number);

    if (!link)
        return false;
    *lower = topology_graph_end(graph, link->ends[graph_lower_side(graph, link)]);
    *upper = topology_graph_end(graph, link->ends[!graph_lower_side(graph, link)]);
    return true;
}
