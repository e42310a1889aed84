/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-plane Clos of two to four tiers, with parallel links, oversubscription and rails.
 *
 * A unit of level l holds units_of(l) units of level l - 1 and tops_of(l) switches of tier l; a
 * unit of level 0 is a T0, and its units are hosts. Top j of a lower unit has links to the tops of
 * its column, j * tops_of(l) / tops_of(l - 1) and following, parallel_of(l) to each. With fewer
 * tops the level is oversubscribed.
 *
 * With rails, NIC r of server s, number s * rails + r, is at leaf r of as many leaves. */
#include <assert.h>
#include <stddef.h>

#include "topology/graph_sum.h"

enum { PLANES, TIERS, UNITS, TOPS = UNITS + 4, PARALLEL = TOPS + 3, RAILS = PARALLEL + 3 };

static const struct graph_number numbers[] = {
    [PLANES] = { "planes", 1 },
    [TIERS] = { "tiers", 2 },
    [UNITS] = { "hosts_per_leaf", 0 },
    { "leaves_per_pod", 0 },
    { "pods", 0 },
    { "clusters", 0 },
    [TOPS] = { "spines_per_pod", 0 },
    { "cores", 0 },
    { "supercores", 0 },
    [PARALLEL] = { "leaf_links", 1 },
    { "spine_links", 1 },
    { "core_links", 1 },
    [RAILS] = { "rails", 1 },
    { NULL, 0 },
};

static uint32_t units_of(const struct graph_parameters *clos, uint32_t level)
{
    return clos->numbers[UNITS + level];
}

static uint32_t tops_of(const struct graph_parameters *clos, uint32_t level)
{
    return level == 0 ? 1 : clos->numbers[TOPS + level - 1];
}

static uint32_t parallel_of(const struct graph_parameters *clos, uint32_t level)
{
    return level == 0 ? 1 : clos->numbers[PARALLEL + level - 1];
}

static uint32_t leaf_of_nic(const struct graph_parameters *clos, uint32_t nic)
{
    uint32_t rails = clos->numbers[RAILS];

    return nic / (rails * units_of(clos, 0)) * rails + nic % rails;
}

/* No product of these limits exceeds 64 bits. */
enum { UNITS_MAX = 8192, PARALLEL_MAX = 64 };

/* The number of units of a level in a plane; the highest level is one unit. */
static uint64_t units_at(const struct graph_parameters *clos, uint32_t level)
{
    uint64_t count = 1;

    for (uint32_t above = level + 1; above < clos->numbers[TIERS]; above++)
        count *= units_of(clos, above);
    return count;
}

static uint64_t switches_at(const struct graph_parameters *clos, uint32_t level)
{
    return units_at(clos, level) * tops_of(clos, level);
}

static bool check_levels(const struct graph_parameters *clos, struct graph_problem *problem)
{
    for (uint32_t level = 0; level < clos->numbers[TIERS]; level++) {
        if (units_of(clos, level) == 0 || (level > 0 && tops_of(clos, level) == 0))
            return graph_sum_refuse(problem, "level % is empty", level, 0);
        if (units_of(clos, level) > UNITS_MAX || tops_of(clos, level) > UNITS_MAX)
            return graph_sum_refuse(problem, "level % has more than % of a kind", level, UNITS_MAX);
        if (parallel_of(clos, level) > PARALLEL_MAX)
            return graph_sum_refuse(
                problem, "% parallel links: at most %", parallel_of(clos, level), PARALLEL_MAX);
        if (level > 0 && tops_of(clos, level) % tops_of(clos, level - 1))
            return graph_sum_refuse(problem, "% switches cannot be shared evenly among % columns",
                tops_of(clos, level), tops_of(clos, level - 1));
    }
    return true;
}

static bool clos_size(
    const struct graph_parameters *clos, struct graph_size *size, struct graph_problem *problem)
{
    uint64_t switches = 0;
    uint64_t links = 0;
    uint64_t nics;

    if (clos->numbers[TIERS] < 2 || clos->numbers[TIERS] > GRAPH_TIERS_MAX)
        return graph_sum_refuse_number(
            problem, TIERS, "% tiers: 2 to 4 can be built", clos->numbers[TIERS]);
    if (clos->numbers[PLANES] < 1 || clos->numbers[PLANES] > GRAPH_PLANES_MAX)
        return graph_sum_refuse_number(
            problem, PLANES, "% planes: 1 to 16 can be addressed", clos->numbers[PLANES]);
    if (!check_levels(clos, problem))
        return false;
    if (units_at(clos, 0) % clos->numbers[RAILS])
        return graph_sum_refuse(problem, "% leaves cannot be shared evenly among % rails",
            units_at(clos, 0), clos->numbers[RAILS]);
    nics = units_at(clos, 0) * units_of(clos, 0);
    for (uint32_t level = 0; level < clos->numbers[TIERS]; level++) {
        switches += switches_at(clos, level);
        links += level == 0
                     ? nics
                     : switches_at(clos, level) * units_of(clos, level) * parallel_of(clos, level);
    }
    return graph_sum_take(
        size, nics, switches * clos->numbers[PLANES], links * clos->numbers[PLANES], problem);
}

static void connect_unit(struct graph *graph, const struct graph_parameters *clos, uint32_t level,
    uint32_t unit, const uint32_t *first)
{
    uint32_t columns = tops_of(clos, level - 1);
    uint32_t width = tops_of(clos, level) / columns;

    for (uint32_t below = unit * units_of(clos, level); below < (unit + 1) * units_of(clos, level);
         below++)
        for (uint32_t top = 0; top < tops_of(clos, level); top++)
            for (uint32_t i = 0; i < parallel_of(clos, level); i++)
                graph_shape_connect(graph, first[level - 1] + below * columns + top / width,
                    first[level] + unit * tops_of(clos, level) + top, &clos->uplink);
}

static void make_plane(struct graph *graph, const struct graph_parameters *clos, uint32_t plane)
{
    uint32_t first[GRAPH_TIERS_MAX];

    assert(clos->numbers[TIERS] > 0);
    for (uint32_t level = 0; level < clos->numbers[TIERS]; level++) {
        first[level] = graph->node_count;
        for (uint32_t i = 0; i < switches_at(clos, level); i++)
            graph_add_switch(graph, level, plane, i);
    }
    for (uint32_t nic = 0; nic < graph->size.nic_count; nic++)
        graph_shape_connect(graph, nic, first[0] + leaf_of_nic(clos, nic), &clos->host_link);
    for (uint32_t level = 1; level < clos->numbers[TIERS]; level++)
        for (uint32_t unit = 0; unit < units_at(clos, level); unit++)
            connect_unit(graph, clos, level, unit, first);
}

static void clos_build(struct graph *graph, const struct graph_parameters *clos)
{
    for (uint32_t plane = 0; plane < clos->numbers[PLANES]; plane++)
        make_plane(graph, clos, plane);
}

const struct graph_shape graph_shape_clos = {
    .numbers = numbers, .size = clos_size, .build = clos_build
};
