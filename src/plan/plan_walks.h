/* SPDX-License-Identifier: Apache-2.0 */
/* How many ways lead from each switch of a graph to one NIC, and which is the nth: paths are
 * counted and picked without listing them. */
#pragma once

#include "plan/plan_graph.h"

struct plan_walks {
    const struct graph *graph;
    uint32_t to;
    uint32_t detour;
    uint32_t *distances; /* switches from a node to the NIC, itself included; GRAPH_NONE: no way */
    uint32_t *counts;    /* by node and switches more than the distance, as far as they are known */
};

/* Numbers that plan_walks_init() needs. */
uint32_t plan_walks_scratch(const struct graph *);
void plan_walks_init(
    struct plan_walks *, const struct graph *, uint32_t to_nic, uint32_t detour, uint32_t *scratch);

/* Ways from a switch that pass exactly as many switches, itself included. Some may pass a switch
 * twice. */
uint32_t plan_walks_count(struct plan_walks *, uint32_t node, uint32_t switches);

/* Way `number` from the switch, in the order of ports; route->switch_count says how many it passes.
 * Fills in the hops after the first. False: it passes a switch twice. */
bool plan_walks_follow(
    struct plan_walks *, uint32_t node, uint32_t number, struct plan_route *route);
