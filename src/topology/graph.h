/* SPDX-License-Identifier: Apache-2.0 */
/* Any topology as lists of nodes, ports and links. Generators, one file each, fill a graph; a file
 * of links fills it link by link.
 *
 * Nodes 0 to nic_count - 1 are the NICs; switches follow. A switch has a tier (or level), a plane
 * and a number among the switches of its tier and plane. The ports of a node are numbered from 0;
 * the first ports of a switch lead to NICs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "topology/topology_link.h"

#define GRAPH_TIERS_MAX    4
#define GRAPH_PLANES_MAX   16
#define GRAPH_NONE         UINT32_MAX
#define GRAPH_NAME_BYTES   TOPOLOGY_NAME_BYTES
#define GRAPH_REASON_BYTES TOPOLOGY_REASON_BYTES

struct graph_node {
    bool is_nic;
    uint8_t tier; /* switches only */
    uint16_t plane;
    uint32_t index;      /* among the nodes of its tier and plane; for a NIC: its number */
    uint32_t first_port; /* in ends_of_port */
    uint32_t port_count;
};

struct graph_end {
    uint32_t node;
    uint32_t port;
};

struct graph_link {
    struct graph_end ends[2];
    uint64_t rate_bps;
    uint64_t delay_ps;
    uint32_t line; /* in the file of links; 0: none */
};

struct graph_size {
    uint32_t nic_count;
    uint32_t switch_count;
    uint32_t link_count;
};

struct graph {
    struct graph_size size;
    uint32_t node_count; /* NICs and switches added so far */
    uint32_t link_count;
    uint32_t plane_count;
    bool has_parallel; /* several links between the same two nodes; set by graph_finish() */
    struct graph_node *nodes;
    struct graph_link *links;
    uint32_t *link_of_port; /* set by graph_finish() */
};

/* A problem of a graph: the link (or GRAPH_NONE), its line, and a text for users. `number`: the
 * parameter of its shape that is wrong, set only by generators; GRAPH_NONE: none alone. */
struct graph_problem {
    uint32_t link;
    uint32_t line;
    uint32_t number;
    char reason[GRAPH_REASON_BYTES];
};

/* ---- building -------------------------------------------------------------------------------- */

/* Adds all NICs. The caller then adds as many switches and links as `size` states. */
void graph_init(struct graph *, struct arena *, const struct graph_size *);
uint32_t graph_add_switch(struct graph *, uint32_t tier, uint32_t plane, uint32_t index);
/* Adds a link between the next free ports of two nodes. */
void graph_connect(struct graph *, uint32_t from, uint32_t to, const struct graph_link *kind);
/* Adds a link whose ports the caller chooses. */
void graph_add_link(struct graph *, const struct graph_link *);
/* Completes the ports. Returns false if a node has a link to itself or no link, a port is used
 * twice or not at all, an end of a link does not exist, or NICs cannot reach each other. `scratch`
 * has room for node_count numbers. */
bool graph_finish(struct graph *, uint32_t *scratch, struct graph_problem *);

/* ---- looking --------------------------------------------------------------------------------- */

/* Returns the link at a port and its other end, or NULL if there is no such port. */
const struct graph_link *graph_link_at(
    const struct graph *, struct graph_end, struct graph_end *peer);
/* Returns the number of the link at this port among the parallel links between the same two nodes,
 * counted by ports of its node: 0, 1, ... */
uint32_t graph_parallel(const struct graph *, struct graph_end);
/* Returns the lower end of a link: the NIC, else the lower tier, else the first end. */
uint32_t graph_lower_side(const struct graph *, const struct graph_link *);
/* Returns the number of switches of a tier in a plane. */
uint32_t graph_count(const struct graph *, uint32_t tier, uint32_t plane);

/* Computes the number of switches from each node to a NIC, including the node itself if it is a
 * switch; GRAPH_NONE: unreachable. NICs do not forward. Returns the number of reachable nodes.
 * `queue`, which has room for one number per node, lists them, nearest first. */
uint32_t graph_distances(
    const struct graph *, uint32_t to_nic, uint32_t *distances, uint32_t *queue);
/* Returns the number of switches on the longest of all shortest paths between NICs. `scratch` has
 * room for two numbers per node. In a large graph, where NICs have links to more than 1,024
 * different sets of switches, evenly spaced samples are taken. */
uint32_t graph_longest(const struct graph *, uint32_t *scratch);

/* "h12" or "p3.t0.17" */
void graph_name(const struct graph *, uint32_t node, char out[static GRAPH_NAME_BYTES]);
/* Returns GRAPH_NONE if no node has this name. */
uint32_t graph_find(const struct graph *, const char *name);
uint32_t graph_find_switch(const struct graph *, uint32_t plane, uint32_t tier, uint32_t index);
