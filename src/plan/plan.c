/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the plan of a topology (docs/fabric.md §5). */
#include "plan/plan.h"

#include <string.h>

#include "base/text.h"
#include "plan/plan_usid.h"

/* At least R/2 uplinks, or as many as the leaf with the most uplinks has. */
static uint32_t uplinks_max(const struct plan *plan)
{
    uint32_t half = plan->topology.config.radix / 2;
    uint32_t count = plan_uplink_count(plan);

    return half > count ? half : count;
}

static struct plan_outer outer_parts(enum plan_layout layout, uint32_t block)
{
    uint64_t leaf = plan_usid_of(layout, 0, PLAN_USID_LEAF, 0);
    uint64_t host = plan_usid_of(layout, 0, PLAN_USID_HOST, 0);
    struct plan_outer parts = { .high = (uint64_t)block << 32 | leaf << 16,
        .above = plan_usid_of(layout, 0, PLAN_USID_SPINE, 0),
        .host = host,
        .low = leaf << 16 | host };

    if (layout == PLAN_LAYOUT_PLANE_BLOCK)
        parts.plane_high = UINT64_C(1) << 32;
    else
        parts.plane_high = parts.plane_low = plan_usid_of(layout, 1, 0, 0) * UINT64_C(0x10001);
    return parts;
}

/* Checks the blocks of the planes behind the first, which the topology has checked. */
static bool check_blocks(
    const struct plan *plan, uint32_t plane_count, struct topology_problem *problem)
{
    uint32_t first = plan->topology.config.usid_block;
    uint64_t last = (uint64_t)first + plane_count - 1;
    struct text text = text_in(problem->reason, sizeof(problem->reason));

    if (plan->graph.layout != PLAN_LAYOUT_PLANE_BLOCK)
        return true;
    if (last >> 24 < 0xff && !(first < TOPOLOGY_NIC_BLOCK && last >= TOPOLOGY_NIC_BLOCK))
        return true;
    problem->member = "usid_block";
    text_fill(&text, "% planes need as many blocks from this one on; choose one further below",
        (const uint64_t[]){ plane_count });
    return false;
}

bool plan_init(struct plan *plan, const struct topology_config *description,
    struct topology_exception *exceptions, struct topology_problem *problem)
{
    const struct topology_config *config = &plan->topology.config;

    if (!topology_init(&plan->topology, description, exceptions, problem))
        return false;
    plan->graph = (struct plan_graph){ .layout = plan_layout_for(config->plane_count) };
    plan->uses_srh = false;
    plan->uplink_bits = plan_ev_bits(uplinks_max(plan));
    plan->outer = outer_parts(plan->graph.layout, config->usid_block);
    return check_blocks(plan, config->plane_count, problem);
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
        .framing_bytes = description->framing_bytes,
        .switch_latency_ps = description->switch_latency_ps,
        .detour = detour };
    prepare_for_srh(plan);
    if (plan_graph_choose(&plan->graph, &none))
        return check_blocks(plan, graph->plane_count, problem);
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
    bool has_own = plan->graph.layout == PLAN_LAYOUT_PLANE_BLOCK;

    return plan->topology.config.usid_block + (has_own ? plane : 0);
}
