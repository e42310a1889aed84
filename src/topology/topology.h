/* SPDX-License-Identifier: Apache-2.0 */
/* The topology of a fabric: its components, their names and numbers, and where links lead. A
 * multi-plane two-tier Clos (docs/fabric.md) is computed from a small description: nothing is
 * stored per path, per link or per NIC. Any other shape is a graph, and the same calls use its
 * lists.
 *
 * Two tiers: NICs are numbered 0 to nic_count - 1. NIC n has a link to downlink n % hosts_per_t0
 * of T0 n / hosts_per_t0, and its port p is in plane p. Ports 0 to hosts_per_t0 - 1 of a T0 are its
 * downlinks; port hosts_per_t0 + j is its uplink to T1 j. Port i of a T1 leads to T0 i. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/graph.h"
#include "topology/graph_shape.h"
#include "topology/topology_count.h"
#include "topology/topology_fat_tree.h"
#include "topology/topology_leaf.h"
#include "topology/topology_link.h"

#define TOPOLOGY_PLANES_MAX GRAPH_PLANES_MAX
#define TOPOLOGY_RADIX_MAX  1024
#define TOPOLOGY_NIC_BLOCK  UINT32_C(0x20010db8) /* 2001:db8::/32: the NICs' own addresses */

/* A full packet: outer and inner IPv6 headers, UDP, BTH, METH, TSETH, RETH, payload, iCRC. */
#define TOPOLOGY_PACKET_BYTES      (40 + 40 + 8 + 12 + 4 + 4 + 16 + 4096 + 4)
#define TOPOLOGY_SACK_BYTES        (40 + 40 + 8 + 12 + 28 + 8 + 4)
#define TOPOLOGY_TRIMMED_BYTES_MIN (40 + 40 + 8 + 12 + 4 + 4)
/* Of Ethernet: preamble, header, FCS, gap. */
#define TOPOLOGY_FRAMING_BYTES (8 + 14 + 4 + 12)

/* Egress queues of switches. 0 selects the default given below. BDP is that of the port with the
 * base RTT of the fabric, at most 256 MiB. */
struct topology_buffers {
    bool trims;
    bool marks;
    uint16_t trimmed_bytes;   /* counted from the outer header */
    uint32_t data_bytes;      /* 0: 1 BDP, without trimming 5 */
    uint32_t host_data_bytes; /* ports to hosts. 0: 1.5 BDP, without trimming 5 */
    uint32_t control_bytes;   /* 0: 4 MiB */
    uint32_t red_min_bytes;   /* 0: 0.2 BDP */
    uint32_t red_max_bytes;   /* 0: 0.8 BDP */
    bool marks_hosts;         /* ports to hosts mark, too */
    uint32_t shared_bytes;    /* of all ports of a switch together; 0: no limit */
    uint16_t cell_bytes;      /* unit of the shared buffer; 0: bytes */
    int alpha;                /* index in topology_alpha_words: limit of a data queue, as a multiple
                                 of what is free of the shared buffer */
};

#define TOPOLOGY_ALPHA_ONE 7
/* "1/128" to "8"; NULL at the end. */
extern const char *const topology_alpha_words[];

enum topology_component {
    TOPOLOGY_NIC,       /* h12 */
    TOPOLOGY_HOST_LINK, /* h12.p3: the NIC's port 3 and its cable */
    TOPOLOGY_PLANE,     /* p3 */
    TOPOLOGY_T0,        /* p3.t0.17 */
    TOPOLOGY_T1,        /* p3.t1.9 */
    TOPOLOGY_UPLINK,    /* p3.t0.17-t1.9 */
    TOPOLOGY_SWITCH,    /* in a graph: p3.t2.5 */
    TOPOLOGY_LINK,  /* in a graph, between switches: p3.t1.5-t2.4, p0.t0.1-p1.t0.1, the second of
                       parallel links p3.t1.5-t2.4/1 */
    TOPOLOGY_GROUP, /* components that fail together, named in the description */
    TOPOLOGY_COMPONENT_COUNT,
};

