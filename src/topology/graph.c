/* SPDX-License-Identifier: Apache-2.0 */
/* Builds graphs and answers where their links lead. */
#include "topology/graph.h"

#include <assert.h>
#include <stdalign.h>

void graph_init(struct graph *graph, struct arena *arena, const struct graph_size *size)
{
    uint32_t nodes = size->nic_count + size->switch_count;

    *graph = (struct graph){ .size = *size, .node_count = size->nic_count, .plane_count = 1 };
    graph->nodes = arena_take(arena, nodes, sizeof(*graph->nodes), alignof(struct graph_node));
    graph->links =
        arena_take(arena, size->link_count, sizeof(*graph->links), alignof(struct graph_link));
    graph->link_of_port =
        arena_take(arena, 2 * (size_t)size->link_count, sizeof(uint32_t), alignof(uint32_t));
    for (uint32_t i = 0; graph->nodes && i < size->nic_count; i++)
        graph->nodes[i] = (struct graph_node){ .is_nic = true, .index = i };
}

uint32_t graph_add_switch(struct graph *graph, uint32_t tier, uint32_t plane, uint32_t index)
{
    assert(graph->node_count < graph->size.nic_count + graph->size.switch_count);
    assert(tier < GRAPH_TIERS_MAX);
    graph->nodes[graph->node_count] =
        (struct graph_node){ .tier = (uint8_t)tier, .plane = (uint16_t)plane, .index = index };
    if (plane >= graph->plane_count)
        graph->plane_count = plane + 1;
    return graph->node_count++;
}

void graph_add_link(struct graph *graph, const struct graph_link *link)
{
    assert(graph->link_count < graph->size.link_count);
    graph->links[graph->link_count++] = *link;
}

void graph_connect(struct graph *graph, uint32_t from, uint32_t to, const struct graph_link *kind)
{
    struct graph_link link = *kind;

    link.ends[0] = (struct graph_end){ from, graph->nodes[from].port_count++ };
    link.ends[1] = (struct graph_end){ to, graph->nodes[to].port_count++ };
    graph_add_link(graph, &link);
}

const struct graph_link *graph_link_at(
    const struct graph *graph, struct graph_end end, struct graph_end *peer)
{
    const struct graph_node *node = &graph->nodes[end.node];
    const struct graph_link *link;

    if (end.port >= node->port_count)
        return NULL;
    link = &graph->links[graph->link_of_port[node->first_port + end.port]];
    *peer = link->ends[link->ends[0].node == end.node && link->ends[0].port == end.port];
    return link;
}

uint32_t graph_count(const struct graph *graph, uint32_t tier, uint32_t plane)
{
    uint32_t count = 0;

    for (uint32_t i = graph->size.nic_count; i < graph->node_count; i++)
        count += graph->nodes[i].tier == tier && graph->nodes[i].plane == plane;
    return count;
}

uint32_t graph_parallel(const struct graph *graph, struct graph_end end)
{
    uint32_t count = 0;
    struct graph_end peer = { 0 };

    graph_link_at(graph, end, &peer);
    for (uint32_t port = 0; graph->has_parallel && port < end.port; port++) {
        struct graph_end other = { 0 };

        graph_link_at(graph, (struct graph_end){ end.node, port }, &other);
        count += other.node == peer.node;
    }
    return count;
}

uint32_t graph_lower_side(const struct graph *graph, const struct graph_link *link)
{
    const struct graph_node *first = &graph->nodes[link->ends[0].node];
    const struct graph_node *second = &graph->nodes[link->ends[1].node];

    if (first->is_nic != second->is_nic)
        return second->is_nic;
    return second->tier < first->tier;
}
