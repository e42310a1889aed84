/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of any graph: uSIDs of switches, paths of a pair as EVs, outer addresses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"
#include "wire/ip_address.h"
#include "wire/srh.h"
#include "wire/usid.h"

#define PLAN_USIDS_MAX        (2 * USID_COUNT_MAX) /* in the address and in the segment of an SRH */
#define PLAN_SWITCHES_MAX     (PLAN_USIDS_MAX - 1) /* on a path; the last uSID is the downlink */
#define PLAN_DETOUR_MAX       2                    /* switches in excess of the shortest path */
#define PLAN_ADDRESS_SWITCHES 65536                /* distinguished by NIC addresses */
/* The most paths of a pair from one port of the sender: the path number is 8 bits of an EV. */
#define PLAN_PORT_PATHS 256

/* The layout of a uSID. */
enum plan_layout {
    PLAN_LAYOUT_ONE_BLOCK,   /* plane(3) type(3) index(10) in one block */
    PLAN_LAYOUT_PLANE_BLOCK, /* type(3) index(13) in a block for each plane: block, block + 1, ...
                              */
    PLAN_LAYOUT_COUNT,
};
extern const char *const plan_layout_words[PLAN_LAYOUT_COUNT];
/* Returns the width of the index in a uSID. */
uint32_t plan_layout_index_bits(enum plan_layout);
/* Returns the layout of two tiers with this number of planes. */
enum plan_layout plan_layout_for(uint32_t plane_count);

/* Which paths of a pair have EVs. */
enum plan_choice {
    PLAN_CHOICE_SHORTEST, /* the shortest of each port */
    PLAN_CHOICE_DISJOINT, /* of these, paths that share no link between switches */
    PLAN_CHOICE_COUNT,
};
extern const char *const plan_choice_words[PLAN_CHOICE_COUNT + 1]; /* ends with NULL */

struct plan_graph {
    const struct graph *graph;
    enum plan_layout layout;
    uint32_t block;
    uint64_t nic_latency_ps;
    uint64_t switch_latency_ps;
    uint32_t framing_bytes;
    uint32_t tier_switches[GRAPH_TIERS_MAX]; /* per plane: the highest index, plus 1 */
    uint32_t tier_names[GRAPH_TIERS_MAX];    /* uSIDs of a switch: one for each parallel link */
    uint32_t detour; /* paths may have this many switches more than the shortest: 0 to 2 */
    enum plan_choice choice;
};

/* Counts the names of a plan whose graph is set, and chooses the first layout with room for all
 * planes, switches and downlinks. Returns false if there is none; `problem` gives the reason. */
bool plan_graph_choose(struct plan_graph *, struct graph_problem *);

/* Returns the uSID of a switch. If several links lead to it from one neighbour, each has its own
 * uSID: the index of the switch plus a multiple of the number of switches of its tier. */
uint16_t plan_graph_usid(const struct plan_graph *, uint32_t node, uint32_t parallel);

/* A path: the ports by which a packet leaves, and its rate and delay. */
struct plan_route {
    uint32_t ev;           /* port of the NIC << 8 | number among its paths */
    uint32_t switch_count; /* switches on the path */
    struct graph_end hops[PLAN_SWITCHES_MAX + 1]; /* the NIC, then the switches */
    uint64_t link_bps[PLAN_SWITCHES_MAX + 1];     /* of the link behind each hop; parallel: sum */
    uint32_t middle_links; /* path over three switches: links of the second to all switches but the
                              first; 0: unknown */
    uint64_t middle_bps;   /* sum of their rates */
    uint32_t usid_count;
    uint16_t usids[PLAN_USIDS_MAX];
    struct ipv6_addr outer;
    struct ipv6_addr segment; /* of the SRH, if there are more than USID_COUNT_MAX uSIDs; else 0 */
    uint64_t rate_bps;        /* of its slowest link */
    uint64_t one_way_ps;      /* of a full packet in an empty network */
};

/* Returns the bytes of the SRH that packets on the path carry. */
static inline uint32_t plan_route_srh_bytes(const struct plan_route *route)
{
    return route->usid_count > USID_COUNT_MAX ? SRH_BYTES : 0;
}

/* Writes the paths of a pair, or of a NIC to itself, in a fixed order: by port of the sender, then
 * by length. Paths longer than the shortest of their port plus the detour are omitted. If a port
 * has more than PLAN_PORT_PATHS paths, the longest are omitted; of the paths of the last length
 * that fits only partly, evenly spaced ones are drawn at random. Paths whose uSIDs do not fit an
 * address are used, with an SRH, only by a port that has no other path. With PLAN_CHOICE_DISJOINT,
 * `routes` must have room for all paths of all ports, because some are removed again. `scratch` has
 * room for plan_graph_scratch() numbers. Returns the number of paths; writes at most route_max. */
uint32_t plan_graph_routes(const struct plan_graph *, uint32_t from, uint32_t to, uint32_t *scratch,
    struct plan_route *routes, uint32_t route_max);
uint32_t plan_graph_scratch(const struct graph *);

/* Returns the number of switches on the shortest way of a pair, whether or not its uSIDs fit;
 * GRAPH_NONE: there is no way. */
uint32_t plan_graph_least(const struct plan_graph *, uint32_t from, uint32_t to, uint32_t *scratch);

/* A route of a switch: uSIDs [first, last] leave by ports first_port, first_port + 1, ... */
struct plan_range {
    uint16_t first_usid;
    uint16_t last_usid;
    uint16_t first_port;
};

/* Writes the static routes of a switch in ascending order, at most range_max. Returns the number
 * written. */
uint32_t plan_graph_ranges(
    const struct plan_graph *, uint32_t node, struct plan_range *ranges, uint32_t range_max);
