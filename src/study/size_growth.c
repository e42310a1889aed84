/* SPDX-License-Identifier: Apache-2.0 */
/* Adds whole units below the highest tier, while its switches have free ports. With parallel links
 * all ports may be used: then more GPUs need more switches of the highest tier, and a part of each
 * bundle of links moves to them. */
#include "study/size_growth.h"

static uint64_t moved_cables(const struct size_fabric *now, const struct size_fabric *then)
{
    const struct size_tier *top = &now->tiers[now->tier_count - 1];
    uint64_t kept = then->tiers[now->tier_count - 1].parallel;
    uint64_t bundles = now->tiers[now->tier_count - 2].up_links / top->parallel;

    return kept >= top->parallel ? 0 : now->plane_count * bundles * (top->parallel - kept);
}

static void find_units(const struct size_fabric *fabric, struct size_growth *growth)
{
    const struct size_tier *top = &fabric->tiers[fabric->tier_count - 1];
    uint64_t radix = fabric->switch_lanes / fabric->uplink_lanes;
    uint64_t missing = growth->gpus > growth->free_places ? growth->gpus - growth->free_places : 0;

    growth->free_units = radix / top->parallel - top->units;
    growth->units = size_divide_up(missing, fabric->places / top->units);
    growth->keeps_cables = growth->units <= growth->free_units;
}

void size_growth_find(const struct size_fabric *fabric, uint64_t gpus, struct size_growth *growth)
{
    struct size_request request = fabric->request;
    char reason[SIZE_REASON_BYTES];

    *growth =
        (struct size_growth){ .gpus = gpus, .free_places = fabric->places - fabric->request.gpus };
    if (fabric->tier_count > 1 && fabric->request.kind != SIZE_ZCUBE)
        find_units(fabric, growth);
    else
        growth->keeps_cables = gpus <= growth->free_places;
    request.gpus += gpus;
    request.tiers = 0;
    growth->is_possible = size_solve(&request, &growth->grown, reason);
    growth->keeps_tiers = growth->is_possible && growth->grown.tier_count == fabric->tier_count;
    if (growth->keeps_tiers && fabric->tier_count > 1)
        growth->cables_to_move = moved_cables(fabric, &growth->grown);
}
