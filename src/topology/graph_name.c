/* SPDX-License-Identifier: Apache-2.0 */
/* Formats and parses the names of nodes of a graph. */
#include "base/scan.h"
#include "base/text.h"
#include "topology/graph.h"

void graph_name(const struct graph *graph, uint32_t node, char out[static GRAPH_NAME_BYTES])
{
    const struct graph_node *at = &graph->nodes[node];
    struct text text = text_in(out, GRAPH_NAME_BYTES);

    if (at->is_nic)
        text_fill(&text, "h%", (const uint64_t[]){ at->index });
    else
        text_fill(&text, "p%.t%.%", (const uint64_t[]){ at->plane, at->tier, at->index });
}

uint32_t graph_find_switch(const struct graph *graph, uint32_t plane, uint32_t tier, uint32_t index)
{
    for (uint32_t i = graph->size.nic_count; i < graph->node_count; i++)
        if (graph->nodes[i].plane == plane && graph->nodes[i].tier == tier &&
            graph->nodes[i].index == index)
            return i;
    return GRAPH_NONE;
}

uint32_t graph_find(const struct graph *graph, const char *name)
{
    uint32_t plane;
    uint32_t tier;
    uint32_t index;

    if (scan_word(&name, "h"))
        return scan_u32(&name, &index) && !*name && index < graph->size.nic_count ? index
                                                                                  : GRAPH_NONE;
    if (scan_word(&name, "p") && scan_u32(&name, &plane) && scan_word(&name, ".t") &&
        scan_u32(&name, &tier) && scan_word(&name, ".") && scan_u32(&name, &index) && !*name)
        return graph_find_switch(graph, plane, tier, index);
    return GRAPH_NONE;
}
