/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the generators. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology_link.h"

#define GRAPH_NAME_BYTES   TOPOLOGY_NAME_BYTES
#define GRAPH_REASON_BYTES TOPOLOGY_REASON_BYTES

/* Multi-plane Clos of two to four tiers. A unit of level l holds units[l] units of level l - 1 and
 * tops[l] switches of tier l; a unit of level 0 is a T0. Top j of a lower unit has links to the
 * tops of its column, j * tops[l] / tops[l - 1] and following, parallel[l] to each. With fewer tops
 * the level is oversubscribed. units[0] is the number of hosts of a T0. */
struct graph_clos {
    uint32_t plane_count;
    uint32_t tier_count;
    uint32_t units[4];
    uint32_t tops[4];     /* tops[0] is 1 */
    uint32_t parallel[4]; /* from level 1 on; 0: 1 */
    struct topology_link_kind host_link;
    struct topology_link_kind uplink;
};

/* NIC r of server s, number s * rails + r, has a link to leaf r of its group in each plane.
 * Rail-only: leaves of rail r have links only to the spines of rail r, and a rail is a plane. With
 * two planes: dual ToR, dual plane. */
struct graph_rail {
    uint32_t rail_count;
    uint32_t group_count;
    uint32_t servers_per_group;
    uint32_t spine_count; /* per plane; rail-only: per rail */
    uint32_t plane_count; /* 1 or 2; rail-only: 1 */
    bool is_rail_only;
    struct topology_link_kind host_link;
    struct topology_link_kind uplink;
};

/* ZCube(n, k): n^k NICs with k ports, k levels of n^(k-1) switches. */
struct graph_zcube {
    uint32_t n;
    uint32_t k; /* 2 or 3 */
    struct topology_link_kind host_link;
    struct topology_link_kind uplink;
};
