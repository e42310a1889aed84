/* SPDX-License-Identifier: Apache-2.0 */
/* The links of an element of a graph, and which of their directions a fault covers. */
#include "network/fault_cover_graph.h"

static uint32_t node_at(const struct graph *graph, const struct topology_place *place)
{
    return graph_find_switch(graph, place->plane, place->tier, place->index);
}

uint32_t fault_cover_graph_slots(const struct graph *graph, const struct topology_element *element)
{
    switch (element->kind) {
    case TOPOLOGY_NIC:
        return 2 * graph->nodes[element->nic].port_count;
    case TOPOLOGY_PLANE:
        return 2 * graph->link_count;
    case TOPOLOGY_SWITCH:
        return 2 * graph->nodes[node_at(graph, &element->lower)].port_count;
    default:
        return 2;
    }
}

uint32_t fault_cover_graph_slots_max(const struct graph *graph, enum topology_component component)
{
    uint32_t most = 1;

    if (component == TOPOLOGY_PLANE)
        return 2 * graph->link_count;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].is_nic ? component == TOPOLOGY_NIC : component == TOPOLOGY_SWITCH)
            most = graph->nodes[i].port_count > most ? graph->nodes[i].port_count : most;
    return 2 * most;
}

static const struct graph_link *link_at_port(
    const struct graph *graph, uint32_t node, uint32_t port)
{
    struct graph_end peer;

    return graph_link_at(graph, (struct graph_end){ node, port }, &peer);
}

/* The `parallel`th link from the lower switch to the upper one. */
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

/* A link of a plane has an end at one of its switches. */
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

static const struct graph_link *link_of(
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

bool fault_cover_graph_at(const struct graph *graph, const struct fault *fault,
    const struct topology_element *element, uint32_t slot, struct topology_end *end)
{
    const struct graph_link *link = link_of(graph, element, slot / 2);
    bool goes_up = slot % 2 == 0;
    struct graph_end from;

    if (!link)
        return false;
    if (!fault_kind_is(fault->kind, FAULT_CUTS) &&
        fault->direction == (goes_up ? FAULT_DOWNWARD : FAULT_UPWARD))
        return false;
    from = link->ends[graph_lower_side(graph, link) ^ !goes_up];
    if (!fault_kind_is(fault->kind, FAULT_CUTS | FAULT_WHOLE) && element->kind == TOPOLOGY_SWITCH &&
        from.node != node_at(graph, &element->lower))
        return false;
    *end = (struct topology_end){ .is_nic = graph->nodes[from.node].is_nic, .port = from.port };
    end->node = end->is_nic ? from.node : from.node - graph->size.nic_count;
    return true;
}
