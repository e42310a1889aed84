/* SPDX-License-Identifier: Apache-2.0 */
/* Compares uplinks with the first of each kind, then planes in the same way. */
#include "capacity/link_merge.h"

#include <stdalign.h>

static bool is_alike(const struct link_rates *rates, size_t link, size_t other)
{
    for (enum link_way way = LINK_UP; way < LINK_WAY_COUNT; way++) {
        struct link_rate a = link_rates_of(rates, link, way);
        struct link_rate b = link_rates_of(rates, other, way);

        if (a.bps != b.bps || a.kept != b.kept)
            return false;
    }
    return true;
}

static size_t link_at(const struct link_rates *rates, struct ev_path path, uint32_t leaf)
{
    const struct topology_leaf_uplink uplink = {
        .plane = path.plane, .leaf = leaf, .number = path.uplink
    };

    return topology_uplink(&rates->fabric->topology, &uplink);
}

static bool are_paths_alike(const struct link_merge *merge, struct ev_path a, struct ev_path b)
{
    const struct link_rates *rates = merge->rates;

    for (uint32_t leaf = 0; leaf < merge->leaf_count && !merge->is_usual; leaf++)
        if (merge->is_used_leaf[leaf] &&
            !is_alike(rates, link_at(rates, a, leaf), link_at(rates, b, leaf)))
            return false;
    return true;
}

/* Returns true if a fault of one EV affects this path. */
static bool is_special(const struct link_rates *rates, struct ev_path path)
{
    uint32_t ev = plan_ev(rates->fabric, path);

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

static void place_uplink(
    struct link_merge *merge, struct link_merge_plane *plane, uint32_t uplink, bool may_merge)
{
    struct ev_path path = { plane->first, uplink };

    may_merge = may_merge && !is_special(merge->rates, path);
    for (uint32_t i = 0; may_merge && i < plane->uplinks_count; i++) {
        struct ev_path other = { plane->first, plane->uplinks[i].first };

        if (!is_special(merge->rates, other) && are_paths_alike(merge, path, other)) {
            plane->uplinks[i].count++;
            return;
        }
    }
    plane->uplinks[plane->uplinks_count++] =
        (struct link_merge_uplinks){ .first = uplink, .count = 1 };
}

static bool is_nic_alike(
    const struct link_rates *rates, uint32_t nic, uint32_t plane, uint32_t other)
{
    const struct topology *topology = &rates->fabric->topology;

    return is_alike(
        rates, topology_nic_link(topology, nic, plane), topology_nic_link(topology, nic, other));
}

static bool are_planes_alike(const struct link_merge *merge, const struct link_merge_plane *a,
    const struct link_merge_plane *b)
{
    const struct link_rates *rates = merge->rates;

    if (a->uplinks_count != b->uplinks_count || has_special(rates, a->first) ||
        has_special(rates, b->first))
        return false;
    for (uint32_t i = 0; i < a->uplinks_count; i++)
        if (a->uplinks[i].count != b->uplinks[i].count ||
            !are_paths_alike(merge, (struct ev_path){ a->first, a->uplinks[i].first },
                (struct ev_path){ b->first, b->uplinks[i].first }))
            return false;
    for (uint32_t nic = 0; nic < rates->fabric->topology.nic_count && !merge->is_usual; nic++)
        if (merge->is_used_nic[nic] && !is_nic_alike(rates, nic, a->first, b->first))
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
        merge->is_used_leaf[topology_leaf_number(topology, demands[i].from_nic)] = true;
        merge->is_used_leaf[topology_leaf_number(topology, demands[i].to_nic)] = true;
    }
}

/* Merging is not possible if some flows may not use every path. */
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
    const struct topology *topology = &rates->fabric->topology;
    uint32_t uplink_count = plan_uplink_count(rates->fabric);
    bool merges = may_merge(demands, demand_count);

    *merge = (struct link_merge){ .rates = rates,
        .leaf_count = topology_leaf_count(topology),
        .is_usual = link_rates_are_usual(rates) };
    merge->is_used_nic = arena_take(arena, topology->nic_count, sizeof(bool), 1);
    merge->is_used_leaf = arena_take(arena, merge->leaf_count, sizeof(bool), 1);
    if (arena->memory)
        mark_used(merge, demands, demand_count);
    for (uint32_t i = 0; i < topology->config.plane_count; i++) {
        struct link_merge_plane plane = { .first = i, .mask = UINT32_C(1) << i, .count = 1 };

        plane.uplinks = arena_take(
            arena, uplink_count, sizeof(*plane.uplinks), alignof(struct link_merge_uplinks));
        for (uint32_t uplink = 0; arena->memory && uplink < uplink_count; uplink++)
            place_uplink(merge, &plane, uplink, merges);
        if (arena->memory)
            place_plane(merge, &plane, merges);
    }
}
