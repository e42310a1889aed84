/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the plan of a topology (docs/fabric.md §5). */
#include "plan/plan.h"

#include <string.h>

/* At least R/2 uplinks, or as many as the leaf with the most uplinks has. */
static uint32_t uplinks_max(const struct plan *plan)
{
    uint32_t half = plan->topology.config.radix / 2;
    uint32_t count = plan_uplink_count(plan);

    return half > count ? half : count;
}

bool plan_init(struct plan *plan, const struct topology_config *description,
    struct topology_exception *exceptions, struct topology_problem *problem)
{
    const struct topology_config *config = &plan->topology.config;

    if (!topology_init(&plan->topology, description, exceptions, problem))
        return false;
    plan->graph = (struct plan_graph){ .layout = PLAN_LAYOUT_ONE_BLOCK };
    plan->uses_srh = false;
    plan->uplink_bits = plan_ev_bits(uplinks_max(plan));
    plan->outer_high = (uint64_t)config->usid_block << 32 | (uint64_t)PLAN_USID_LEAF
                                                                << (PLAN_USID_TYPE_SHIFT + 16);
    return true;
}

/* Paths that need an SRH have longer headers, which must survive trimming. */
static void prepare_for_srh(struct plan *plan)
{
    struct topology_buffers *buffers = &plan->topology.config.buffers;
    uint32_t least_bytes = TOPOLOGY_TRIMMED_BYTES_MIN + SRH_BYTES;

    plan->uses_srh = plan->topology.switches_max + 1 > USID_COUNT_MAX;
    if (plan->uses_srh && buffers->trimmed_bytes < least_bytes)
        buffers->trimmed_bytes = (uint16_t)least_bytes;
}

bool plan_init_graph(struct plan *plan, const struct topology_config *description,
    const struct graph *graph, uint32_t detour, uint32_t *scratch, struct topology_problem *problem)
{
    struct graph_problem none;

    *plan = (struct plan){ .uplink_bits = PLAN_EV_BITS_MIN };
    if (!topology_init_graph(&plan->topology, description, graph, scratch, problem))
        return false;
    plan->graph = (struct plan_graph){ .graph = graph,
        .block = description->usid_block,
        .nic_latency_ps = description->nic_latency_ps,
        .switch_latency_ps = description->switch_latency_ps,
        .detour = detour };
    prepare_for_srh(plan);
    if (plan_graph_choose(&plan->graph, &none))
        return true;
    problem->member = "shape";
    memcpy(problem->reason, none.reason, sizeof(problem->reason));
    return false;
}

struct plan_names plan_names(const struct plan *plan, const struct topology_element *element)
{
    const struct plan_graph *graph = &plan->graph;
    uint32_t tier = element->lower.tier;

    return (struct plan_names){ .first = plan_usid(plan, element),
        .step = (uint16_t)(plan->topology.graph ? graph->tier_switches[tier] : 0),
        .count = plan->topology.graph ? graph->tier_names[tier] : 1 };
}

uint32_t plan_block(const struct plan *plan, uint32_t plane)
{
    bool has_own = plan->topology.graph && plan->graph.layout == PLAN_LAYOUT_PLANE_BLOCK;

    return plan->topology.config.usid_block + (has_own ? plane : 0);
}
