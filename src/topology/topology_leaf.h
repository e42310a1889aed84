/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves: the switches next to NICs, and the links that lead up from them. A leaf has the same
 * number in all planes, and its uplinks stay within the plane. These functions require has_leaves:
 * a two-tier Clos, and many graphs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct topology;
struct topology_element;

/* Returns the number of leaves. */
uint32_t topology_leaf_count(const struct topology *);
/* Returns the leaf that a link leads up from. False: the link is that of a NIC, or its lower end is
 * not a leaf. */
bool topology_leaf_below(
    const struct topology *, const struct topology_element *link, uint32_t *leaf);
/* Returns the number of such a link among the uplinks of its leaf. */
uint32_t topology_leaf_uplink_number(const struct topology *, const struct topology_element *link);

/* Returns the number of ports of a leaf that lead up within a plane, with or without a cable. */
uint32_t topology_leaf_uplink_count(const struct topology *, uint32_t plane, uint32_t leaf);
/* Returns the sum of the rates of all uplinks of a leaf, in all planes. */
uint64_t topology_leaf_uplinks_bps(const struct topology *, uint32_t leaf);

struct topology_leaf_uplink {
    uint32_t plane;
    uint32_t leaf;
    uint32_t number; /* among the uplinks of the leaf */
};
/* Returns the rate of an uplink; 0: it is missing. */
uint64_t topology_leaf_uplink_bps(const struct topology *, const struct topology_leaf_uplink *);
/* Returns the number of an uplink of a graph, as topology_link_number() does. topology_uplink()
 * works for all topologies. */
size_t topology_leaf_graph_link(const struct topology *, const struct topology_leaf_uplink *);
