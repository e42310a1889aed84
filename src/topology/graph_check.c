/* SPDX-License-Identifier: Apache-2.0 */
/* Completes the ports of a graph and refuses graphs that cannot be wired. */
#include "base/text.h"
#include "topology/graph.h"

static bool refuse_link(const struct graph *graph, uint32_t link, const char *words,
    const uint64_t *numbers, struct graph_problem *problem)
{
    struct text text = text_in(problem->reason, sizeof(problem->reason));
    char name[GRAPH_NAME_BYTES];

    problem->link = link;
    problem->line = link == GRAPH_NONE ? 0 : graph->links[link].line;
    if (link != GRAPH_NONE) {
        graph_name(graph, graph->links[link].ends[0].node, name);
        text_add(&text, name);
        text_add(&text, " to ");
        graph_name(graph, graph->links[link].ends[1].node, name);
        text_add(&text, name);
        text_add(&text, ": ");
    }
    text_fill(&text, words, numbers);
    return false;
}

static bool refuse_node(
    const struct graph *graph, uint32_t node, const char *words, struct graph_problem *problem)
{
    struct text text = text_in(problem->reason, sizeof(problem->reason));
    char name[GRAPH_NAME_BYTES];

    problem->link = GRAPH_NONE;
    problem->line = 0;
    graph_name(graph, node, name);
    text_add(&text, name);
    text_add(&text, words);
    return false;
}

static bool count_ports(struct graph *graph, struct graph_problem *problem)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < graph->node_count; i++)
        graph->nodes[i].port_count = 0;
    for (uint32_t i = 0; i < graph->link_count; i++) {
        const struct graph_end *ends = graph->links[i].ends;

        if (ends[0].node == ends[1].node)
            return refuse_link(graph, i, "a link to itself", NULL, problem);
        graph->nodes[ends[0].node].port_count++;
        graph->nodes[ends[1].node].port_count++;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].port_count == 0)
            return refuse_node(graph, i, " has no link", problem);
        graph->nodes[i].first_port = first;
        first += graph->nodes[i].port_count;
    }
    return true;
}

/* Each node has as many ports as links, so a number above them means that another number is
 * missing. */
static bool fill_ports(struct graph *graph, struct graph_problem *problem)
{
    for (uint32_t i = 0; i < 2 * graph->link_count; i++)
        graph->link_of_port[i] = GRAPH_NONE;
    for (uint32_t i = 0; i < graph->link_count; i++)
        for (uint32_t side = 0; side < 2; side++) {
            struct graph_end end = graph->links[i].ends[side];
            const struct graph_node *node = &graph->nodes[end.node];
            uint32_t *slot;

            if (end.port >= node->port_count)
                return refuse_link(graph, i, "port % of a node with % links",
                    (const uint64_t[]){ end.port, node->port_count }, problem);
            slot = &graph->link_of_port[node->first_port + end.port];
            if (*slot != GRAPH_NONE)
                return refuse_link(graph, i, "port % is used twice, by link % too",
                    (const uint64_t[]){ end.port, *slot }, problem);
            *slot = i;
        }
    return true;
}

static uint32_t root_of(uint32_t *parents, uint32_t node)
{
    while (parents[node] != node)
        node = parents[node] = parents[parents[node]];
    return node;
}

/* Each plane must be connected. Rails that only servers connect are separate planes. */
static bool check_reach(const struct graph *graph, uint32_t *parents, struct graph_problem *problem)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        parents[i] = i;
    for (uint32_t i = 0; i < graph->link_count; i++) {
        const struct graph_end *ends = graph->links[i].ends;

        parents[root_of(parents, ends[0].node)] = root_of(parents, ends[1].node);
    }
    for (uint32_t i = graph->size.nic_count; i < graph->node_count; i++) {
        uint32_t other = graph->size.nic_count;

        while (graph->nodes[other].plane != graph->nodes[i].plane)
            other++;
        if (root_of(parents, i) != root_of(parents, other))
            return refuse_node(graph, i, " cannot reach the other switches of its plane", problem);
    }
    return true;
}

/* `seen` holds, for each node, the last neighbour from which it was reached. */
static bool find_parallel(const struct graph *graph, uint32_t *seen)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        seen[i] = GRAPH_NONE;
    for (uint32_t node = 0; node < graph->node_count; node++)
        for (uint32_t port = 0; port < graph->nodes[node].port_count; port++) {
            struct graph_end peer;

            graph_link_at(graph, (struct graph_end){ node, port }, &peer);
            if (seen[peer.node] == node)
                return true;
            seen[peer.node] = node;
        }
    return false;
}

bool graph_finish(struct graph *graph, uint32_t *scratch, struct graph_problem *problem)
{
    if (!count_ports(graph, problem) || !fill_ports(graph, problem) ||
        !check_reach(graph, scratch, problem))
        return false;
    graph->has_parallel = find_parallel(graph, scratch);
    return true;
}
