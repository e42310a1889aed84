/* SPDX-License-Identifier: Apache-2.0 */
/* Fluid capacity: the max-min fair rate of every flow of a network, where a flow may split freely
 * over several paths.
 *
 * Links have wire rates, flows have payload rates: a path states how much of each wire byte is
 * payload, because headers may differ between paths. Each direction of a cable is a link. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/allocator.h"
#include "plan/plan.h"
#include "sim/sim.h"
#include "topology/topology.h"

/* ---- any network ----------------------------------------------------------------------------- */

struct capacity_flow {
    uint32_t first_path;
    uint32_t path_count; /* 0: its rate is 0 */
    double weight;       /* of its share; usually 1 */
    double limit_bps;    /* maximum payload rate; 0: no limit */
    uint32_t feeds; /* the flow, plus 1, that has at most the level (rate by weight) of this one,
                       because it forwards what this one carries; 0: none */
};

struct capacity_path {
    uint32_t first_hop;
    uint32_t hop_count;
    double payload_share; /* payload bytes per wire byte, above 0 and at most 1 */
};

struct capacity_input {
    const double *link_bps; /* wire rate; 0: the link is down */
    uint32_t link_count;
    const struct capacity_flow *flows;
    uint32_t flow_count;
    const struct capacity_path *paths;
    uint32_t path_count;
    const uint32_t *hops; /* links, by path */
    uint32_t hop_count;
};

enum capacity_method {
    CAPACITY_WATER_FILLING, /* one path per flow: exact */
    CAPACITY_LINEAR_PROGRAM,
    CAPACITY_BOUNDS, /* between two bounds; see `error` */
    CAPACITY_METHOD_COUNT,
};

/* The name in results, e.g. "water_filling". */
const char *capacity_method_word(enum capacity_method);

#define CAPACITY_OWN_LIMIT                                                                         \
    UINT32_MAX /* in place of a link: limit_bps, or the flow that feeds it                         \
                */

struct capacity_rates {
    double *flow_bps; /* payload */
    /* The limits of flow f: limit_count[f] links from limits[first_limit[f]] on, all of them full.
     * They cut every path of the flow. A flow without a path has none. */
    uint32_t *first_limit;
    uint32_t *limit_count;
    uint32_t *limits;
    uint32_t flow_count;
    double sum_bps;
    enum capacity_method method;
    double error;    /* rates reduced by this share surely fit; 0: the rates fit */
    uint64_t effort; /* cost of the solution, in packet-hops of the simulator */
};

/* Returns 0, -ENOMEM, -EIO if the linear program could not be solved, or -E2BIG if it would take
 * longer than about half a second. */
int capacity_solve(const struct capacity_input *, struct capacity_rates *);
void capacity_rates_fini(struct capacity_rates *);

/* ---- a fabric at one point in time ----------------------------------------------------------- */

/* All traffic from one NIC to another is one flow. */
struct capacity_demand {
    uint32_t from_nic;
    uint32_t to_nic;
    double payload_share;
    double srh_payload_share; /* on paths whose packets have an SRH */
    bool keeps_lossy;         /* it uses lossy paths as long as they forward at all */
    const uint32_t *evs;      /* only these EVs; NULL: all */
    uint32_t ev_count;
    const struct path_profile *profile; /* in a graph: the EVs of the QPs; NULL: all */
    uint32_t feeds;                     /* the demand, plus 1, that forwards it; 0: none */
};

/* The links of the fabric that a link of the solved network represents. Equivalent links are
 * merged. */
struct capacity_name {
    struct topology_element link; /* the first of them; the others belong to the same NIC or leaf */
    bool goes_up;
    uint32_t plane_mask;
    uint32_t plane_links; /* number in each plane */
    double healthy_bps;   /* sum of their rates without faults and exceptions */
};

struct capacity_fabric {
    struct capacity_input input; /* flow f is demand f */
    struct capacity_name *names; /* by link */
    void *memory;
};

/* Builds the network for `demands` while the faults `in_force` are in force (docs/simulator.md).
 * Returns 0 or -ENOMEM. */
int capacity_fabric_init(struct capacity_fabric *, const struct plan *,
    const struct fault *const *in_force, uint32_t in_force_count,
    const struct capacity_demand *demands, uint32_t demand_count);
void capacity_fabric_fini(struct capacity_fabric *);
/* Like capacity_solve(). Solves between bounds if the network is too large or if rounding leaves no
 * solution. */
