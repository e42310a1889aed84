/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of any graph: uSIDs of its switches, paths of a pair as EVs, outer addresses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"
#include "wire/ip_address.h"

#define PLAN_USIDS_MAX        6     /* after a block of 32 bits */
#define PLAN_SWITCHES_MAX     8     /* of a path */
#define PLAN_DETOUR_MAX       2     /* switches more than the shortest path has */
#define PLAN_ADDRESS_SWITCHES 65536 /* that addresses of NICs tell apart */
/* Of a pair and a port of its sender, at most: their number is 8 bits of an EV. */
#define PLAN_PORT_PATHS 256

/* How 16 bits name a switch or a downlink. */
enum plan_layout {
    PLAN_LAYOUT_ONE_BLOCK,   /* plane(3) type(3) index(10) in one block */
    PLAN_LAYOUT_PLANE_BLOCK, /* type(3) index(13) in a block for each plane: block, block + 1, ...
                              */
    PLAN_LAYOUT_COUNT,
};
extern const char *const plan_layout_words[PLAN_LAYOUT_COUNT];

struct plan_graph {
    const struct graph *graph;
    enum plan_layout layout;
    uint32_t block;
    uint64_t nic_latency_ps;
    uint64_t switch_latency_ps;
    uint32_t tier_switches[GRAPH_TIERS_MAX]; /* of a plane: the largest number, plus 1 */
    uint32_t tier_names[GRAPH_TIERS_MAX];    /* uSIDs of a switch: one for each of parallel links */
    uint32_t detour; /* paths may have as many switches more than the shortest: 0 to 2 */
};

/* Of a plan that has its graph: counts the names, and chooses the layout, the first that has room
 * for all planes, switches and downlinks. False: none has; the problem says what is too much. */
bool plan_graph_choose(struct plan_graph *, struct graph_problem *);

/* Of a switch. Where several links lead from one neighbour to it, each has a uSID of its own, with
 * the switch's index plus a multiple of the number of switches of its tier. */
uint16_t plan_graph_usid(const struct plan_graph *, uint32_t node, uint32_t parallel);

/* A path: which ports a packet leaves by, and what it costs. */
struct plan_route {
    uint32_t ev;                                  /* the NIC's port << 8 | number among its paths */
    uint32_t switch_count;                        /* passed */
    struct graph_end hops[PLAN_SWITCHES_MAX + 1]; /* the NIC, then the switches */
    uint64_t link_bps[PLAN_SWITCHES_MAX + 1];     /* behind each; parallel links count together */
    uint32_t middle_links; /* of a path over three switches: links of the second to all switches but
                              the first; 0: not known */
    uint64_t middle_bps;   /* their rates together */
    uint32_t usid_count;
    uint16_t usids[PLAN_USIDS_MAX];
    struct ipv6_addr outer;
    uint64_t rate_bps;   /* of its slowest link */
    uint64_t one_way_ps; /* of a full packet in an empty network */
};

/* The paths of a pair, or of a NIC to itself, in a fixed order: by port of the sender, then by
 * length, each no longer than its port's shortest by more than the detour. Of more than
 * PLAN_PORT_PATHS from a port the longest are left out, and those that are as long as the longest
 * taken are thinned out evenly, at random. A path whose list of uSIDs does not fit is left out.
 * `scratch` has room for plan_graph_scratch() numbers. Returns how many there are; at most
 * route_max are written. */
uint32_t plan_graph_routes(const struct plan_graph *, uint32_t from, uint32_t to, uint32_t *scratch,
    struct plan_route *routes, uint32_t route_max);
uint32_t plan_graph_scratch(const struct graph *);

/* Forwarding of a switch: uSIDs [first, last] leave by ports first_port, first_port + 1, ... */
struct plan_range {
    uint16_t first_usid;
    uint16_t last_usid;
    uint16_t first_port;
};

/* The static routes of a switch, ascending. Returns how many there are; what is more than range_max
 * is left out. */
uint32_t plan_graph_ranges(
    const struct plan_graph *, uint32_t node, struct plan_range *ranges, uint32_t range_max);
