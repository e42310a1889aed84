/* SPDX-License-Identifier: Apache-2.0 */
/* Rail topologies: NICs at the same position in their servers share leaves. Rail-optimised,
 * rail-only, and two planes of rails.
 *
 * NIC r of server s, number s * rails + r, has a link to leaf r of its group in each plane.
 * Rail-only: leaves of rail r have links only to the spines of rail r, and a rail is a plane. With
 * two planes: dual ToR, dual plane. */
#include <stddef.h>

#include "topology/graph_sum.h"

enum { RAILS, GROUPS, SERVERS, SPINES };

static const struct graph_number numbers[] = {
    [RAILS] = { "rails", 0 },
    [GROUPS] = { "groups", 0 },
    [SERVERS] = { "servers_per_group", 0 },
    [SPINES] = { "spines", 0 },
    { NULL, 0 },
};

static bool is_rail_only(const struct graph_parameters *rail)
{
    return rail->shape == &graph_shape_rail_only;
}

static uint32_t plane_count(const struct graph_parameters *rail)
{
    return rail->shape == &graph_shape_dual_plane ? 2 : 1;
}

/* Returns the number of networks that spines connect separately. */
static uint32_t net_count(const struct graph_parameters *rail)
{
    return is_rail_only(rail) ? rail->numbers[RAILS] : plane_count(rail);
}

static bool rail_size(
    const struct graph_parameters *rail, struct graph_size *size, struct graph_problem *problem)
{
    uint64_t leaves = (uint64_t)rail->numbers[GROUPS] * rail->numbers[RAILS] * plane_count(rail);
    uint64_t nics = (uint64_t)rail->numbers[GROUPS] * rail->numbers[RAILS] * rail->numbers[SERVERS];
    uint64_t spines = rail->numbers[SPINES];

    if (nics == 0 || spines == 0)
        return graph_sum_refuse(problem, "% NICs and % spines", nics, spines);
    if (net_count(rail) > GRAPH_PLANES_MAX)
        return graph_sum_refuse(problem, "% rails: 1 to 16 can be addressed", net_count(rail), 0);
    return graph_sum_take(size, nics, leaves + net_count(rail) * spines,
        nics * plane_count(rail) + leaves * spines, problem);
}

/* Leaf r of group g is number g * rails + r; if each rail is a plane, number g. */
static void make_leaves(
    struct graph *graph, const struct graph_parameters *rail, uint32_t plane, uint32_t first)
{
    uint32_t rails = rail->numbers[RAILS];

    for (uint32_t leaf = 0; leaf < rail->numbers[GROUPS] * rails; leaf++)
        if (is_rail_only(rail))
            graph_add_switch(graph, 0, leaf % rails, leaf / rails);
        else
            graph_add_switch(graph, 0, plane, leaf);
    for (uint32_t nic = 0; nic < graph->size.nic_count; nic++) {
        uint32_t group = nic / (rails * rail->numbers[SERVERS]);

        graph_shape_connect(graph, nic, first + group * rails + nic % rails, &rail->host_link);
    }
}

static void make_spines(
    struct graph *graph, const struct graph_parameters *rail, uint32_t plane, uint32_t first_leaf)
{
    uint32_t leaf_count = rail->numbers[GROUPS] * rail->numbers[RAILS];
    uint32_t step = is_rail_only(rail) ? rail->numbers[RAILS] : 1;

    for (uint32_t i = 0; i < rail->numbers[SPINES]; i++) {
        uint32_t spine = graph_add_switch(graph, 1, plane, i);

        for (uint32_t leaf = is_rail_only(rail) ? plane : 0; leaf < leaf_count; leaf += step)
            graph_shape_connect(graph, first_leaf + leaf, spine, &rail->uplink);
    }
}

static void rail_build(struct graph *graph, const struct graph_parameters *rail)
{
    uint32_t first_leaf = graph->node_count;

    if (is_rail_only(rail))
        make_leaves(graph, rail, 0, first_leaf);
    for (uint32_t net = 0; net < net_count(rail); net++) {
        if (!is_rail_only(rail)) {
            first_leaf = graph->node_count;
            make_leaves(graph, rail, net, first_leaf);
        }
        make_spines(graph, rail, net, first_leaf);
    }
}

#define RAIL .numbers = numbers, .size = rail_size, .build = rail_build
const struct graph_shape graph_shape_rail_optimised = { RAIL };
const struct graph_shape graph_shape_rail_only = { RAIL };
const struct graph_shape graph_shape_dual_plane = { RAIL };
