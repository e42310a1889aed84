/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves: computed for two tiers, switches of tier 0 in graphs. */
#include "topology/topology_leaf.h"

#include <assert.h>

#include "topology/topology_graph.h"

uint32_t topology_leaf_count(const struct topology *topology)
{
    uint32_t most = topology->config.t0_count;

    for (uint32_t i = 0; topology->graph && i < topology->switch_count; i++) {
        struct topology_place place = topology_graph_switch(topology->graph, i).lower;

        most = place.tier == 0 && place.index >= most ? place.index + 1 : most;
    }
    return most;
}

bool topology_leaf_below(
    const struct topology *topology, const struct topology_element *link, uint32_t *leaf)
{
    if (!topology->has_leaves || link->kind == TOPOLOGY_HOST_LINK)
        return false;
    *leaf = topology->graph ? link->lower.index : link->t0;
    return link->lower.tier == 0;
}

uint32_t topology_leaf_uplink_number(
    const struct topology *topology, const struct topology_element *link)
{
    struct topology_end lower = { 0 };
    struct topology_end upper;

    if (!topology->graph)
        return link->t1;
    topology_graph_link_of(topology->graph, link, 0, &lower, &upper);
    return lower.port - topology_host_port_count(topology, lower.node);
}

/* Returns the switch index of a leaf in a plane. */
static uint32_t switch_of(const struct topology *topology, uint32_t plane, uint32_t leaf)
{
    struct topology_element element = {
        .kind = TOPOLOGY_T0, .plane = plane, .t0 = leaf, .lower = { .plane = plane, .index = leaf }
    };

    assert(topology->has_leaves);
    return topology_switch_index(topology, &element);
}

uint32_t topology_leaf_uplink_count(const struct topology *topology, uint32_t plane, uint32_t leaf)
{
    uint32_t at = switch_of(topology, plane, leaf);

    return topology->graph
               ? topology_port_count(topology, at) - topology_host_port_count(topology, at)
               : topology->config.t1_count;
}

static struct topology_end uplink_end(
    const struct topology *topology, const struct topology_leaf_uplink *uplink)
{
    uint32_t at = switch_of(topology, uplink->plane, uplink->leaf);

    return (struct topology_end){ .node = at,
        .port = topology_host_port_count(topology, at) + uplink->number };
}

size_t topology_leaf_graph_link(
    const struct topology *topology, const struct topology_leaf_uplink *uplink)
{
    return topology_graph_link_number(topology->graph, uplink_end(topology, uplink));
}

uint64_t topology_leaf_uplink_bps(
    const struct topology *topology, const struct topology_leaf_uplink *uplink)
{
    return topology_port_bps(topology, uplink_end(topology, uplink));
}

uint64_t topology_leaf_uplinks_bps(const struct topology *topology, uint32_t leaf)
{
    const struct topology_config *config = &topology->config;
    struct topology_leaf_uplink uplink = { .leaf = leaf };
    uint64_t sum_bps = 0;

    if (!topology->graph && config->exception_count == 0)
        return config->uplink.rate_bps * config->t1_count * config->plane_count;
    for (; uplink.plane < topology_component_count(topology, TOPOLOGY_PLANE); uplink.plane++) {
        uint32_t count = topology_leaf_uplink_count(topology, uplink.plane, leaf);

        for (uplink.number = 0; uplink.number < count; uplink.number++)
            sum_bps += topology_leaf_uplink_bps(topology, &uplink);
    }
    return sum_bps;
}
