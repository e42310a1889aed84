/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a fabric: uSIDs, EVs, outer addresses, round trips, switch tables. Only this layer
 * knows how an EV becomes a path and an address. For two tiers all of it is computed from the
 * topology. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "path/path.h"
#include "plan/plan_drain.h"
#include "plan/plan_ev.h"
#include "plan/plan_exceptions.h"
#include "plan/plan_generate.h"
#include "plan/plan_graph.h"
#include "plan/plan_length.h"
#include "plan/plan_profile.h"
#include "plan/plan_text.h"
#include "plan/plan_trail.h"
#include "plan/plan_weight.h"
#include "topology/topology.h"
#include "wire/ip_address.h"

/* The parts of outer addresses in two tiers that are the same for all paths. */
struct plan_outer {
    uint64_t high;  /* block, type of the leaf */
    uint64_t above; /* type of the switch above the leaf, or of a downlink, behind these */
    uint64_t host;
    uint64_t low;        /* types of a leaf and of a downlink */
    uint64_t plane_high; /* what each plane adds to the high half, and to the low half */
    uint64_t plane_low;
};

struct plan {
    struct topology topology;
    uint32_t uplink_bits;    /* width of the uplink in an EV; the plane is above it */
    bool uses_srh;           /* some pairs may have no path whose uSIDs fit an address */
    struct plan_outer outer; /* two tiers */
    struct plan_graph graph; /* if the topology is a graph; otherwise only the layout */
};

/* Checks and completes the description, and makes its plan; see topology_init(). */
bool plan_init(struct plan *, const struct topology_config *, struct topology_exception *exceptions,
    struct topology_problem *problem);

/* Like plan_init(), for a graph; see topology_init_graph(). `detour` limits the length of paths. */
bool plan_init_graph(struct plan *, const struct topology_config *, const struct graph *,
    uint32_t detour, uint32_t *scratch, struct topology_problem *problem);

/* ---- addresses and routes -------------------------------------------------------------------- */

/* Returns 2001:db8:T0:downlink::1, the same on all planes. In a graph: the switch and port that the
 * first port of the NIC leads to. */
struct ipv6_addr plan_nic_address(const struct plan *, uint32_t nic);
/* Returns false if the address is not in this fabric. */
bool plan_nic_of(const struct plan *, const struct ipv6_addr *, uint32_t *nic);

/* A uSID is plane(3) | type(3) | index(10) or, with more than 8 planes, type(3) | index(13) in a
 * block for each plane. A switch has the type of its tier. */
enum plan_usid_type {
    PLAN_USID_LEAF = 1,
    PLAN_USID_SPINE,
    PLAN_USID_HOST, /* a downlink, for its T0 only */
    PLAN_USID_SERVICE,
    PLAN_USID_CORE,
    PLAN_USID_SUPERCORE,
};

/* Returns the uSID of a switch, or of a host link in two tiers. */
uint16_t plan_usid(const struct plan *, const struct topology_element *);
/* All uSIDs of a switch: first, first + step, ... */
struct plan_names {
    uint16_t first;
    uint16_t step;
    uint32_t count;
};
struct plan_names plan_names(const struct plan *, const struct topology_element *);
/* The block: the 32 bits before the uSIDs of a plane. */
uint32_t plan_block(const struct plan *, uint32_t plane);

static inline struct ev_path plan_ev_path(const struct plan *plan, uint32_t ev)
{
    return plan_ev_split(plan->uplink_bits, ev);
}

/* Sets the width of this fabric's EVs in the format. */
static inline void plan_ev_format(const struct plan *plan, struct wire_format *format)
{
    plan_ev_set_width(format, plan->uplink_bits);
}

/* Returns the EV of e.g. "p1/u3". False: the text has another form, or this fabric has no such
 * plane or uplink. */
bool plan_ev_find(const struct plan *, const char *text, uint32_t *ev);

/* Returns true if some packets of this EV cross the link. A link between switches carries no other
 * EVs. Not for graphs. */
bool plan_ev_crosses(const struct plan *, uint32_t ev, const struct topology_element *link);

/* Returns true if the fabric has the plane and the uplink of this EV. */
bool plan_ev_exists(const struct plan *, uint32_t ev);

/* Returns the number of values of the uplink in an EV; 0: the fabric has no uplinks. */
static inline uint32_t plan_uplink_count(const struct plan *plan)
{
    return plan->topology.graph ? PLAN_PORT_PATHS
                                : topology_leaf_uplink_count(&plan->topology, 0, 0);
}

/* Returns the number of paths that the EVs of a plane distinguish. */
static inline uint32_t plan_plane_paths(const struct plan *plan)
{
    uint32_t count = plan_uplink_count(plan);

    return count > 0 ? count : 1;
}

/* Returns the width of the uplink, for programs that decode EVs. */
static inline uint32_t plan_ev_width(const struct plan *plan)
{
    return plan->uplink_bits;
}

/* Returns the width of the uplink if it does not follow from the number of uplinks; else 0. */
static inline uint32_t plan_ev_odd_width(const struct plan *plan)
{
    return plan->uplink_bits == plan_ev_bits(plan_uplink_count(plan)) ? 0 : plan->uplink_bits;
}

