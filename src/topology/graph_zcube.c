/* SPDX-License-Identifier: Apache-2.0 */
/* ZCube(n, k): switch (l, x) of level l serves the NICs whose address without digit l is x. It has
 * links to the switches of the next level that have the same digits except digits l and l + 1. */
#include <assert.h>
#include <stddef.h>

#include "topology/graph_sum.h"

enum { N, K };

static const struct graph_number numbers[] = {
    [N] = { "n", 0 },
    [K] = { "k", 0 },
    { NULL, 0 },
};

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

static bool zcube_size(const struct graph_parameters *parameters, struct graph_size *size,
    struct graph_problem *problem)
{
    uint32_t n = parameters->numbers[N];
    uint32_t k = parameters->numbers[K];
    uint64_t per_level;

    if (k < 2 || k > 3)
        return graph_sum_refuse_number(problem, K, "k = %: 2 and 3 can be built", k);
    if (n < 2 || n > 256)
        return graph_sum_refuse_number(problem, N, "n = %: 2 to 256 can be built", n);
    per_level = power(n, k - 1);
    return graph_sum_take(size, per_level * n, per_level * k, per_level * n * (2 * k - 1), problem);
}

static void zcube_build(struct graph *graph, const struct graph_parameters *parameters)
{
    uint32_t n = parameters->numbers[N];
    uint32_t k = parameters->numbers[K];
    uint32_t per_level = power(n, k - 1);
    uint32_t first = graph->node_count;

    assert(n >= 2);
    for (uint32_t level = 0; level < k; level++)
        for (uint32_t i = 0; i < per_level; i++)
            graph_add_switch(graph, level, 0, i);
    for (uint32_t nic = 0; nic < graph->size.nic_count; nic++)
        for (uint32_t level = 0; level < k; level++)
            graph_shape_connect(graph, nic, first + level * per_level + without(nic, n, level),
                &parameters->host_link);
    for (uint32_t level = 0; level + 1 < k; level++)
        for (uint32_t nic = 0; nic < graph->size.nic_count; nic++)
            graph_shape_connect(graph, first + level * per_level + without(nic, n, level),
                first + (level + 1) * per_level + without(nic, n, level + 1), &parameters->uplink);
}

const struct graph_shape graph_shape_zcube = {
    .numbers = numbers, .detour = 1, .size = zcube_size, .build = zcube_build
};
