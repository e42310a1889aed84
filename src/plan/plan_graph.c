/* SPDX-License-Identifier: Apache-2.0 */
/* uSIDs of any graph: chooses the layout and names each switch. */
#include <assert.h>

#include "base/text.h"
#include "plan/plan.h"
#include "plan/plan_graph.h"
#include "plan/plan_usid.h"

const char *const plan_layout_words[PLAN_LAYOUT_COUNT] = {
    [PLAN_LAYOUT_ONE_BLOCK] = "one block: plane(3) type(3) index(10)",
    [PLAN_LAYOUT_PLANE_BLOCK] = "a block per plane: type(3) index(13)",
};

const char *const plan_choice_words[PLAN_CHOICE_COUNT + 1] = {
    [PLAN_CHOICE_SHORTEST] = "shortest",
    [PLAN_CHOICE_DISJOINT] = "disjoint",
};

static const struct {
    uint32_t planes;
    uint32_t indexes;
} room[PLAN_LAYOUT_COUNT] = {
    [PLAN_LAYOUT_ONE_BLOCK] = { 8, 1024 },
    [PLAN_LAYOUT_PLANE_BLOCK] = { 16, 8192 },
};

enum plan_layout plan_layout_for(uint32_t plane_count)
{
    return plane_count <= room[PLAN_LAYOUT_ONE_BLOCK].planes ? PLAN_LAYOUT_ONE_BLOCK
                                                             : PLAN_LAYOUT_PLANE_BLOCK;
}

uint32_t plan_layout_index_bits(enum plan_layout layout)
{
    return (uint32_t)__builtin_ctz(room[layout].indexes);
}

static void count_names(struct plan_graph *plan)
{
    const struct graph *graph = plan->graph;

    for (uint32_t tier = 0; tier < GRAPH_TIERS_MAX; tier++) {
        plan->tier_switches[tier] = 0;
        plan->tier_names[tier] = 1;
    }
    for (uint32_t i = graph->size.nic_count; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->nodes[i];

        if (node->index >= plan->tier_switches[node->tier])
            plan->tier_switches[node->tier] = node->index + 1;
        for (uint32_t port = 0; graph->has_parallel && port < node->port_count; port++) {
            uint32_t parallel = graph_parallel(graph, (struct graph_end){ i, port });
            struct graph_end peer;
            uint32_t *names;

            graph_link_at(graph, (struct graph_end){ i, port }, &peer);
            names = &plan->tier_names[graph->nodes[peer.node].tier];
            if (!graph->nodes[peer.node].is_nic && parallel >= *names)
                *names = parallel + 1;
        }
    }
}

/* Returns the number of indexes that the largest tier, or the downlinks of a switch, need. */
static uint32_t indexes_needed(const struct plan_graph *plan)
{
    const struct graph *graph = plan->graph;
    uint32_t most = 0;

    for (uint32_t tier = 0; tier < GRAPH_TIERS_MAX; tier++)
        if (plan->tier_switches[tier] * plan->tier_names[tier] > most)
            most = plan->tier_switches[tier] * plan->tier_names[tier];
    for (uint32_t i = 0; i < graph->link_count; i++)
        for (uint32_t side = 0; side < 2; side++) {
            struct graph_end end = graph->links[i].ends[side];

            if (graph->nodes[graph->links[i].ends[!side].node].is_nic && end.port >= most)
                most = end.port + 1;
        }
    return most;
}

static bool refuse_graph(struct graph_problem *problem, const char *format, const uint64_t *numbers)
{
    struct text text = text_in(problem->reason, sizeof(problem->reason));

    problem->link = GRAPH_NONE;
    problem->line = 0;
    text_fill(&text, format, numbers);
    return false;
}

bool plan_graph_choose(struct plan_graph *plan, struct graph_problem *problem)
{
    uint32_t plane_count = plan->graph->plane_count;
    uint32_t indexes;

    if (plan->graph->size.switch_count > PLAN_ADDRESS_SWITCHES)
        return refuse_graph(problem, "switches: %; addresses of NICs have room for %",
            (const uint64_t[]){ plan->graph->size.switch_count, PLAN_ADDRESS_SWITCHES });
    count_names(plan);
    indexes = indexes_needed(plan);
    for (uint32_t i = 0; i < PLAN_LAYOUT_COUNT; i++)
        if (plane_count <= room[i].planes && indexes <= room[i].indexes) {
            plan->layout = (enum plan_layout)i;
            return true;
        }
    return refuse_graph(problem,
        "planes: %, switches or downlinks of a kind: %; uSIDs have room for 16 and 8192",
        (const uint64_t[]){ plane_count, indexes });
}

uint16_t plan_usid_of(
    enum plan_layout layout, uint32_t plane, enum plan_usid_type type, uint32_t index)
{
    assert(plane < room[layout].planes || layout == PLAN_LAYOUT_PLANE_BLOCK);
    assert(index < room[layout].indexes);
    if (layout == PLAN_LAYOUT_PLANE_BLOCK)
        return (uint16_t)((uint32_t)type << 13 | index);
    return (uint16_t)(plane << 13 | (uint32_t)type << 10 | index);
}

uint16_t plan_graph_usid(const struct plan_graph *plan, uint32_t node, uint32_t parallel)
{
    const struct graph_node *at = &plan->graph->nodes[node];

    assert(!at->is_nic);
    return plan_usid_of(plan->layout, at->plane, plan_usid_switch_type(at->tier),
        at->index + parallel * plan->tier_switches[at->tier]);
}
