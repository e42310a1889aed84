/* SPDX-License-Identifier: Apache-2.0 */
/* What a switch of a graph forwards: the uSIDs of its neighbours and downlinks and, where paths
 * have the short form, those of all leaves below it. */
#include <assert.h>

#include "plan/plan.h"
#include "plan/plan_graph.h"
#include "plan/plan_usid.h"

struct table {
    const struct plan_graph *plan;
    struct plan_entry *entries;
    uint32_t entry_max;
    uint32_t count;
};

static void add(struct table *table, uint16_t usid, uint32_t port)
{
    for (uint32_t i = 0; i < table->count && i < table->entry_max; i++)
        if (table->entries[i].usid == usid)
            return;
    if (table->count < table->entry_max)
        table->entries[table->count] = (struct plan_entry){ .usid = usid, .port = (uint16_t)port };
    table->count++;
}

static void add_neighbours(struct table *table, uint32_t node)
{
    const struct graph *graph = table->plan->graph;

    for (uint32_t port = 0; port < graph->nodes[node].port_count; port++) {
        struct graph_end peer;

        graph_link_at(graph, (struct graph_end){ node, port }, &peer);
        add(table,
            graph->nodes[peer.node].is_nic
                ? plan_usid_of(table->plan->layout, graph->nodes[node].plane, PLAN_USID_HOST, port)
                : plan_graph_usid(table->plan, peer.node),
            port);
    }
}

/* Recursion ends at the lowest tier. */
static void add_leaves(struct table *table, uint32_t below, uint32_t port)
{
    const struct graph *graph = table->plan->graph;

    if (graph->nodes[below].tier == 0) {
        add(table, plan_graph_usid(table->plan, below), port);
        return;
    }
    for (uint32_t i = 0; i < graph->nodes[below].port_count; i++) {
        struct graph_end peer;

        graph_link_at(graph, (struct graph_end){ below, i }, &peer);
        if (!graph->nodes[peer.node].is_nic &&
            graph->nodes[peer.node].tier < graph->nodes[below].tier)
            add_leaves(table, peer.node, port);
    }
}

static bool has_short_form(const struct graph *graph)
{
    for (uint32_t i = graph->size.nic_count; i < graph->node_count; i++)
        if (graph->nodes[i].tier == GRAPH_TIERS_MAX - 1)
            return true;
    return false;
}

uint32_t plan_graph_table(
    const struct plan_graph *plan, uint32_t node, struct plan_entry *entries, uint32_t entry_max)
{
    const struct graph *graph = plan->graph;
    struct table table = { .plan = plan, .entries = entries, .entry_max = entry_max };

    assert(!graph->nodes[node].is_nic);
    add_neighbours(&table, node);
    for (uint32_t port = 0; has_short_form(graph) && port < graph->nodes[node].port_count; port++) {
        struct graph_end peer;

        graph_link_at(graph, (struct graph_end){ node, port }, &peer);
        if (!graph->nodes[peer.node].is_nic &&
            graph->nodes[peer.node].tier < graph->nodes[node].tier)
            add_leaves(&table, peer.node, port);
    }
    return table.count;
}