/* The words for fault generators, "nic", ...; NULL at the end. */
extern const char *const topology_component_words[TOPOLOGY_COMPONENT_COUNT + 1];

static inline bool topology_is_link(enum topology_component component)
{
    return component == TOPOLOGY_HOST_LINK || component == TOPOLOGY_UPLINK ||
           component == TOPOLOGY_LINK;
}

static inline bool topology_is_switch(enum topology_component component)
{
    return component == TOPOLOGY_T0 || component == TOPOLOGY_T1 || component == TOPOLOGY_SWITCH;
}

/* Returns whether links of this kind lead from leaves to the switches above them, in two tiers. */
static inline bool topology_is_uplink(enum topology_component component)
{
    return component == TOPOLOGY_UPLINK;
}

/* A switch, in any topology. */
struct topology_place {
    uint32_t plane;
    uint32_t tier;
    uint32_t index; /* among the switches of its plane and tier */
};

/* Identifies one component. Members that its kind does not use are 0. */
struct topology_element {
    enum topology_component kind;
    uint32_t nic;
    uint32_t plane; /* host link of a graph: the port of the NIC */
    uint32_t t0;
    uint32_t t1;
    struct topology_place lower;        /* TOPOLOGY_SWITCH, TOPOLOGY_LINK */
    struct topology_place upper;        /* TOPOLOGY_LINK */
    uint32_t parallel;                  /* TOPOLOGY_LINK: number among parallel links */
    const struct topology_group *group; /* TOPOLOGY_GROUP */
};

/* Components that fail together. */
enum topology_group_kind {
    TOPOLOGY_TRANSCEIVER,
    TOPOLOGY_LINE_CARD,
    TOPOLOGY_CHASSIS,
    TOPOLOGY_RACK,
    TOPOLOGY_POWER_FEED,
    TOPOLOGY_GROUP_KIND_COUNT,
};
/* "transceiver", ...; NULL at the end. */
extern const char *const topology_group_words[TOPOLOGY_GROUP_KIND_COUNT + 1];

struct topology_group {
    char name[TOPOLOGY_NAME_BYTES];
    enum topology_group_kind kind;
    const struct topology_element *members; /* not groups */
    uint32_t member_count;
};

/* A link that differs from the usual links of its kind. */
struct topology_exception {
    struct topology_element link; /* TOPOLOGY_HOST_LINK or TOPOLOGY_UPLINK */
    bool missing;
    bool unmarked;     /* its ports do not mark packets */
    uint64_t rate_bps; /* 0: that of its kind */
};

/* The contents of fabric.yaml. */
struct topology_config {
    char name[TOPOLOGY_NAME_BYTES];
    uint32_t plane_count;
    uint32_t t0_count; /* per plane */
    uint32_t t1_count; /* per plane; 0: only T0s, of which there may then be only one */
    uint32_t hosts_per_t0;
    uint32_t nic_count; /* 0: t0_count * hosts_per_t0; the last T0 may have fewer */
    uint32_t radix;     /* ports of a switch; 0: any number */
    struct topology_link_kind host_link;
    struct topology_link_kind uplink;
    uint64_t switch_latency_ps; /* from the last bit in to the earliest first bit out */
    uint64_t nic_latency_ps;    /* between the transport and the wire, in each direction */
    uint16_t framing_bytes;     /* on the wire around each packet, see TOPOLOGY_FRAMING_BYTES */
    uint16_t cut_through_bytes; /* a switch acts when this much of a packet has arrived; 0: on its
                                   last bit */
    struct topology_buffers buffers;
    uint32_t usid_block; /* 32 bits: fc00:0042 */
    bool checks_source;  /* T0s of running fabrics drop packets with a wrong source */
    const struct topology_exception *exceptions;
    uint32_t exception_count;
};

/* 400 Gb/s over 4 planes, 8 T0s and 8 T1s each, 64 NICs; 500 ns cables; Ethernet framing; trims and
 * marks. */
