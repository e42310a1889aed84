/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the ways from each switch of a graph to one NIC and finds the nth, so that paths can be
 * counted and picked without listing them. */
#pragma once

#include "plan/plan_graph.h"

struct plan_walks {
    const struct graph *graph;
    uint32_t to;
    uint32_t detour;
    uint32_t *distances; /* switches from a node to the NIC, with itself; GRAPH_NONE: no way */
    uint32_t *counts;    /* by node and excess over the distance, as far as computed */
};

/* Returns the size of `scratch` for plan_walks_init(), in numbers. */
uint32_t plan_walks_scratch(const struct graph *);
void plan_walks_init(
    struct plan_walks *, const struct graph *, uint32_t to_nic, uint32_t detour, uint32_t *scratch);

/* Returns the number of ways from a switch that pass exactly `switches` switches, including itself.
 * Some may pass a switch twice. */
uint32_t plan_walks_count(struct plan_walks *, uint32_t node, uint32_t switches);

/* Finds way `number` from the switch, in the order of ports, with route->switch_count switches.
 * Fills in the hops after the first. Returns false if it passes a switch twice. */
bool plan_walks_follow(
    struct plan_walks *, uint32_t node, uint32_t number, struct plan_route *route);
