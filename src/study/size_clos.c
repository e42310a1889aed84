/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the fewest switches of a plane whose tiers above the leaves are not oversubscribed, with
 * the same number of links between any two switches that are connected, as graph_clos.c builds
 * it. */
#include "study/size_clos.h"

#include <assert.h>

struct leaf {
    uint32_t hosts;
    uint32_t uplinks; /* needed */
    uint32_t room;    /* ports that are left for uplinks */
};

static uint64_t uplinks_for(const struct size_fabric *fabric, uint64_t hosts)
{
    return size_divide_up(hosts * (fabric->port_bps / 1000) * SIZE_EVEN,
        fabric->uplink_bps / 1000 * fabric->request.oversubscription);
}

static bool leaf_fits(const struct size_fabric *fabric, uint64_t hosts)
{
    return hosts > 0 &&
           hosts * fabric->port_lanes + uplinks_for(fabric, hosts) * fabric->uplink_lanes <=
               fabric->switch_lanes;
}

static bool find_leaf(const struct size_fabric *fabric, struct leaf *leaf)
{
    uint32_t hosts = fabric->request.hosts_per_leaf;

    if (!hosts)
        for (hosts = fabric->switch_lanes / fabric->port_lanes;
             hosts > 0 && !leaf_fits(fabric, hosts);)
            hosts--;
    if (!leaf_fits(fabric, hosts))
        return false;
    *leaf = (struct leaf){ .hosts = hosts,
        .uplinks = (uint32_t)uplinks_for(fabric, hosts),
        .room = (fabric->switch_lanes - hosts * fabric->port_lanes) / fabric->uplink_lanes };
    return true;
}

static uint32_t radix_of(const struct size_fabric *fabric)
{
    return fabric->switch_lanes / fabric->uplink_lanes;
}

/* Returns how many units of the tier below a switch can connect. Half of the ports of a middle tier
 * lead up. */
static uint32_t units_max(const struct size_fabric *fabric, uint32_t tier, uint32_t tiers)
{
    return tier == tiers - 1 ? radix_of(fabric) : radix_of(fabric) / 2;
}

static uint64_t step_up(uint64_t count, uint64_t step)
{
    return size_divide_up(count, step) * step;
}

/* Divides the leaves among units of equal size, from the top down. */
static bool divide_leaves(struct size_fabric *fabric, uint64_t leaf_count, uint32_t tiers)
{
    uint64_t counts[SIZE_TIERS_MAX] = { leaf_count }; /* units of a tier, if all are full */
    uint64_t units = 1;

    for (uint32_t tier = 1; tier + 1 < tiers; tier++) {
        if (units_max(fabric, tier, tiers) == 0)
            return false;
        counts[tier] = size_divide_up(counts[tier - 1], units_max(fabric, tier, tiers));
    }
    if (counts[tiers - 2] > units_max(fabric, tiers - 1, tiers))
        return false;
    for (uint32_t tier = tiers - 1; tier > 0; tier--) {
        fabric->tiers[tier].units = (uint32_t)size_divide_up(counts[tier - 1], units);
        fabric->tiers[tier].switches = units; /* times those of a unit, see connect_tier() */
        units *= fabric->tiers[tier].units;
    }
    fabric->tiers[0].switches = units;
    return true;
}

/* Finds the fewest switches above each switch of the tier below, and the fewest links to them. */
static void connect_tier(
    struct size_fabric *fabric, uint32_t tier, uint32_t tiers, uint32_t needed, uint32_t room)
{
    struct size_tier *of = &fabric->tiers[tier];
    uint32_t width = needed;

    of->parallel = 1;
    for (uint32_t links = 2; links <= units_max(fabric, tier, tiers) / of->units; links++) {
        uint32_t narrower = (uint32_t)size_divide_up(needed, links);

        if (narrower < width && narrower * links <= room) {
            width = narrower;
            of->parallel = links;
        }
    }
    of->down_ports = of->units * of->parallel;
    of->up_ports = 0;
    fabric->tiers[tier - 1].up_ports = width * of->parallel;
}

static void count_tiers(struct size_fabric *fabric, uint64_t nics, uint32_t tiers)
{
    uint64_t tops = 1; /* switches of a tier in one of its units */

    for (uint32_t tier = 0; tier < tiers; tier++) {
        struct size_tier *of = &fabric->tiers[tier];

        if (tier > 0)
            tops *= fabric->tiers[tier - 1].up_ports / of->parallel;
        of->switches *= tops;
        of->up_links = of->switches * of->up_ports;
    }
    fabric->tiers[0].host_links = nics;
    fabric->tier_count = tiers;
}

static void solve_single(struct size_fabric *fabric, uint64_t nics)
{
    fabric->tier_count = 1;
    fabric->tiers[0] = (struct size_tier){ .switches = 1,
        .host_links = nics,
        .host_ports = fabric->switch_lanes / fabric->port_lanes,
        .units = fabric->switch_lanes / fabric->port_lanes,
        .parallel = 1 };
    fabric->places = fabric->tiers[0].host_ports;
}

bool size_clos_solve(struct size_fabric *fabric, uint64_t nics, uint64_t leaf_step, uint32_t tiers)
{
    struct leaf leaf;

    assert(tiers >= 1 && tiers <= SIZE_TIERS_MAX);
    if (nics > size_clos_largest(fabric, leaf_step, tiers))
        return false;
    if (tiers == 1) {
        solve_single(fabric, nics);
        return true;
    }
    if (!find_leaf(fabric, &leaf) ||
        !divide_leaves(fabric, step_up(size_divide_up(nics, leaf.hosts), leaf_step), tiers))
        return false;
    fabric->tiers[0].host_ports = leaf.hosts;
    fabric->tiers[0].units = leaf.hosts;
    fabric->tiers[0].parallel = 1;
    for (uint32_t tier = 1; tier < tiers; tier++) {
        uint32_t below = fabric->tiers[tier - 1].down_ports;

        if (tier == 1)
            connect_tier(fabric, tier, tiers, leaf.uplinks, leaf.room);
        else
            connect_tier(fabric, tier, tiers, below, radix_of(fabric) - below);
    }
    count_tiers(fabric, nics, tiers);
    fabric->places = fabric->tiers[0].switches * leaf.hosts;
    return true;
}

uint64_t size_clos_largest(const struct size_fabric *fabric, uint64_t leaf_step, uint32_t tiers)
{
    struct leaf leaf;
    uint64_t leaves = 1;

    if (tiers == 1)
        return leaf_step == 1 ? fabric->switch_lanes / fabric->port_lanes : 0;
    if (!find_leaf(fabric, &leaf))
        return 0;
    for (uint32_t tier = 1; tier < tiers; tier++)
        leaves *= units_max(fabric, tier, tiers);
    return leaves / leaf_step * leaf_step * leaf.hosts;
}
