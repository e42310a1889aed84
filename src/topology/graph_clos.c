/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-plane Clos of two to four tiers, with parallel links and oversubscription. */
#include <assert.h>

#include "topology/graph.h"
#include "topology/graph_sum.h"

/* No product of these limits exceeds 64 bits. */
enum { UNITS_MAX = 8192, PARALLEL_MAX = 64 };

/* The number of units of a level in a plane; the highest level is one unit. */
static uint64_t units_at(const struct graph_clos *clos, uint32_t level)
{
    uint64_t count = 1;

    for (uint32_t above = level + 1; above < clos->tier_count; above++)
        count *= clos->units[above];
    return count;
}

static uint64_t switches_at(const struct graph_clos *clos, uint32_t level)
{
    return units_at(clos, level) * (level == 0 ? 1 : clos->tops[level]);
}

static uint32_t tops_below(const struct graph_clos *clos, uint32_t level)
{
    return level == 1 ? 1 : clos->tops[level - 1];
}

static uint32_t parallel_at(const struct graph_clos *clos, uint32_t level)
{
    return clos->parallel[level] ? clos->parallel[level] : 1;
}

static bool check_levels(const struct graph_clos *clos, struct graph_problem *problem)
{
    for (uint32_t level = 0; level < clos->tier_count; level++) {
        if (clos->units[level] == 0 || (level > 0 && clos->tops[level] == 0))
            return graph_sum_refuse(problem, "level % is empty", level, 0);
        if (clos->units[level] > UNITS_MAX || clos->tops[level] > UNITS_MAX)
            return graph_sum_refuse(problem, "level % has more than % of a kind", level, UNITS_MAX);
        if (clos->parallel[level] > PARALLEL_MAX)
            return graph_sum_refuse(
                problem, "% parallel links: at most %", clos->parallel[level], PARALLEL_MAX);
        if (level > 0 && clos->tops[level] % tops_below(clos, level))
            return graph_sum_refuse(problem, "% switches cannot be shared evenly among % columns",
                clos->tops[level], tops_below(clos, level));
    }
    return true;
}

bool graph_clos_size(
    const struct graph_clos *clos, struct graph_size *size, struct graph_problem *problem)
{
    uint64_t switches = 0;
    uint64_t links = 0;
    uint64_t nics;

    if (clos->tier_count < 2 || clos->tier_count > GRAPH_TIERS_MAX)
        return graph_sum_refuse(problem, "% tiers: 2 to 4 can be built", clos->tier_count, 0);
    if (clos->plane_count < 1 || clos->plane_count > GRAPH_PLANES_MAX)
        return graph_sum_refuse(
            problem, "% planes: 1 to 16 can be addressed", clos->plane_count, 0);
    if (!check_levels(clos, problem))
        return false;
    nics = units_at(clos, 0) * clos->units[0];
    for (uint32_t level = 0; level < clos->tier_count; level++) {
        switches += switches_at(clos, level);
        links += level == 0
                     ? nics
                     : switches_at(clos, level) * clos->units[level] * parallel_at(clos, level);
    }
    return graph_sum_take(
        size, nics, switches * clos->plane_count, links * clos->plane_count, problem);
}

static void connect_unit(struct graph *graph, const struct graph_clos *clos, uint32_t level,
    uint32_t unit, const uint32_t *first)
{
    const struct graph_link kind = { .rate_bps = clos->uplink.rate_bps,
        .delay_ps = clos->uplink.delay_ps };
    uint32_t columns = tops_below(clos, level);
    uint32_t width = clos->tops[level] / columns;

    for (uint32_t below = unit * clos->units[level]; below < (unit + 1) * clos->units[level];
         below++)
        for (uint32_t top = 0; top < clos->tops[level]; top++)
            for (uint32_t i = 0; i < parallel_at(clos, level); i++)
                graph_connect(graph, first[level - 1] + below * columns + top / width,
                    first[level] + unit * clos->tops[level] + top, &kind);
}

static void make_plane(struct graph *graph, const struct graph_clos *clos, uint32_t plane)
{
    const struct graph_link kind = { .rate_bps = clos->host_link.rate_bps,
        .delay_ps = clos->host_link.delay_ps };
    uint32_t first[GRAPH_TIERS_MAX];

    assert(clos->tier_count > 0);
    for (uint32_t level = 0; level < clos->tier_count; level++) {
        first[level] = graph->node_count;
        for (uint32_t i = 0; i < switches_at(clos, level); i++)
            graph_add_switch(graph, level, plane, i);
    }
    for (uint32_t nic = 0; nic < graph->size.nic_count; nic++)
        graph_connect(graph, nic, first[0] + nic / clos->units[0], &kind);
    for (uint32_t level = 1; level < clos->tier_count; level++)
        for (uint32_t unit = 0; unit < units_at(clos, level); unit++)
            connect_unit(graph, clos, level, unit, first);
}

void graph_clos(struct graph *graph, const struct graph_clos *clos)
{
    for (uint32_t plane = 0; plane < clos->plane_count; plane++)
        make_plane(graph, clos, plane);
}
