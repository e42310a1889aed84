/* SPDX-License-Identifier: Apache-2.0 */
/* The routes of a switch of a graph: the uSIDs of links to neighbours, of downlinks and, if paths
 * have the short form, of all leaves below it. */
#include <assert.h>

#include "plan/plan.h"
#include "plan/plan_graph.h"
#include "plan/plan_usid.h"

/* Ranges ascend. The first route added for a uSID wins. */
struct table {
    const struct plan_graph *plan;
    struct plan_range *ranges;
    uint32_t range_max;
    uint32_t count;
};

static bool continues(const struct plan_range *range, uint16_t usid, uint32_t port)
{
    return range->last_usid + 1 == usid &&
           range->first_port + (uint32_t)(usid - range->first_usid) == port;
}

static void join_with_next(struct table *table, uint32_t at)
{
    const struct plan_range *next = &table->ranges[at + 1];

    if (at + 1 >= table->count ||
        !continues(&table->ranges[at], next->first_usid, next->first_port))
        return;
    table->ranges[at].last_usid = next->last_usid;
    table->count--;
    for (uint32_t i = at + 1; i < table->count; i++)
        table->ranges[i] = table->ranges[i + 1];
}

static void insert_range(struct table *table, uint32_t at, uint16_t usid, uint32_t port)
{
    if (table->count >= table->range_max)
        return;
    for (uint32_t i = table->count++; i > at; i--)
        table->ranges[i] = table->ranges[i - 1];
    table->ranges[at] = (struct plan_range){ usid, usid, (uint16_t)port };
    join_with_next(table, at);
}

static void add_usid(struct table *table, uint16_t usid, uint32_t port)
{
    uint32_t at = table->count; /* the first range above */

    while (at > 0 && table->ranges[at - 1].first_usid > usid)
        at--;
    if (at > 0 && usid <= table->ranges[at - 1].last_usid)
        return;
    if (at > 0 && continues(&table->ranges[at - 1], usid, port)) {
        table->ranges[at - 1].last_usid = usid;
        join_with_next(table, at - 1);
    } else {
        insert_range(table, at, usid, port);
    }
}

static void add_neighbours(struct table *table, uint32_t node)
{
    const struct graph *graph = table->plan->graph;

    for (uint32_t port = 0; port < graph->nodes[node].port_count; port++) {
        struct graph_end peer;

        graph_link_at(graph, (struct graph_end){ node, port }, &peer);
        add_usid(table,
            graph->nodes[peer.node].is_nic
                ? plan_usid_of(table->plan->layout, graph->nodes[node].plane, PLAN_USID_HOST, port)
                : plan_graph_usid(table->plan, peer.node,
                      graph_parallel(graph, (struct graph_end){ node, port })),
            port);
    }
}

/* The recursion ends at the lowest tier. */
static void add_leaves(struct table *table, uint32_t below, uint32_t port)
{
    const struct graph *graph = table->plan->graph;

    if (graph->nodes[below].tier == 0) {
        add_usid(table, plan_graph_usid(table->plan, below, 0), port);
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

uint32_t plan_graph_ranges(
    const struct plan_graph *plan, uint32_t node, struct plan_range *ranges, uint32_t range_max)
{
    const struct graph *graph = plan->graph;
    struct table table = { .plan = plan, .ranges = ranges, .range_max = range_max };

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

uint32_t plan_routes_max(const struct plan *plan)
{
    const struct graph *graph = plan->topology.graph;
    uint32_t leaves = 0;

    if (!graph)
        return PLAN_RANGES_MAX;
    for (uint32_t i = graph->size.nic_count; has_short_form(graph) && i < graph->node_count; i++)
        leaves += graph->nodes[i].tier == 0;
    return plan->topology.config.radix + leaves;
}
