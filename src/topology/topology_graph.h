/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of topology.h for graphs. */
#pragma once

#include "topology/topology.h"

static inline uint32_t topology_graph_node(const struct graph *graph, struct topology_end end)
{
    return end.is_nic ? end.node : graph->size.nic_count + end.node;
}

static inline struct topology_end topology_graph_end(
    const struct graph *graph, struct graph_end end)
{
    bool is_nic = graph->nodes[end.node].is_nic;

    return (struct topology_end){ .is_nic = is_nic,
        .node = is_nic ? end.node : end.node - graph->size.nic_count,
        .port = end.port };
}

uint32_t topology_graph_switch_index(const struct graph *, const struct topology_place *);
struct topology_element topology_graph_switch(const struct graph *, uint32_t switch_index);
bool topology_graph_port_faces_host(const struct graph *, uint32_t switch_index, uint32_t port);
bool topology_graph_peer(const struct graph *, struct topology_end, struct topology_end *peer);
bool topology_graph_link_at(const struct graph *, struct topology_end,
    struct topology_element *link, struct topology_link_kind *kind);
bool topology_graph_goes_up(const struct graph *, struct topology_end);

/* The functions of topology.h for components of graphs. */
struct topology_element topology_graph_link(const struct graph *, uint32_t number);
size_t topology_graph_link_number(const struct graph *, struct topology_end);
bool topology_graph_link_numbered(const struct graph *, uint32_t number,
    struct topology_element *link, struct topology_link_kind *kind);
uint32_t topology_graph_links_of(const struct graph *, const struct topology_element *);
uint32_t topology_graph_links_of_any(const struct graph *, enum topology_component);
bool topology_graph_link_of(const struct graph *, const struct topology_element *, uint32_t number,
    struct topology_end *lower, struct topology_end *upper);
bool topology_graph_has(
    const struct topology *, struct topology_element *, char reason[static TOPOLOGY_REASON_BYTES]);

struct text;
void topology_graph_name(const struct topology_element *, struct text *);
bool topology_graph_find(const struct topology *, const char *name, struct topology_element *,
    char reason[static TOPOLOGY_REASON_BYTES]);
