/* SPDX-License-Identifier: Apache-2.0 */
/* ZCube(n, k): switch (l, x) of level l serves the NICs whose address without digit l is x. It has
 * links to the switches of the next level that have the same digits except digits l and l + 1. */
#include <assert.h>

#include "topology/graph.h"
#include "topology/graph_sum.h"

static uint32_t power(uint32_t n, uint32_t exponent)
{
    uint32_t result = 1;

    while (exponent-- > 0)
        result *= n;
    return result;
}

/* Returns the number without its digit `place`. */
static uint32_t without(uint32_t number, uint32_t n, uint32_t place)
{
    uint32_t below = power(n, place);

    return number / (below * n) * below + number % below;
}

bool graph_zcube_size(
    const struct graph_zcube *zcube, struct graph_size *size, struct graph_problem *problem)
{
    uint64_t per_level;

    if (zcube->k < 2 || zcube->k > 3)
        return graph_sum_refuse(problem, "k = %: 2 and 3 can be built", zcube->k, 0);
    if (zcube->n < 2 || zcube->n > 256)
        return graph_sum_refuse(problem, "n = %: 2 to 256 can be built", zcube->n, 0);
    per_level = power(zcube->n, zcube->k - 1);
    return graph_sum_take(size, per_level * zcube->n, per_level * zcube->k,
        per_level * zcube->n * (2 * zcube->k - 1), problem);
}

void graph_zcube(struct graph *graph, const struct graph_zcube *zcube)
{
    const struct graph_link host = { .rate_bps = zcube->host_link.rate_bps,
        .delay_ps = zcube->host_link.delay_ps };
    const struct graph_link between = { .rate_bps = zcube->uplink.rate_bps,
        .delay_ps = zcube->uplink.delay_ps };
    uint32_t per_level = power(zcube->n, zcube->k - 1);
    uint32_t first = graph->node_count;

    assert(zcube->n >= 2);
    for (uint32_t level = 0; level < zcube->k; level++)
        for (uint32_t i = 0; i < per_level; i++)
            graph_add_switch(graph, level, 0, i);
    for (uint32_t nic = 0; nic < graph->size.nic_count; nic++)
        for (uint32_t level = 0; level < zcube->k; level++)
            graph_connect(
                graph, nic, first + level * per_level + without(nic, zcube->n, level), &host);
    for (uint32_t level = 0; level + 1 < zcube->k; level++)
        for (uint32_t nic = 0; nic < graph->size.nic_count; nic++)
            graph_connect(graph, first + level * per_level + without(nic, zcube->n, level),
                first + (level + 1) * per_level + without(nic, zcube->n, level + 1), &between);
}
