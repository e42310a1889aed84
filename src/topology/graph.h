/* SPDX-License-Identifier: Apache-2.0 */
/* Any topology as lists of nodes, ports and links. Generators, one file each, fill a graph; a file
 * of links does it link by link.
 *
 * Nodes 0 to nic_count - 1 are the NICs; switches follow. A switch has a tier (or level), a plane
 * and a number among those of its tier and plane. Ports of a node count from 0; of a switch those
 * to NICs come first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "topology/graph_kinds.h"

#define GRAPH_TIERS_MAX  4
#define GRAPH_PLANES_MAX 16
#define GRAPH_NONE       UINT32_MAX

struct graph_node {
    bool is_nic;
    uint8_t tier; /* of a switch */
    uint16_t plane;
    uint32_t index;      /* among the nodes of its tier and plane; of a NIC: its number */
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
    uint32_t line; /* of the file that names it; 0: none */
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
    bool has_parallel; /* links between the same two nodes; after graph_finish() */
    struct graph_node *nodes;
    struct graph_link *links;
    uint32_t *link_of_port; /* after graph_finish() */
};

/* What is wrong with a graph: the link (or GRAPH_NONE) and its line, and why, for people. */
struct graph_problem {
    uint32_t link;
    uint32_t line;
    char reason[GRAPH_REASON_BYTES];
};

/* ---- building -------------------------------------------------------------------------------- */

/* All NICs are there; switches and links are to be added, as many as `size` says. */
void graph_init(struct graph *, struct arena *, const struct graph_size *);
uint32_t graph_add_switch(struct graph *, uint32_t tier, uint32_t plane, uint32_t index);
/* A link between the next free ports of two nodes. */
void graph_connect(struct graph *, uint32_t from, uint32_t to, const struct graph_link *kind);
/* A link whose ports are chosen by the caller. */
void graph_add_link(struct graph *, const struct graph_link *);
/* Completes the ports. False: a node is linked to itself or not at all, a port is used twice or
 * left out, two ends of a link do not exist, or NICs have no way to each other. `scratch` has room
 * for node_count numbers. */
bool graph_finish(struct graph *, uint32_t *scratch, struct graph_problem *);

/* ---- looking --------------------------------------------------------------------------------- */

/* The link at a port, and where it ends; NULL: no such port. */
const struct graph_link *graph_link_at(
    const struct graph *, struct graph_end, struct graph_end *peer);
/* Which of the links between the same two nodes is at this port, by ports of its node: 0, 1, ... */
uint32_t graph_parallel(const struct graph *, struct graph_end);
/* Which of a link's ends is the lower: the NIC, else the lower tier, else the first. */
uint32_t graph_lower_side(const struct graph *, const struct graph_link *);
/* How many switches of a tier a plane has. */
uint32_t graph_count(const struct graph *, uint32_t tier, uint32_t plane);

/* Switches from each node to a NIC, the node itself included where it is a switch; GRAPH_NONE: no
 * way. NICs do not forward. Returns how many nodes have a way; `queue`, which has room for a number
 * per node, lists these, the nearest first. */
uint32_t graph_distances(
    const struct graph *, uint32_t to_nic, uint32_t *distances, uint32_t *queue);
/* Switches on the longest of the shortest paths that NICs have to each other; `scratch` has room
 * for two numbers per node. A large graph, where NICs hang at more than 1,024 different sets of
 * switches, is sampled evenly. */
uint32_t graph_longest(const struct graph *, uint32_t *scratch);

/* "h12" or "p3.t0.17" */
void graph_name(const struct graph *, uint32_t node, char out[static GRAPH_NAME_BYTES]);
/* GRAPH_NONE: no node is called so. */
uint32_t graph_find(const struct graph *, const char *name);
uint32_t graph_find_switch(const struct graph *, uint32_t plane, uint32_t tier, uint32_t index);

/* ---- generators ------------------------------------------------------------------------------ */

/* Each tells the size of what it makes, and makes it; links are finished by the caller. False: the
 * numbers do not fit together; the problem says why. */
bool graph_clos_size(const struct graph_clos *, struct graph_size *, struct graph_problem *);
void graph_clos(struct graph *, const struct graph_clos *);
bool graph_rail_size(const struct graph_rail *, struct graph_size *, struct graph_problem *);
void graph_rail(struct graph *, const struct graph_rail *);
bool graph_zcube_size(const struct graph_zcube *, struct graph_size *, struct graph_problem *);
void graph_zcube(struct graph *, const struct graph_zcube *);
