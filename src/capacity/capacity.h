/* SPDX-License-Identifier: Apache-2.0 */
/* Fluid capacity: the max-min fair rate of every flow of a network, where a flow may split over
 * several paths at will.
 *
 * Links have wire rates, flows have payload rates: a flow says how much of each wire byte is
 * payload. A direction of a cable is a link of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "sim/sim.h"
#include "topology/topology.h"

/* ---- any network ----------------------------------------------------------------------------- */

struct capacity_flow {
    uint32_t first_path;
    uint32_t path_count;  /* 0: its rate is 0 */
    double weight;        /* of its share; 1 is usual */
    double payload_share; /* payload bytes in a wire byte, above 0 and at most 1 */
    double limit_bps;     /* most payload it takes; 0: no limit of its own */
};

struct capacity_path {
    uint32_t first_hop;
    uint32_t hop_count;
};

struct capacity_input {
    const double *link_bps; /* wire rate; 0: the link is out */
    uint32_t link_count;
    const struct capacity_flow *flows;
    uint32_t flow_count;
    const struct capacity_path *paths;
    uint32_t path_count;
    const uint32_t *hops; /* links, by path */
    uint32_t hop_count;
};

enum capacity_method {
    CAPACITY_WATER_FILLING, /* one path each: exact */
    CAPACITY_LINEAR_PROGRAM,
    CAPACITY_BOUNDS, /* between two bounds: see `error` */
    CAPACITY_METHOD_COUNT,
};

/* As in results: "water_filling". */
const char *capacity_method_word(enum capacity_method);

#define CAPACITY_OWN_LIMIT UINT32_MAX /* in place of a link: the flow's limit_bps */

struct capacity_rates {
    double *flow_bps; /* payload */
    /* What limits flow f: the limit_count[f] links from limits[first_limit[f]] on, all of them
     * full. They cut every path of the flow. None: it has no path. */
    uint32_t *first_limit;
    uint32_t *limit_count;
    uint32_t *limits;
    uint32_t flow_count;
    double sum_bps;
    enum capacity_method method;
    double error;    /* rates smaller by this share fit the network; 0: they do as they are */
    uint64_t effort; /* of finding them, in packet-hops that the simulator does in that time */
};

/* 0, -ENOMEM, -EIO if the linear program could not be solved, -E2BIG if it would take longer than
 * some tenths of a second. */
int capacity_solve(const struct capacity_input *, struct capacity_rates *);
void capacity_rates_fini(struct capacity_rates *);

/* ---- a fabric at a moment -------------------------------------------------------------------- */

/* All that one NIC sends to another counts as one flow. */
struct capacity_demand {
    uint32_t from_nic;
    uint32_t to_nic;
    double payload_share;
    const uint32_t *evs; /* only these paths; NULL: all */
    uint32_t ev_count;
    const struct path_profile *profile; /* of a graph: the EVs of the QPs; NULL: all */
};

/* What a link of the solved network stands for: links that look alike count as one. */
struct capacity_name {
    struct topology_element link; /* the first of them: others are of its NIC or its leaf */
    bool goes_up;
    uint32_t plane_mask;
    uint32_t plane_links; /* in each plane */
    double healthy_bps;   /* of all together, without faults and exceptions */
};

struct capacity_fabric {
    struct capacity_input input; /* flow f is demand f */
    struct capacity_name *names; /* by link */
    void *memory;
};

/* The network that `demands` meet while `in_force` are in force (docs/simulator.md). 0 or -ENOMEM.
 */
int capacity_fabric_init(struct capacity_fabric *, const struct plan *,
    const struct fault *const *in_force, uint32_t in_force_count,
    const struct capacity_demand *demands, uint32_t demand_count);
void capacity_fabric_fini(struct capacity_fabric *);
/* The same as capacity_solve(), but what is too big for it, or has no solution by rounding, is
 * solved between bounds. */
int capacity_fabric_solve(
    const struct capacity_fabric *, const struct topology *, struct capacity_rates *);

/* What limits the flows of a network, in short. */
struct capacity_limit {
    struct capacity_name name;
    double bps;          /* of all it stands for together */
    double healthy_bps;  /* without faults and exceptions; as above: nothing is wrong with it */
    uint32_t flow_count; /* that it limits, alone or with others */
    uint32_t flow;       /* one of them */
};

enum { CAPACITY_LIMITS_MAX = 8 };

struct capacity_limits {
    uint32_t flow_count;
    uint32_t cut_off;    /* that have no path */
    uint32_t by_uplinks; /* that uplinks limit, alone or with others; the rest: host links */
    struct capacity_limit top[CAPACITY_LIMITS_MAX]; /* those that are less than healthy first, then
                                                       by the number of flows */
    uint32_t top_count;
    uint32_t link_count; /* that limit at all */
};

/* 0 or -ENOMEM. */
int capacity_limits_find(
    struct capacity_limits *, const struct capacity_fabric *, const struct capacity_rates *);

/* ---- a running simulation -------------------------------------------------------------------- */

/* All QPs of a workload from one rank to another. A pair counts while it has bytes that were posted
 * and not placed, but not before the first of them can have arrived. Pairs of several workloads
 * between the same NICs are one flow, whose rate their QPs share equally. */
struct capacity_pair {
    uint32_t workload;
    uint32_t group; /* the first pair between these NICs */
    uint32_t from_nic;
    uint32_t to_nic;
    uint32_t first_flow; /* as sim_flow_at() counts; the others follow */
    uint32_t flow_count;
    uint64_t one_way_ps;
    double payload_share;
};

struct capacity_cache; /* of sets of faults and flows that were there before */

/* The capacity of a simulation up to now. */
struct capacity_track {
    struct sim *sim;
    const struct sim_config *config;
    struct capacity_pair *pairs;
    uint32_t pair_count;
    double *rate_bps; /* now, by pair; 0: nothing to do */
    double *bits;     /* so far, by pair */
    uint64_t now_ps;
    double *found_bps; /* by pair, by the last search */
    double *known_bps; /* by pair, when it was solved last */
    uint64_t look_count;
    uint64_t solve_count;
    uint64_t stale_count; /* looks at new sets for which older rates had to do */
    uint64_t effort;
    enum capacity_method method;   /* the least exact so far */
    double error;                  /* the largest so far */
    struct capacity_limits limits; /* now, as far as it is known; flows are pairs */
    struct capacity_cache *cache;
};

/* 0 or -ENOMEM. The simulation must not have begun. */
int capacity_track_init(struct capacity_track *, struct sim *, const struct sim_config *);
void capacity_track_fini(struct capacity_track *);

/* Goodput is compared with capacity over windows of max(20 us, 4 base RTTs, 64 packet times of the
 * narrowest link). Capacity is looked at in steps of a quarter of that; of a 32nd where there are
 * workloads other than stream, permutation and incast, whose pairs wait for each other. */
uint64_t capacity_window_ps(const struct sim_config *);
uint64_t capacity_step_ps(const struct sim_config *);

/* Where the simulation should stop next: after a step, or where a fault changes. */
uint64_t capacity_track_stop_ps(const struct capacity_track *);

/* The simulation has come to a stop: adds what could have been carried since the last one, with the
 * faults of that time, and half the time with the flows of that time and half with those of now.
 *
 * Solving may take about two seconds and a tenth of what the simulation takes. Beyond that a pair
 * keeps the rate it had when it was solved last, whatever the others do. 0, -ENOMEM or -EIO. */
int capacity_track_look(struct capacity_track *);