static inline uint32_t plan_ev(const struct plan *plan, struct ev_path path)
{
    return plan_ev_join(plan->uplink_bits, path);
}

/* Returns true if both NICs are at one leaf: all EVs of a plane are then one path. Not for
 * graphs. */
static inline bool plan_is_local(const struct plan *plan, uint32_t from, uint32_t to)
{
    return topology_leaf_of(&plan->topology, from) == topology_leaf_of(&plan->topology, to);
}

#define PLAN_LINKS_MAX 4
/* A link of a path, numbered by topology_link_number(), and its direction. */
struct plan_step {
    size_t link;
    bool goes_up;
};
/* Writes the links of a path in order. Returns their number: 2 within a leaf, else 4. Not for
 * graphs. Uplinks with the same number lead from all leaves to the same switch. */
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

/* Returns true if the links between switches of the path exist. */
bool plan_crosses(const struct plan *, uint32_t from, uint32_t to, uint32_t ev);
/* Writes the links of a path as components. */
uint32_t plan_links(const struct plan *, uint32_t from, uint32_t to, uint32_t ev,
    struct topology_element out[static PLAN_LINKS_MAX]);

/* Returns the outer destination of a packet directly, without a template: block : T0 : T1 : T0 :
 * host, or block : T0 : host within a T0. */
static inline struct ipv6_addr plan_outer(
    const struct plan *plan, uint32_t from, uint32_t to, uint32_t ev)
{
    assert(!plan->topology.graph);

    const struct plan_outer *parts = &plan->outer;
    struct ev_path path = plan_ev_path(plan, ev);
    uint64_t from_leaf = topology_leaf_of(&plan->topology, from);
    uint64_t to_leaf = topology_leaf_of(&plan->topology, to);
    uint64_t downlink = topology_downlink_of(&plan->topology, to);
    uint64_t high = parts->high + (from_leaf << 16) + path.plane * parts->plane_high;
    uint32_t low = 0;
    struct ipv6_addr outer;

    if (from_leaf == to_leaf) {
        high += parts->host + downlink;
    } else {
        high += parts->above + path.uplink;
        low = (uint32_t)(path.plane * parts->plane_low + parts->low + (to_leaf << 16) + downlink);
    }
    bytes_put_be64(outer.octets, high);
    bytes_put_be32(outer.octets + 8, low);
    bytes_put_be32(outer.octets + 12, 0);
    return outer;
}

/* The part of the plan that a NIC knows: its address, the uSID block and its ports. */
struct plan_nic {
    uint32_t block; /* fc000042 */
    uint32_t plane_count;
    struct ipv6_addr self;
};
/* Makes the template for EVs of a QP to `peer`. Returns false if the address is not in the plan. */
bool plan_nic_template(
    const struct plan_nic *, const struct ipv6_addr *peer, struct path_template *);

/* Returns the parameters of the default EV profile of a QP from `from` to `to`. */
struct plan_generate plan_paths(const struct plan *, uint32_t from, uint32_t to);
/* Like plan_paths(), for NICs at two leaves, and at one leaf, where a plane is one path. */
struct plan_generate plan_paths_across(const struct plan *);
struct plan_generate plan_paths_within(const struct plan *);

/* The round trip between two NICs in an empty fabric, including exceptional links. The fastest
 * plane counts. */
struct plan_rtt {
    uint64_t fixed_ps;    /* packet and its SACK back, for a packet that is only its outer header */
    uint64_t per_kib_ps;  /* in addition, for each KiB */
    uint64_t arrival_bps; /* of the receiver's ports or, on two tiers, of the uplinks to it if all
                             are slower than usual and than these; 0: there is no path */
};
struct plan_rtt plan_rtt(const struct plan *, uint32_t from, uint32_t to); /* two tiers */
/* Returns the round trip of a path of a graph. */
struct plan_rtt plan_rtt_of(const struct plan *, const struct plan_route *);

#define PLAN_RANGES_MAX 2 /* two tiers */
/* Writes the static routes of a switch in ascending order. Routes include missing links, whose
 * ports have no cable. Returns the number of ranges; writes at most range_max. */
uint32_t plan_routes(
    const struct plan *, uint32_t switch_index, struct plan_range *ranges, uint32_t range_max);
/* Returns the largest number of ranges of any switch. */
uint32_t plan_routes_max(const struct plan *);

/* Writes the paths of a pair whose links all exist, in the order of their EVs. The nodes of hops
 * are numbered NICs first, then switches. Returns the number of paths; writes at most route_max. */
uint32_t plan_pair_routes(const struct plan *, uint32_t from, uint32_t to, uint32_t *scratch,
    struct plan_route *routes, uint32_t route_max);
/* Returns the size of `scratch`, in numbers. */
uint32_t plan_pair_scratch(const struct plan *);
/* Writes the name of such a node. */
void plan_pair_name(const struct plan *, uint32_t node, char out[static TOPOLOGY_NAME_BYTES]);
