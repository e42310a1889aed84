/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a fabric: uSIDs, EVs, outer addresses, round trips, switch tables. Only this layer
 * knows how an EV becomes a path and an address; all of it is arithmetic on the topology. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "path/path.h"
#include "plan/plan_ev.h"
#include "plan/plan_generate.h"
#include "plan/plan_graph.h"
#include "plan/plan_length.h"
#include "plan/plan_profile.h"
#include "plan/plan_text.h"
#include "plan/plan_weight.h"
#include "topology/topology.h"
#include "wire/ip_address.h"

struct plan {
    struct topology topology;
    uint32_t uplink_bits;    /* of an EV, below its plane */
    uint64_t outer_high;     /* of outer addresses: the block, the type of the first uSID */
    struct plan_graph graph; /* where the topology is one */
};

/* Checks the description, completes it, and plans it; as topology_init(). */
bool plan_init(struct plan *, const struct topology_config *, struct topology_exception *exceptions,
    struct topology_problem *problem);

/* The same for a graph; as topology_init_graph(). The detour is that of paths. */
bool plan_init_graph(struct plan *, const struct topology_config *, const struct graph *,
    uint32_t detour, uint32_t *scratch, struct topology_problem *problem);

/* ---- addresses and routes -------------------------------------------------------------------- */

/* 2001:db8:T0:downlink::1, the same on all planes; in a graph switch and port that its first port
 * leads to. */
struct ipv6_addr plan_nic_address(const struct plan *, uint32_t nic);
/* False: not an address of this fabric. */
bool plan_nic_of(const struct plan *, const struct ipv6_addr *, uint32_t *nic);

/* A uSID is plane(3) | type(3) | index(10). Types are named after tiers: they are what a tier is on
 * the wire. */
enum plan_usid_type {
    PLAN_USID_T0 = 1,
    PLAN_USID_T1,
    PLAN_USID_HOST, /* a downlink, in the eyes of its T0 */
    PLAN_USID_SERVICE,
    PLAN_USID_T2,
    PLAN_USID_T3,
};
#define PLAN_USID_PLANE_SHIFT 13
#define PLAN_USID_TYPE_SHIFT  10

/* Of a switch, or of a host link on two tiers. */
uint16_t plan_usid(const struct plan *, const struct topology_element *);
/* All of a switch: first, first + step, ... */
struct plan_names {
    uint16_t first;
    uint16_t step;
    uint32_t count;
};
struct plan_names plan_names(const struct plan *, const struct topology_element *);
/* The 32 bits before the uSIDs of a plane. */
uint32_t plan_block(const struct plan *, uint32_t plane);

static inline struct ev_path plan_ev_path(const struct plan *plan, uint32_t ev)
{
    return plan_ev_split(plan->uplink_bits, ev);
}

/* Says in the format how wide this fabric's EVs are. */
static inline void plan_ev_format(const struct plan *plan, struct wire_format *format)
{
    plan_ev_set_width(format, plan->uplink_bits);
}

/* The EV of p1/u3; false: the text is no path, of no plane of this fabric, or too wide. */
bool plan_ev_find(const struct plan *, const char *text, uint32_t *ev);

/* Some packets of this EV cross the link; of a link between switches, no others do. Not in a
 * graph. */
bool plan_ev_crosses(const struct plan *, uint32_t ev, const struct topology_element *link);

/* Whether packets of this EV have a plane and an uplink to take. */
bool plan_ev_exists(const struct plan *, uint32_t ev);

/* Numbers that the uplink of an EV may have; 0: the fabric has no uplinks. */
static inline uint32_t plan_uplink_count(const struct plan *plan)
{
    return plan->topology.graph ? PLAN_PORT_PATHS
                                : topology_leaf_uplink_count(&plan->topology, 0, 0);
}

/* Paths that EVs of a plane tell apart. */
static inline uint32_t plan_plane_paths(const struct plan *plan)
{
    uint32_t count = plan_uplink_count(plan);

    return count > 0 ? count : 1;
}

/* The width of the uplink where its number does not tell; 0: it does. */
static inline uint32_t plan_ev_odd_width(const struct plan *plan)
{
    return plan->uplink_bits == plan_ev_bits(plan_uplink_count(plan)) ? 0 : plan->uplink_bits;
}

static inline uint32_t plan_ev(const struct plan *plan, struct ev_path path)
{
    return plan_ev_join(plan->uplink_bits, path);
}

/* NICs at one leaf: all EVs of a plane are one path between them. Not in a graph. */
static inline bool plan_is_local(const struct plan *plan, uint32_t from, uint32_t to)
{
    return topology_leaf_of(&plan->topology, from) == topology_leaf_of(&plan->topology, to);
}

#define PLAN_LINKS_MAX 4
/* A link of a path, as topology_link_number() counts, and its direction. */
struct plan_step {
    size_t link;
    bool goes_up;
};
/* The links of a path, in their order; returns the number: 2 within a leaf, else 4. Not in a
 * graph. An uplink of one number leads from all leaves to the same switch. */
