/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and ratios of a sized fabric, and the graph that it describes. */
#include "study/size.h"

#include <string.h>

enum { MODULE_LANES = 8, GRAPH_UNITS_MAX = 8192, GRAPH_PARALLEL_MAX = 64 };

uint64_t size_switches(const struct size_fabric *fabric)
{
    uint64_t sum = 0;

    for (uint32_t tier = 0; tier < fabric->tier_count; tier++)
        sum += fabric->tiers[tier].switches;
    return sum * fabric->plane_count;
}

uint64_t size_links(const struct size_fabric *fabric)
{
    uint64_t sum = fabric->request.gpus * fabric->nic_ports;

    for (uint32_t tier = 0; tier < fabric->tier_count; tier++)
        sum += fabric->tiers[tier].up_links * fabric->plane_count;
    return sum;
}

/* ZCube: the two shortest, or with one more switch 2 n detours (k = 2) or 4 n (k = 3). Clos: each
 * tier on the way up multiplies the choice; the way down follows. */
uint64_t size_paths(const struct size_fabric *fabric, uint32_t common_tier)
{
    uint64_t paths = fabric->request.kind == SIZE_RAIL_ONLY ? 1 : fabric->plane_count;

    if (fabric->request.kind == SIZE_ZCUBE)
        return common_tier == 0 ? 2 : 2 + 2 * (fabric->tier_count - 1) * fabric->tiers[0].units;
    for (uint32_t tier = 0; tier < common_tier; tier++)
        paths *= fabric->tiers[tier].up_ports;
    return paths;
}

/* A tier above a single unit connects nothing. */
uint32_t size_longest(const struct size_fabric *fabric)
{
    uint32_t top = fabric->tier_count - 1;

    if (fabric->request.kind == SIZE_ZCUBE)
        return fabric->tier_count;
    while (top > 0 && fabric->tiers[top].units == 1)
        top--;
    return 2 * top + 1;
}

double size_oversubscription(const struct size_fabric *fabric)
{
    double worst = 1;

    if (fabric->request.kind == SIZE_ZCUBE)
        return 1;
    for (uint32_t tier = 0; tier + 1 < fabric->tier_count; tier++) {
        const struct size_tier *of = &fabric->tiers[tier];
        double below = (double)of->host_ports * (double)fabric->port_bps +
                       (double)of->down_ports * (double)fabric->uplink_bps;
        double above = (double)of->up_ports * (double)fabric->uplink_bps;

        if (below > worst * above)
            worst = below / above;
    }
    return worst;
}

uint64_t size_nic_modules(const struct size_fabric *fabric)
{
    return fabric->request.gpus *
           size_divide_up((uint64_t)fabric->nic_ports * fabric->port_lanes, MODULE_LANES);
}

/* The modules of one switch with this number of NICs. */
static uint64_t modules_of(
    const struct size_fabric *fabric, const struct size_tier *tier, uint64_t hosts)
{
    uint64_t links = (uint64_t)tier->down_ports + tier->up_ports;

    return size_divide_up(hosts * fabric->port_lanes + links * fabric->uplink_lanes, MODULE_LANES);
}

/* Switches are filled one by one, so that one of them may have fewer NICs, and others none. */
uint64_t size_tier_modules(const struct size_fabric *fabric, uint32_t number)
{
    const struct size_tier *tier = &fabric->tiers[number];
    uint64_t full = tier->host_ports ? tier->host_links / tier->host_ports : 0;
    uint64_t rest = tier->host_ports ? tier->host_links % tier->host_ports : 0;
    uint64_t others = tier->switches - full - (rest > 0);

    return fabric->plane_count * (full * modules_of(fabric, tier, tier->host_ports) +
                                     (rest > 0 ? modules_of(fabric, tier, rest) : 0) +
                                     others * modules_of(fabric, tier, 0));
}

uint64_t size_modules(const struct size_fabric *fabric)
{
    uint64_t sum = size_nic_modules(fabric);

    for (uint32_t tier = 0; tier < fabric->tier_count; tier++)
        sum += size_tier_modules(fabric, tier);
    return sum;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static void set_number(struct graph_parameters *graph, const char *key, uint32_t value)
{
    for (uint32_t i = 0; graph->shape->numbers[i].key; i++)
        if (strcmp(graph->shape->numbers[i].key, key) == 0)
            graph->numbers[i] = value;
}

static bool set_clos(const struct size_fabric *fabric, struct graph_parameters *graph)
{
    static const char *const units[] = { "hosts_per_leaf", "leaves_per_pod", "pods", "clusters" };
    static const char *const tops[] = { "", "spines_per_pod", "cores", "supercores" };
    static const char *const links[] = { "", "leaf_links", "spine_links", "core_links" };
    uint64_t width = 1;

    set_number(graph, "planes", fabric->plane_count);
    set_number(graph, "tiers", fabric->tier_count);
    for (uint32_t tier = 0; tier < fabric->tier_count; tier++) {
        const struct size_tier *of = &fabric->tiers[tier];

        set_number(graph, units[tier], of->units);
        if (tier == 0)
            continue;
        width *= fabric->tiers[tier - 1].up_ports / of->parallel;
        if (width > GRAPH_UNITS_MAX || of->parallel > GRAPH_PARALLEL_MAX)
            return false;
        set_number(graph, tops[tier], (uint32_t)width);
        set_number(graph, links[tier], of->parallel);
    }
    return fabric->tier_count > 1;
}

bool size_graph(const struct size_fabric *fabric, struct graph_parameters *graph)
{
    bool is_zcube = fabric->request.kind == SIZE_ZCUBE;

    *graph = (struct graph_parameters){ .shape = is_zcube ? &graph_shape_zcube : &graph_shape_clos,
        .host_link = { .rate_bps = fabric->port_bps },
        .uplink = { .rate_bps = fabric->uplink_bps } };
    for (uint32_t i = 0; graph->shape->numbers[i].key; i++)
        graph->numbers[i] = graph->shape->numbers[i].usual;
    if (!is_zcube)
        return set_clos(fabric, graph);
    set_number(graph, "n", fabric->tiers[0].units);
    set_number(graph, "k", fabric->tier_count);
    return true;
}
