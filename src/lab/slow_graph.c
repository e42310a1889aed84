/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a graph with its links, in one block of memory. */
#include "lab/slow_graph.h"

#include <stdlib.h>

struct slow_graph {
    struct graph graph;
    struct graph_link links[];
};

struct graph *slow_graph_copy(const struct graph *graph, uint32_t slower)
{
    struct slow_graph *copy = malloc(sizeof(*copy) + graph->link_count * sizeof(struct graph_link));

    if (!copy)
        return NULL;
    copy->graph = *graph;
    copy->graph.links = copy->links;
    for (uint32_t i = 0; i < graph->link_count; i++) {
        copy->links[i] = graph->links[i];
        copy->links[i].rate_bps /= slower;
        copy->links[i].delay_ps *= slower;
    }
    return &copy->graph;
}
