/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves: the switches that NICs hang at, and the links that lead up from them. A leaf has one
 * number in all planes, from where links lead up within the plane. All of it is for topologies that
 * have leaves (has_leaves): a Clos by arithmetic, and many graphs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct topology;
struct topology_element;

/* Numbers of leaves are smaller. */
uint32_t topology_leaf_count(const struct topology *);
/* Of the leaf that a link leads up from; false: the link is a NIC's, or leads up from elsewhere. */
bool topology_leaf_below(
    const struct topology *, const struct topology_element *link, uint32_t *leaf);
/* The number that such a link has among those of its leaf. */
uint32_t topology_leaf_uplink_number(const struct topology *, const struct topology_element *link);

/* Ports of a leaf that lead up within a plane, whether or not they have a cable. */
uint32_t topology_leaf_uplink_count(const struct topology *, uint32_t plane, uint32_t leaf);
/* What all links up from a leaf carry, in all planes. */
uint64_t topology_leaf_uplinks_bps(const struct topology *, uint32_t leaf);

struct topology_leaf_uplink {
    uint32_t plane;
    uint32_t leaf;
    uint32_t number; /* among those of the leaf */
};
/* One of the links up of a graph, as topology_link_number() counts; topology_uplink() is for all.
 */
size_t topology_leaf_graph_link(const struct topology *, const struct topology_leaf_uplink *);