void topology_config_init(struct topology_config *);

/* A problem of a description: the member, and a text for users. */
struct topology_problem {
    const char *member; /* as in fabric.yaml, for example "radix" (docs/fabric.md §15) */
    uint32_t exception; /* index, if the member is "exceptions" */
    char reason[TOPOLOGY_REASON_BYTES];
};

struct topology {
    struct topology_config config; /* all defaults filled in; exceptions sorted by link */
    uint32_t nic_count;
    uint32_t switch_count;    /* T0s of plane 0, T1s of plane 0, T0s of plane 1, ... */
    uint64_t base_rtt_ps;     /* longest path, full packet and its SACK back, empty network */
    uint64_t lookahead_ps;    /* least time of a packet from one node to the next */
    uint64_t leaf_reciprocal; /* 2^32 / NICs of a leaf, rounded up; avoids a division */
    const struct topology_group *groups;
    uint32_t group_count;
    const struct graph *graph; /* NULL: two tiers, computed */
    bool ports_cross;          /* graph: a path may end at another port than that of its start */
    bool has_leaves; /* topology_leaf.h applies. In a graph: NICs have links to switches of tier 0
                        with the same number in all planes, and links lead up within the plane */
    uint32_t switches_max; /* graph: switches on the longest of the shortest paths of two NICs */
};

/* Checks the description and completes it. `exceptions` has room for exception_count sorted
 * copies; the topology keeps it. Returns false if the fabric cannot be wired; `problem` gives
 * the reason. */
bool topology_init(struct topology *, const struct topology_config *,
    struct topology_exception *exceptions, struct topology_problem *problem);

/* Like topology_init(), for a finished graph, which must outlive the topology. The description
 * provides name, latencies, buffers, the uSID block, and the usual kinds of links: those of NICs
 * and those between switches. plane_count and radix become the largest numbers of ports of a NIC
 * and of a switch. `scratch` has room for two numbers per node. */
bool topology_init_graph(struct topology *, const struct topology_config *, const struct graph *,
    uint32_t *scratch, struct topology_problem *problem);

/* ---- names ----------------------------------------------------------------------------------- */

/* Writes the name (see enum topology_component), always terminated. */
void topology_name(const struct topology_element *, char out[static TOPOLOGY_NAME_BYTES]);
/* Returns false, with a reason, if the name is invalid or no component of this fabric has it. */
bool topology_find(const struct topology *, const char *name, struct topology_element *,
    char reason[static TOPOLOGY_REASON_BYTES]);

/* ---- numbers --------------------------------------------------------------------------------- */

/* Returns the other end of a link of a NIC. Graphs only. */
static inline struct graph_end topology_nic_peer(
    const struct topology *topology, uint32_t nic, uint32_t port)
{
    struct graph_end peer = { 0 };

    graph_link_at(topology->graph, (struct graph_end){ nic, port }, &peer);
    return peer;
}

/* Returns the switch that the first port of the NIC leads to. The reciprocal is exact for up to
 * 2^20 NICs, the maximum of a fabric. */
static inline uint32_t topology_leaf_of(const struct topology *topology, uint32_t nic)
{
    if (topology->graph)
        return topology_nic_peer(topology, nic, 0).node - topology->nic_count;
    return (uint32_t)(nic * topology->leaf_reciprocal >> 32);
}

/* Returns the port of that switch. */
static inline uint32_t topology_downlink_of(const struct topology *topology, uint32_t nic)
{
    if (topology->graph)
        return topology_nic_peer(topology, nic, 0).port;
    return nic - topology_leaf_of(topology, nic) * topology->config.hosts_per_t0;
}

/* Returns the NIC whose first port leads to this port, even if the cable is missing. False:
 * none. */
bool topology_nic_of_graph(
    const struct topology *, uint32_t switch_index, uint32_t port, uint32_t *nic);