static inline uint32_t plan_steps(const struct plan *plan, uint32_t from, uint32_t to, uint32_t ev,
    struct plan_step out[static PLAN_LINKS_MAX])
{
    const struct topology *topology = &plan->topology;
    struct ev_path path = plan_ev_path(plan, ev);
    struct topology_leaf_uplink up = { path.plane, topology_leaf_number(topology, from),
        path.uplink };
    struct topology_leaf_uplink down = { path.plane, topology_leaf_number(topology, to),
        path.uplink };
    uint32_t count = 0;

    out[count++] = (struct plan_step){ topology_nic_link(topology, from, path.plane), true };
    if (up.leaf != down.leaf) {
        out[count++] = (struct plan_step){ topology_uplink(topology, &up), true };
        out[count++] = (struct plan_step){ topology_uplink(topology, &down), false };
    }
    out[count++] = (struct plan_step){ topology_nic_link(topology, to, path.plane), false };
    return count;
}

/* The links between switches of a path are there. */
bool plan_crosses(const struct plan *, uint32_t from, uint32_t to, uint32_t ev);
/* The links of a path as components. */
uint32_t plan_links(const struct plan *, uint32_t from, uint32_t to, uint32_t ev,
    struct topology_element out[static PLAN_LINKS_MAX]);

/* How an EV of a QP from `from` to `to` looks on the wire. */
void plan_template(const struct plan *, uint32_t from, uint32_t to, struct path_template *);

/* The same at once: the outer destination of a packet, block : T0 : T1 : T0 : host, within a T0
 * block : T0 : host. */
static inline struct ipv6_addr plan_outer(
    const struct plan *plan, uint32_t from, uint32_t to, uint32_t ev)
{
    assert(!plan->topology.graph);

    const uint64_t leaf_type = PLAN_USID_T0 << PLAN_USID_TYPE_SHIFT;
    const uint64_t above_type = PLAN_USID_T1 << PLAN_USID_TYPE_SHIFT;
    const uint64_t host_type = PLAN_USID_HOST << PLAN_USID_TYPE_SHIFT;
    const uint64_t plane_twice = UINT64_C(0x10001) << PLAN_USID_PLANE_SHIFT;
    struct ev_path path = plan_ev_path(plan, ev);
    uint64_t from_leaf = topology_leaf_of(&plan->topology, from);
    uint64_t to_leaf = topology_leaf_of(&plan->topology, to);
    uint64_t downlink = topology_downlink_of(&plan->topology, to);
    uint64_t planes = path.plane * plane_twice;
    uint64_t high = plan->outer_high + (from_leaf << 16) + planes;
    uint32_t low = 0;
    struct ipv6_addr outer;

    if (from_leaf == to_leaf) {
        high += host_type + downlink;
    } else {
        high += above_type + path.uplink;
        low = (uint32_t)(planes + (leaf_type << 16 | host_type) + (to_leaf << 16) + downlink);
    }
    bytes_put_be64(outer.octets, high);
    bytes_put_be32(outer.octets + 8, low);
    bytes_put_be32(outer.octets + 12, 0);
    return outer;
}

/* What one NIC of a fabric knows of the plan: its own address, the block of uSIDs. */
struct plan_nic {
    uint32_t block; /* fc000042 */
    struct ipv6_addr self;
};
/* How an EV of a QP to `peer` looks on the wire. False: not an address of the plan. */
bool plan_nic_template(
    const struct plan_nic *, const struct ipv6_addr *peer, struct path_template *);

/* EVs for a QP from `from` to `to`, as many as a QP has by default. */
struct plan_generate plan_paths(const struct plan *, uint32_t from, uint32_t to);
/* The same for NICs at two leaves, and at one, where a plane is one path. */
struct plan_generate plan_paths_across(const struct plan *);
struct plan_generate plan_paths_within(const struct plan *);

/* What packets from one NIC to another take in an empty fabric, links that are exceptions included;
 * of several planes the fastest counts. */
struct plan_rtt {
    uint64_t fixed_ps; /* there and its SACK back, for a packet of no bytes but its outer header */
    uint64_t per_kib_ps; /* and for each KiB */
    uint64_t port_bps;   /* of the receiver's ports */
};
struct plan_rtt plan_rtt(const struct plan *, uint32_t from, uint32_t to); /* on two tiers */
/* Of a path of a graph. */
struct plan_rtt plan_rtt_of(const struct plan *, const struct plan_route *);

#define PLAN_RANGES_MAX 2 /* on two tiers */
/* The static routes of a switch, ascending. Missing links are not cut out: their ports have no
 * cable. Returns how many ranges there are; at most range_max are written. */
uint32_t plan_routes(
    const struct plan *, uint32_t switch_index, struct plan_range *ranges, uint32_t range_max);
/* No switch has more. */
uint32_t plan_routes_max(const struct plan *);

/* The paths of a pair whose links are all there, in the order of their EVs. Nodes of hops are NICs,
 * then switches. Returns how many there are; at most route_max are written. */
uint32_t plan_pair_routes(const struct plan *, uint32_t from, uint32_t to, uint32_t *scratch,
    struct plan_route *routes, uint32_t route_max);
/* Numbers that the search needs. */
uint32_t plan_pair_scratch(const struct plan *);
/* The name of such a node. */
void plan_pair_name(const struct plan *, uint32_t node, char out[static TOPOLOGY_NAME_BYTES]);
