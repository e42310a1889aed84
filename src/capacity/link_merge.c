/* SPDX-License-Identifier: Apache-2.0 */
/* Compares T1s with the first of each kind, then planes likewise. */
#include "capacity/link_merge.h"

#include <stdalign.h>

static bool is_alike(const struct link_rate *a, const struct link_rate *b)
{
    return a[LINK_UP].bps == b[LINK_UP].bps && a[LINK_UP].kept == b[LINK_UP].kept &&
           a[LINK_DOWN].bps == b[LINK_DOWN].bps && a[LINK_DOWN].kept == b[LINK_DOWN].kept;
}

struct t1_place {
    uint32_t plane;
    uint32_t t1;
};

static bool are_t1s_alike(const struct link_merge *merge, struct t1_place a, struct t1_place b)
{
    const struct link_rates *rates = merge->rates;

    for (uint32_t t0 = 0; t0 < rates->fabric->topology.config.t0_count; t0++)
        if (merge->is_used_t0[t0] && !is_alike(link_rates_uplink(rates, a.plane, t0, a.t1, LINK_UP),
                                         link_rates_uplink(rates, b.plane, t0, b.t1, LINK_UP)))
            return false;
    return true;
}

/* A fault of one EV concerns a path through this T1. */
static bool is_special(const struct link_rates *rates, struct t1_place place)
{
    uint32_t ev =
        plan_ev(rates->fabric, (struct ev_path){ .plane = place.plane, .uplink = place.t1 });

    for (uint32_t i = 0; i < rates->path_count; i++)
        if (rates->paths[i].ev == ev)
            return true;
    return false;
}

static bool has_special(const struct link_rates *rates, uint32_t plane)
{
    for (uint32_t i = 0; i < rates->path_count; i++)
        if (plan_ev_path(rates->fabric, rates->paths[i].ev).plane == plane)
            return true;
    return false;
}

static void place_t1(
    struct link_merge *merge, struct link_merge_plane *plane, uint32_t t1, bool may_merge)
{
    struct t1_place place = { plane->first, t1 };

    may_merge = may_merge && !is_special(merge->rates, place);
    for (uint32_t i = 0; may_merge && i < plane->t1s_count; i++) {
        struct t1_place other = { plane->first, plane->t1s[i].first };

        if (!is_special(merge->rates, other) && are_t1s_alike(merge, place, other)) {
            plane->t1s[i].count++;
            return;
        }
    }
    plane->t1s[plane->t1s_count++] = (struct link_merge_t1s){ .first = t1, .count = 1 };
}

static bool are_planes_alike(const struct link_merge *merge, const struct link_merge_plane *a,
    const struct link_merge_plane *b)
{
    const struct link_rates *rates = merge->rates;

    if (a->t1s_count != b->t1s_count || has_special(rates, a->first) ||
        has_special(rates, b->first))
        return false;
    for (uint32_t i = 0; i < a->t1s_count; i++)
        if (a->t1s[i].count != b->t1s[i].count ||
            !are_t1s_alike(merge, (struct t1_place){ a->first, a->t1s[i].first },
                (struct t1_place){ b->first, b->t1s[i].first }))
            return false;
    for (uint32_t nic = 0; nic < rates->fabric->topology.nic_count; nic++)
        if (merge->is_used_nic[nic] && !is_alike(link_rates_host(rates, nic, a->first, LINK_UP),
                                           link_rates_host(rates, nic, b->first, LINK_UP)))
            return false;
    return true;
}

static void place_plane(struct link_merge *merge, struct link_merge_plane *plane, bool may_merge)
{
    for (uint32_t i = 0; may_merge && i < merge->plane_count; i++) {
        struct link_merge_plane *other = &merge->planes[i];

        if (are_planes_alike(merge, plane, other)) {
            other->mask |= plane->mask;
            other->count++;
            return;
        }
    }
    merge->planes[merge->plane_count++] = *plane;
}

static void mark_used(
    struct link_merge *merge, const struct capacity_demand *demands, uint32_t demand_count)
{
    const struct topology *topology = &merge->rates->fabric->topology;

    for (uint32_t i = 0; i < demand_count; i++) {
        merge->is_used_nic[demands[i].from_nic] = true;
        merge->is_used_nic[demands[i].to_nic] = true;
        merge->is_used_t0[topology_t0_of(topology, demands[i].from_nic)] = true;
        merge->is_used_t0[topology_t0_of(topology, demands[i].to_nic)] = true;
    }
}

/* Flows that may not take every path need every path by itself. */
static bool may_merge(const struct capacity_demand *demands, uint32_t demand_count)
{
    for (uint32_t i = 0; i < demand_count; i++)
        if (demands[i].ev_count > 0)
            return false;
    return true;
}

void link_merge_init(struct link_merge *merge, struct arena *arena, const struct link_rates *rates,
    const struct capacity_demand *demands, uint32_t demand_count)
{
    const struct topology_config *config = &rates->fabric->topology.config;
    bool merges = may_merge(demands, demand_count);

    *merge = (struct link_merge){ .rates = rates };
    merge->is_used_nic = arena_take(arena, rates->fabric->topology.nic_count, sizeof(bool), 1);
    merge->is_used_t0 = arena_take(arena, config->t0_count, sizeof(bool), 1);
    if (arena->memory)
        mark_used(merge, demands, demand_count);
    for (uint32_t i = 0; i < config->plane_count; i++) {
        struct link_merge_plane plane = { .first = i, .mask = UINT32_C(1) << i, .count = 1 };

        plane.t1s =
            arena_take(arena, config->t1_count, sizeof(*plane.t1s), alignof(struct link_merge_t1s));
        for (uint32_t t1 = 0; arena->memory && t1 < config->t1_count; t1++)
            place_t1(merge, &plane, t1, merges);
        if (arena->memory)
            place_plane(merge, &plane, merges);
    }
}
