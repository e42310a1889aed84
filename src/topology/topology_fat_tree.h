/* SPDX-License-Identifier: Apache-2.0 */
/* A fat tree of two or three tiers, with one port for each NIC, in place of several planes.
 *
 * It has as many NICs, the same rate for each NIC, and switches with as many Gb/s: of P planes it
 * becomes one, with links P times as fast and switches with a P-th of the ports. The shape "clos"
 * of fabric.yaml has the same counts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology_link.h"

struct topology_config;
struct topology_element;

struct topology_fat_tree {
    uint32_t planes; /* of the fabric that it is made from */
    uint32_t ports;  /* of a switch */
    uint32_t nics;
    uint32_t tiers; /* 2 or 3 */
    uint32_t hosts_per_leaf;
    uint32_t leaves_per_pod; /* two tiers: all leaves */
    uint32_t pods;           /* two tiers: 1 */
    uint32_t spines_per_pod;
    uint32_t leaf_links;  /* of a leaf to each spine */
    uint32_t cores;       /* two tiers: 0 */
    uint32_t spine_links; /* of a spine to each core of its column */
    uint32_t rails; /* NIC n is at leaf n % rails of as many leaves; 1: leaves fill up in order */
    uint64_t host_bps; /* of a link */
    uint64_t uplink_bps;
};

/* Makes the fat tree for a two-tier fabric, with the same ratio of uplinks to NICs at a leaf and
 * nothing lost above. Returns false with a reason. */
bool topology_fat_tree_init(struct topology_fat_tree *, const struct topology_config *,
    uint32_t nic_count, char reason[static TOPOLOGY_REASON_BYTES]);

/* Makes it rail-optimised: NICs at the same place in servers of `server_nics` NICs, or of the
 * largest number below that divides the leaves, share leaves. */
void topology_fat_tree_rail(struct topology_fat_tree *, uint32_t server_nics);

/* Returns the number of links between switches. */
uint64_t topology_fat_tree_uplinks(const struct topology_fat_tree *);

/* Takes away uplinks until the fat tree is affordable, and keeps as much capacity between pods as
 * possible. Returns false with a reason. */
struct topology_fat_tree_budget {
    bool (*permits)(const void *context, const struct topology_fat_tree *);
    const void *context;
};
bool topology_fat_tree_thin(struct topology_fat_tree *, const struct topology_fat_tree_budget *,
    char reason[static TOPOLOGY_REASON_BYTES]);

/* Returns the component that has the role and the rank of `element` of the two-tier fabric that the
 * fat tree was made from. Returns false with a reason if there is none. */
bool topology_fat_tree_element(const struct topology_fat_tree *, const struct topology_config *,
    const struct topology_element *element, struct topology_element *out,
    char reason[static TOPOLOGY_REASON_BYTES]);
