/* SPDX-License-Identifier: Apache-2.0 */
/* Rail topologies: NICs at the same position in their servers share leaves. Rail-optimised,
 * rail-only, and two planes of rails. */
#include "topology/graph.h"
#include "topology/graph_sum.h"

bool graph_rail_size(
    const struct graph_rail *rail, struct graph_size *size, struct graph_problem *problem)
{
    uint64_t leaves = (uint64_t)rail->group_count * rail->rail_count * rail->plane_count;
    uint64_t nics = (uint64_t)rail->group_count * rail->rail_count * rail->servers_per_group;
    uint64_t nets = rail->is_rail_only ? rail->rail_count : rail->plane_count;

    if (nics == 0 || rail->spine_count == 0)
        return graph_sum_refuse(problem, "% NICs and % spines", nics, rail->spine_count);
    if (rail->plane_count < 1 || rail->plane_count > (rail->is_rail_only ? 1 : 2))
        return graph_sum_refuse(
            problem, "% planes: rails have one or two, rail-only one", rail->plane_count, 0);
    if (nets > GRAPH_PLANES_MAX)
        return graph_sum_refuse(problem, "% rails: 1 to 16 can be addressed", nets, 0);
    return graph_sum_take(size, nics, leaves + nets * rail->spine_count,
        nics * rail->plane_count + leaves * rail->spine_count, problem);
}

/* Leaf r of group g is number g * rails + r; if each rail is a plane, number g. */
static void make_leaves(
    struct graph *graph, const struct graph_rail *rail, uint32_t plane, uint32_t first)
{
    for (uint32_t leaf = 0; leaf < rail->group_count * rail->rail_count; leaf++)
        if (rail->is_rail_only)
            graph_add_switch(graph, 0, leaf % rail->rail_count, leaf / rail->rail_count);
        else
            graph_add_switch(graph, 0, plane, leaf);
    for (uint32_t nic = 0; nic < graph->size.nic_count; nic++) {
        uint32_t group = nic / (rail->rail_count * rail->servers_per_group);

        graph_connect(graph, nic, first + group * rail->rail_count + nic % rail->rail_count,
            &(struct graph_link){
                .rate_bps = rail->host_link.rate_bps, .delay_ps = rail->host_link.delay_ps });
    }
}

static void make_spines(
    struct graph *graph, const struct graph_rail *rail, uint32_t plane, uint32_t first_leaf)
{
    uint32_t step = rail->is_rail_only ? rail->rail_count : 1;

    for (uint32_t i = 0; i < rail->spine_count; i++) {
        uint32_t spine = graph_add_switch(graph, 1, plane, i);

        for (uint32_t leaf = rail->is_rail_only ? plane : 0;
             leaf < rail->group_count * rail->rail_count; leaf += step)
            graph_connect(graph, first_leaf + leaf, spine,
                &(struct graph_link){
                    .rate_bps = rail->uplink.rate_bps, .delay_ps = rail->uplink.delay_ps });
    }
}

void graph_rail(struct graph *graph, const struct graph_rail *rail)
{
    uint32_t nets = rail->is_rail_only ? rail->rail_count : rail->plane_count;
    uint32_t first_leaf = graph->node_count;

    if (rail->is_rail_only)
        make_leaves(graph, rail, 0, first_leaf);
    for (uint32_t net = 0; net < nets; net++) {
        if (!rail->is_rail_only) {
            first_leaf = graph->node_count;
            make_leaves(graph, rail, net, first_leaf);
        }
        make_spines(graph, rail, net, first_leaf);
    }
}