static inline bool topology_nic_at(
    const struct topology *topology, uint32_t switch_index, uint32_t port, uint32_t *nic)
{
    if (topology->graph)
        return topology_nic_of_graph(topology, switch_index, port, nic);
    *nic = switch_index * topology->config.hosts_per_t0 + port;
    return port < topology->config.hosts_per_t0 && *nic < topology->nic_count;
}

/* Returns the number of the NIC's leaf, which is the same in all planes. Requires has_leaves. */
static inline uint32_t topology_leaf_number(const struct topology *topology, uint32_t nic)
{
    uint32_t leaf = topology_leaf_of(topology, nic);

    return topology->graph ? topology->graph->nodes[topology->nic_count + leaf].index : leaf;
}

uint32_t topology_switch_index(const struct topology *, const struct topology_element *);
/* The switch with this index. */
struct topology_element topology_switch_at(const struct topology *, uint32_t switch_index);
struct topology_place topology_place_of(const struct topology_element *switch_element);
uint32_t topology_port_count(const struct topology *, uint32_t switch_index);
/* Ports [0, n) of a switch face hosts. */
uint32_t topology_host_port_count(const struct topology *, uint32_t switch_index);
bool topology_port_faces_host(const struct topology *, uint32_t switch_index, uint32_t port);

struct topology_end {
    bool is_nic;
    uint32_t node; /* NIC or switch index */
    uint32_t port;
};

/* Returns the other end of the cable at a port. False: no cable (missing, or no such NIC). */
bool topology_peer(const struct topology *, struct topology_end, struct topology_end *peer);
/* Returns a port of a switch whose cable leads to another switch. False: there is none. */
bool topology_port_to(
    const struct topology *, uint32_t switch_index, uint32_t to_switch, uint32_t *port);
/* Returns the link at a port, its rate (including exceptions) and delay. False: no cable. */
bool topology_link_at(const struct topology *, struct topology_end, struct topology_element *link,
    struct topology_link_kind *kind);

/* Returns the rate of the link at a port; 0: there is none. */
uint64_t topology_port_bps(const struct topology *, struct topology_end);

/* Returns the rate at which packets can arrive at a port of a NIC. It is below that of the port if
 * the NIC is alone at its leaf, and the uplinks of the leaf are slower. */
uint64_t topology_arrival_bps(const struct topology *, uint32_t nic, uint32_t port);

struct topology_links {
    uint32_t count;
    uint64_t rate_bps; /* sum */
};
/* Returns the links of a T1 to all T0s but one. Both are switch indexes. Not for graphs. */
struct topology_links topology_links_of_top(const struct topology *, uint32_t t1, uint32_t but_t0);

/* Returns true if a packet that leaves by this port goes from the lower end of its link to the
 * upper end. */
bool topology_goes_up(const struct topology *, struct topology_end);

/* Returns the lowest of the usual rates: links of NICs and links between switches. Ignores
 * exceptions. */
uint64_t topology_slowest_bps(const struct topology *);

/* Returns the rate that each NIC has if all NICs send to other leaves, without exceptions. 0: not
 * known, or there is one leaf. */
uint64_t topology_share_bps(const struct topology *);
/* Returns the lowest rate of all links, including exceptions. */
uint64_t topology_narrowest_bps(const struct topology *);

/* Returns the time of a packet of this many bytes, framing not included, from one NIC to another
 * through the empty fabric, without exceptions. In a graph: if the first ports of both do not lead
 * to the same switch, the longest of these times for any two NICs. */
uint64_t topology_one_way_ps(const struct topology *, uint32_t from, uint32_t to, uint64_t bytes);

/* Returns true if the egress port of a switch marks packets. */
bool topology_marks(const struct topology *, struct topology_end switch_port);

/* Returns the rate at which the fastest links run. Packets cut through switches only when they come
 * over such a link, so that they arrive as fast as they leave. */
