/* SPDX-License-Identifier: Apache-2.0 */
/* A capacity problem without unusable paths, in units in which no level is below 1. Equivalent
 * flows, paths and links may be merged.
 *
 * The level of a flow is its payload rate divided by its weight. Max-min fair means that no level
 * can grow without reducing a level that is equal or lower. */
#pragma once

#include "base/arena.h"
#include "capacity/capacity.h"

struct max_min_flow {
    uint32_t first_path;
    uint32_t path_count;
    double weight;
    double limit;   /* of its level; INFINITY: none */
    uint32_t feeds; /* the flow, plus 1, whose level is at most that of this one; 0: none */
};

struct max_min_path {
    uint32_t first_hop;
    uint32_t hop_count;
    double times; /* number of equivalent paths of the flow */
    double payload_share;
};

struct max_min_hop {
    uint32_t link;
    double times; /* number of these paths that cross the link */
};

struct max_min {
    double *link; /* wire rate */
    uint32_t link_count;
    struct max_min_flow *flows;
    uint32_t flow_count;
    struct max_min_path *paths;
    uint32_t path_count;
    struct max_min_hop *hops;
    uint32_t hop_count;
    void (*on_fixed)(void *context, uint32_t flow, double level, const double *price);
    void *context;
};

/* Reports the final level of a flow. Its limits are the links on its paths whose `price` is above
 * 0; NULL: its own limit. */
static inline void max_min_fix(
    const struct max_min *problem, uint32_t flow, double level, const double *price)
{
    problem->on_fixed(problem->context, flow, level, price);
}

/* Each solver reports every flow that has a path once. Returns 0, -ENOMEM, or -EIO if there is no
 * solution. */
int max_min_fill(const struct max_min *);     /* water_filling.c: flows with at most one path */
int max_min_solve_lp(const struct max_min *); /* linear_program.c */
/* alike.c: merges equivalent flows, links and paths. Adds to `effort`, which is as in capacity.h.
 * -E2BIG: the merged problem is too large. */
int max_min_solve_alike(const struct max_min *, uint64_t *effort);
