/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of the paths of a pair (docs/decisions/0031). */
#include "plan/plan_weight.h"

#include <assert.h>

enum {
    SLOT_COUNT = 2 * PATH_EV_COUNT_MAX, /* a power of 2 */
    ONE_SHIFT = 20,                     /* fixed-point fraction bits */
    DETOUR_PART = 8, /* longer paths get at least 1/8 of the value of shorter ones */
};
#define ONE (UINT64_C(1) << ONE_SHIFT)

/* Paths [first, end), of all lengths, from one port of the sender. */
struct group {
    uint32_t first;
    uint32_t end;
};

/* The paths of one length. */
struct weighing {
    const struct plan_route *routes;
    uint32_t route_count;
    uint32_t switch_count;
    uint64_t *shares; /* share of each path in a link */
    uint64_t *values; /* rate planned for each path, in kb/s */
};

static bool is_same_end(struct graph_end a, struct graph_end b)
{
    return a.node == b.node && a.port == b.port;
}

static bool has_length(const struct weighing *weighing, uint32_t index)
{
    return weighing->routes[index].switch_count == weighing->switch_count;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t part_of(uint64_t bps, uint64_t whole_bps)
{
    return (bps / 1000 << ONE_SHIFT) / (whole_bps / 1000);
}

/* ---- links that paths share ------------------------------------------------------------------ */

struct crossing {
    struct graph_end end;
    uint32_t count; /* number of paths; 0: a free slot */
};

/* Finds the slot of a link. The table has more slots than there are paths. */
static struct crossing *find_crossing(struct crossing *table, struct graph_end end)
{
    uint32_t at = (end.node * UINT32_C(2654435761) ^ end.port * UINT32_C(40503)) % SLOT_COUNT;

    while (table[at].count > 0 && !is_same_end(table[at].end, end))
        at = (at + 1) % SLOT_COUNT;
    table[at].end = end;
    return &table[at];
}

/* Sets each path's share of the link behind this hop: the rate of the link divided by the number of
 * paths from the same port that cross it. */
static void share_links(struct weighing *weighing, struct group group, uint32_t hop)
{
    const struct plan_route *routes = weighing->routes;
    struct crossing table[SLOT_COUNT] = { 0 };

    assert(group.end - group.first < SLOT_COUNT);
    for (uint32_t i = group.first; i < group.end; i++)
        if (has_length(weighing, i))
            find_crossing(table, routes[i].hops[hop])->count++;
    for (uint32_t i = group.first; i < group.end; i++)
        if (has_length(weighing, i))
            weighing->shares[i] =
                routes[i].link_bps[hop] / find_crossing(table, routes[i].hops[hop])->count;
}

static void share_all_links(struct weighing *weighing, uint32_t hop)
{
    struct group group = { 0, 0 };

    while (group.end < weighing->route_count) {
        group.first = group.end;
        while (group.end < weighing->route_count && weighing->routes[group.end].hops[0].port ==
                                                        weighing->routes[group.first].hops[0].port)
            group.end++;
        share_links(weighing, group, hop);
    }
}

static uint64_t largest_share(struct weighing *weighing, uint32_t hop)
{
    uint64_t largest = 1000;

    share_all_links(weighing, hop);
    for (uint32_t i = 0; i < weighing->route_count; i++)
        if (has_length(weighing, i))
            largest = larger(largest, weighing->shares[i]);
    return largest;
}

/* Limits the value of each path to its share of the link behind this hop, relative to the best
 * share. */
static void limit_by_links(struct weighing *weighing, uint32_t hop, uint64_t best_bps)
{
    share_all_links(weighing, hop);
    for (uint32_t i = 0; i < weighing->route_count; i++) {
        uint64_t part;

        if (!has_length(weighing, i))
            continue;
        part = part_of(weighing->shares[i], best_bps);
        if (part < weighing->values[i])
            weighing->values[i] = part;
    }
}

/* For paths over three switches. When all senders send to all receivers, the second switch receives
 * from each sender what its link carries, and forwards in proportion to its links: a switch with
 * fewer or slower links to others has more left for this receiver. When only this pair sends, that
 * does not apply. With n switches around it, the two cases are weighted (n - 3) / n and 3 / n. */
static void count_on_others(struct weighing *weighing, uint64_t best_bps)
{
    uint64_t most_bps = 0;
    uint64_t around = 0;

    for (uint32_t i = 0; i < weighing->route_count; i++)
        if (has_length(weighing, i)) {
            most_bps = larger(most_bps, weighing->routes[i].middle_bps);
            around = larger(around, weighing->routes[i].middle_links + 1u);
        }
    for (uint32_t i = 0; i < weighing->route_count; i++) {
        const struct plan_route *route = &weighing->routes[i];
        uint64_t value;

        if (!has_length(weighing, i) || route->middle_links == 0 || around <= 3)
            continue;
        value = part_of(route->link_bps[1], best_bps) * part_of(route->link_bps[2], best_bps) /
                part_of(route->middle_bps, most_bps);
        weighing->values[i] = (3 * weighing->values[i] + (around - 3) * value) / around;
    }
}

/* Computes what the paths can carry if there are no others and NICs have no limit. A link is
 * compared with the links at the same distance from the sender and with those at that distance from
 * the receiver. */
static void value_paths(struct weighing *weighing)
{
    uint64_t first_bps = largest_share(weighing, 0);

    for (uint32_t i = 0; i < weighing->route_count; i++)
        if (has_length(weighing, i))
            weighing->values[i] = ONE;
    for (uint32_t hop = 1; hop < weighing->switch_count; hop++) {
        uint64_t best_bps = larger(
            largest_share(weighing, hop), largest_share(weighing, weighing->switch_count - hop));

        limit_by_links(weighing, hop, best_bps);
        if (hop == 1)
            first_bps = best_bps;
    }
    if (weighing->switch_count == 3)
        count_on_others(weighing, first_bps);
    for (uint32_t i = 0; i < weighing->route_count; i++)
        if (has_length(weighing, i))
            weighing->values[i] = weighing->values[i] * (first_bps / 1000) >> ONE_SHIFT;
}

/* ---- links of the NICs ----------------------------------------------------------------------- */

/* On the link of a NIC that a path crosses, at the sender or at the receiver: the rate that shorter
 * paths leave, and the rate that the paths of this length want. */
struct demand {
    uint64_t left;
    uint64_t wanted;
};

static uint32_t nic_hop(const struct plan_route *route, bool at_receiver)
{
    return at_receiver ? route->switch_count : 0;
}

static struct demand demand_on(const struct weighing *weighing, uint32_t index, bool at_receiver)
{
    const struct plan_route *of = &weighing->routes[index];
    struct graph_end end = of->hops[nic_hop(of, at_receiver)];
    struct demand demand = { .left = of->link_bps[nic_hop(of, at_receiver)] / 1000 };

    for (uint32_t i = 0; i < weighing->route_count; i++) {
        const struct plan_route *route = &weighing->routes[i];
        uint64_t value = weighing->values[i];

        if (!is_same_end(route->hops[nic_hop(route, at_receiver)], end))
            continue;
        if (route->switch_count < of->switch_count)
            demand.left -= value < demand.left ? value : demand.left;
        else if (route->switch_count == of->switch_count)
            demand.wanted += value;
    }
    return demand;
}

/* Limits paths of this length to the rate that shorter ones leave on the links of the two NICs. */
static void limit_by_nic(struct weighing *weighing, bool at_receiver)
{
    const struct plan_route *routes = weighing->routes;
    uint64_t *is_done = weighing->shares;

    for (uint32_t i = 0; i < weighing->route_count; i++)
        is_done[i] = !has_length(weighing, i);
    for (uint32_t i = 0; i < weighing->route_count; i++) {
        struct graph_end end = routes[i].hops[nic_hop(&routes[i], at_receiver)];
        struct demand demand;

        if (is_done[i])
            continue;
        demand = demand_on(weighing, i, at_receiver);
        for (uint32_t j = i; j < weighing->route_count; j++) {
            if (is_done[j] || !is_same_end(routes[j].hops[nic_hop(&routes[j], at_receiver)], end))
                continue;
            is_done[j] = 1;
            if (demand.wanted > demand.left)
                weighing->values[j] = weighing->values[j] * demand.left / demand.wanted;
        }
    }
}

/* ---- weights --------------------------------------------------------------------------------- */

static bool has_any(const struct weighing *weighing)
{
    for (uint32_t i = 0; i < weighing->route_count; i++)
        if (has_length(weighing, i))
            return true;
    return false;
}

/* Among the paths from one port of the sender: the sum of the values of shorter paths, and the
 * number of paths of this length. */
struct others {
    uint64_t shorter;
    uint32_t alike;
};

static struct others others_of(const struct weighing *weighing, uint32_t port)
{
    struct others others = { 0 };

    for (uint32_t i = 0; i < weighing->route_count; i++) {
        if (weighing->routes[i].hops[0].port != port)
            continue;
        if (weighing->routes[i].switch_count < weighing->switch_count)
            others.shorter += weighing->values[i];
        others.alike += has_length(weighing, i);
    }
    return others;
}

/* Longer paths together get at least a fixed part of the value of the shorter ones, because a path
 * that is rarely used provides no measurements. */
static void keep_alive(struct weighing *weighing)
{
    uint32_t port = UINT32_MAX;
    uint64_t least = 0;

    for (uint32_t i = 0; i < weighing->route_count; i++) {
        if (!has_length(weighing, i))
            continue;
        if (weighing->routes[i].hops[0].port != port) {
            struct others others = others_of(weighing, weighing->routes[i].hops[0].port);

            port = weighing->routes[i].hops[0].port;
            least = others.shorter / DETOUR_PART / others.alike;
        }
        weighing->values[i] = larger(weighing->values[i], least);
    }
}

void plan_weigh(const struct plan_route *routes, uint32_t route_count, uint64_t *weights)
{
    struct weighing weighing = { .routes = routes,
        .route_count = route_count,
        .shares = weights,
        .values = weights + route_count };
    uint64_t most = 1;

    while (++weighing.switch_count <= PLAN_SWITCHES_MAX) {
        if (!has_any(&weighing))
            continue;
        value_paths(&weighing);
        limit_by_nic(&weighing, false);
        limit_by_nic(&weighing, true);
        keep_alive(&weighing);
    }
    for (uint32_t i = 0; i < route_count; i++)
        most = larger(most, weighing.values[i]);
    for (uint32_t i = 0; i < route_count; i++)
        weights[i] = larger((weighing.values[i] * PATH_WEIGHT_USUAL + most / 2) / most, 1);
}

/* Returns the first path whose EV is at least `ev`. */
static uint32_t find_route(const struct plan_route *routes, uint32_t route_count, uint32_t ev)
{
    uint32_t low = 0;
    uint32_t high = route_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (routes[middle].ev < ev)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void plan_weigh_profile(const struct plan_route *routes, uint32_t route_count, uint64_t *scratch,
    struct path_profile *profile)
{
    plan_weigh(routes, route_count, scratch);
    for (uint32_t i = 0; i < profile->entry_count; i++) {
        struct path_entry *entry = &profile->entries[i];
        uint32_t at = find_route(routes, route_count, entry->ev);

        entry->weight = at < route_count && routes[at].ev == entry->ev ? (uint8_t)scratch[at] : 1;
    }
    path_profile_weigh(profile);
}