uint64_t topology_fastest_bps(const struct topology *);
/* Returns the largest sum of the rates of the ports of a switch. */
uint64_t topology_switch_bps(const struct topology *);
/* Returns how much of a packet of `wire_bytes`, framing included, must have arrived over a link of
 * this rate before a switch acts. */
static inline uint64_t topology_head_bytes(const struct topology_config *config,
    uint64_t fastest_bps, uint64_t rate_bps, uint64_t wire_bytes)
{
    bool cuts = config->cut_through_bytes > 0 && rate_bps >= fastest_bps &&
                wire_bytes > config->cut_through_bytes;

    return cuts ? config->cut_through_bytes : wire_bytes;
}

/* ---- components ------------------------------------------------------------------------------ */

/* Returns true if the topology has the component, including the cable of a link. False, with a
 * reason, if not. */
bool topology_has(const struct topology *, const struct topology_element *,
    char reason[static TOPOLOGY_REASON_BYTES]);

/* Returns the number of components of a kind, and one of them. Links of a graph include those of
 * NICs. */
uint32_t topology_component_count(const struct topology *, enum topology_component);
struct topology_element topology_component_at(
    const struct topology *, enum topology_component, uint32_t number);
/* Returns whether the fabric has components of the kind or, if it is computed, whether another
 * fabric of two tiers could have them. */
bool topology_knows(const struct topology *, enum topology_component);

/* Returns the number of all links, and the number of the link at a port, which must have a
 * cable. */
size_t topology_link_count(const struct topology *);
size_t topology_link_number(const struct topology *, struct topology_end);
/* Like topology_link_number(), for a port of a NIC and for an uplink of a leaf. */
static inline size_t topology_nic_link(const struct topology *topology, uint32_t nic, uint32_t port)
{
    return topology->graph ? topology_link_number(topology,
                                 (struct topology_end){ .is_nic = true, .node = nic, .port = port })
                           : (size_t)nic * topology->config.plane_count + port;
}

static inline size_t topology_uplink(
    const struct topology *topology, const struct topology_leaf_uplink *uplink)
{
    const struct topology_config *config = &topology->config;

    if (topology->graph)
        return topology_leaf_graph_link(topology, uplink);
    return (size_t)topology->nic_count * config->plane_count +
           ((size_t)uplink->plane * config->t0_count + uplink->leaf) * config->t1_count +
           uplink->number;
}

/* Returns the link with this number, its rate and delay, like topology_link_at(). */
bool topology_link_numbered(const struct topology *, size_t number, struct topology_element *link,
    struct topology_link_kind *kind);

/* ---- links of a component -------------------------------------------------------------------- */

/* Returns the number of links of a NIC, a switch or a plane; 1 for a link. Not for groups. */
uint32_t topology_links_of(const struct topology *, const struct topology_element *);
/* Returns the largest number of links of any component of the kind. */
uint32_t topology_links_of_any(const struct topology *, enum topology_component);
/* Returns the lower and the upper end of one of these links. False: the cable is missing. */
bool topology_link_of(const struct topology *, const struct topology_element *, uint32_t number,
    struct topology_end *lower, struct topology_end *upper);

/* ---- at random ------------------------------------------------------------------------------- */

struct prng;

/* Draws the counts of a two-tier fabric with 2 to nic_max NICs and up to 8 planes. nic_max is at
 * least 16. */
void topology_draw_counts(struct topology_config *, uint32_t nic_max, struct prng *);
/* Draws a component of the kind, which the fabric must have. */
struct topology_element topology_draw(
    const struct topology_config *, enum topology_component, struct prng *);

/* Returns the kind of the switches of a level; leaves are level 0. */
#define TOPOLOGY_LEVELS 2
enum topology_component topology_switch_kind(uint32_t level);
/* Returns the kind of the links between switches of two levels. */
enum topology_component topology_uplink_kind(void);

/* Makes such a fabric smaller, if possible, in one of several ways; the most effective come first.
 * Returns false if there is no such variant. */
bool topology_config_shrink(struct topology_config *, uint32_t variant);
