/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the paths of pairs once and keeps them. */
#include "sim/lists.h"

#include <assert.h>

#include "base/power.h"
#include "sim/packets.h"

enum { LINE = 64 };

static uint32_t paths_max(const struct plan *fabric)
{
    return fabric->topology.config.plane_count * PLAN_PORT_PATHS;
}

void lists_init(
    struct lists *lists, struct arena *arena, const struct plan *fabric, uint32_t pair_max)
{
    size_t outers = (size_t)pair_max * paths_max(fabric);
    uint32_t buckets = power_of_two_at_least(pair_max > 0 ? pair_max : 1);

    *lists = (struct lists){ .fabric = fabric, .bucket_mask = buckets - 1 };
    if (!fabric->topology.graph)
        return;
    lists->pairs = arena_take(arena, pair_max, sizeof(*lists->pairs), LINE);
    lists->buckets = arena_take(arena, buckets, sizeof(*lists->buckets), LINE);
    lists->outers = packets_take_memory(arena, outers, sizeof(*lists->outers));
    if (fabric->uses_srh)
        lists->segments = packets_take_memory(arena, outers, sizeof(*lists->segments));
    lists->switch_counts = packets_take_memory(arena, outers, sizeof(*lists->switch_counts));
    lists->weights = packets_take_memory(arena, outers, sizeof(*lists->weights));
    lists->extras = packets_take_memory(arena, outers, sizeof(*lists->extras));
    lists->route_weights =
        arena_take(arena, 2 * (size_t)paths_max(fabric), sizeof(*lists->route_weights), LINE);
    lists->routes = arena_take(arena, paths_max(fabric), sizeof(*lists->routes), LINE);
    lists->scratch = arena_take(arena, plan_pair_scratch(fabric), sizeof(*lists->scratch), LINE);
}

static uint32_t bucket_of(const struct lists *lists, uint32_t from, uint32_t to)
{
    uint64_t mixed = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(mixed >> 32) & lists->bucket_mask;
}

const struct lists_pair *lists_find(const struct lists *lists, uint32_t from, uint32_t to)
{
    uint32_t at = lists->buckets[bucket_of(lists, from, to)];

    while (at > 0 && (lists->pairs[at - 1].from != from || lists->pairs[at - 1].to != to))
        at = lists->pairs[at - 1].next;
    return at > 0 ? &lists->pairs[at - 1] : NULL;
}

/* Routes are in the order of ports. */
static void keep_routes(struct lists *lists, struct lists_pair *pair, uint32_t count)
{
    uint64_t fastest_ps = plan_fastest_ps(lists->routes, count);
    uint64_t mean_ps;

    plan_weigh(lists->routes, count, lists->route_weights);
    mean_ps = plan_mean_ps(lists->routes, count, lists->route_weights);
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_route *route = &lists->routes[i];

        for (uint32_t port = route->hops[0].port; port < TOPOLOGY_PLANES_MAX; port++)
            pair->first_of_port[port + 1] = (uint16_t)(i + 1);
        lists->outers[lists->outer_count] = route->outer;
        if (lists->segments)
            lists->segments[lists->outer_count] = route->segment;
        lists->weights[lists->outer_count] = (uint8_t)lists->route_weights[i];
        lists->extras[lists->outer_count] = plan_extra(route, mean_ps);
        lists->switch_counts[lists->outer_count++] = (uint8_t)route->switch_count;
        if (route->one_way_ps == fastest_ps)
            pair->rtt = plan_rtt_of(lists->fabric, route);
    }
    pair->rtt.fixed_ps += mean_ps - (count > 0 ? fastest_ps : 0);
}

const struct lists_pair *lists_add(struct lists *lists, uint32_t from, uint32_t to)
{
    const struct lists_pair *known = lists_find(lists, from, to);
    uint32_t *bucket = &lists->buckets[bucket_of(lists, from, to)];
    struct lists_pair *pair;

    if (known)
        return known;
    pair = &lists->pairs[lists->pair_count++];
    *pair = (struct lists_pair){
        .from = from, .to = to, .next = *bucket, .first_outer = lists->outer_count
    };
    *bucket = lists->pair_count;
    keep_routes(lists, pair,
        plan_pair_routes(
            lists->fabric, from, to, lists->scratch, lists->routes, paths_max(lists->fabric)));
    return pair;
}