int capacity_fabric_solve(
    const struct capacity_fabric *, const struct topology *, struct capacity_rates *);

/* Summary of what limits the flows of a network. */
struct capacity_limit {
    struct capacity_name name;
    double bps;          /* sum of the links that it represents */
    double healthy_bps;  /* the same without faults and exceptions */
    uint32_t flow_count; /* flows that it limits, alone or with others */
    uint32_t flow;       /* one of these flows */
};

enum { CAPACITY_LIMITS_MAX = 8 };

struct capacity_limits {
    uint32_t flow_count;
    uint32_t cut_off;    /* flows without a path */
    uint32_t by_uplinks; /* flows that uplinks limit, alone or not; host links limit the rest */
    struct capacity_limit top[CAPACITY_LIMITS_MAX]; /* first those below their healthy rate, then by
                                                       number of flows */
    uint32_t top_count;
    uint32_t link_count; /* links that limit any flow */
};

/* Returns 0 or -ENOMEM. */
int capacity_limits_find(
    struct capacity_limits *, const struct capacity_fabric *, const struct capacity_rates *);

/* ---- a running simulation -------------------------------------------------------------------- */

/* All QPs of a workload from one rank to another. A pair counts while it has bytes that were posted
 * and not placed, but not before the first bit of them can arrive. Pairs of several workloads
 * between the same NICs are one flow, whose rate their QPs with such bytes share equally. */
struct capacity_pair {
    uint32_t workload;
    uint32_t group; /* the first pair between these NICs */
    uint32_t next;  /* the next pair between them, after the last one the first */
    uint32_t from_nic;
    uint32_t to_nic;
    uint32_t first_flow; /* number as in sim_flow_at(); the others follow */
    uint32_t flow_count;
    uint64_t first_bit_ps; /* the shortest time from a post to its first bit at the receiver */
    double payload_share;
    double srh_payload_share; /* on paths whose packets have an SRH */
};

struct capacity_cache;   /* solutions for earlier sets of faults and flows */
struct capacity_forward; /* what a pair of a ring may forward */

/* The capacity of a simulation so far. */
struct capacity_track {
    struct allocator memory;
    struct sim *sim;
    const struct sim_config *config;
    struct capacity_pair *pairs;
    uint32_t pair_count;
    double *rate_bps; /* current rate, by pair; 0: the pair is idle */
    double *bits;     /* so far, by pair */
    uint64_t now_ps;
    double *found_bps; /* by pair, result of the last search */
    double *known_bps; /* by pair, result of the last solution that included it */
    uint64_t look_count;
    uint64_t solve_count;
    uint64_t stale_count; /* steps with a new set for which older rates were used */
    uint64_t effort;
    enum capacity_method method;   /* the least exact so far */
    double error;                  /* the largest so far */
    struct capacity_limits limits; /* current limits, as far as known; flows are pairs */
    struct capacity_cache *cache;
    struct capacity_forward *forwards; /* by pair; NULL: none forwards what others carry */
};

/* Returns 0, -ENOMEM or -EIO. The simulation must not have begun. */
int capacity_track_init(struct capacity_track *, struct sim *, const struct sim_config *);
/* Likewise, with the caller's memory. */
int capacity_track_init_in(
    struct capacity_track *, const struct allocator *, struct sim *, const struct sim_config *);
void capacity_track_fini(struct capacity_track *);

/* Goodput is compared with capacity over windows of max(20 us, 4 base RTTs, 64 packet times of
 * the narrowest link). Capacity is computed in steps of a quarter of a window, or of a 32nd if
 * there are workloads other than stream, permutation and incast, because their pairs wait for
 * each other. */
uint64_t capacity_window_ps(const struct sim_config *);
uint64_t capacity_step_ps(const struct sim_config *);

/* Returns when the simulation should stop next: after a step, or when a fault changes. */
uint64_t capacity_track_stop_ps(const struct capacity_track *);

/* Called when the simulation has stopped. Adds the capacity since the last stop, with the faults of
 * that time: for half of the time with the flows of then, for the other half with those of now.
 *
 * Solving is limited to about two seconds plus a tenth of the time of the simulation. Beyond that,
 * a pair keeps the rate of its last solution, whatever the others do. Returns 0, -ENOMEM or -EIO.
 */
int capacity_track_look(struct capacity_track *);
