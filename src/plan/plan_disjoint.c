/* SPDX-License-Identifier: Apache-2.0 */
/* Selects paths that share no link between switches. */
#include "plan/plan_disjoint.h"

#include <assert.h>

enum { PATHS_MAX = GRAPH_PLANES_MAX * PLAN_PORT_PATHS };

static bool crosses(const struct plan_route *route, struct graph_end end)
{
    for (uint32_t i = 1; i < route->switch_count; i++)
        if (route->hops[i].node == end.node && route->hops[i].port == end.port)
            return true;
    return false;
}

/* The links of the NICs, the first and the last of a path, do not count: all paths of a port cross
 * them. */
static bool share_link(const struct plan_route *a, const struct plan_route *b)
{
    for (uint32_t i = 1; i < a->switch_count; i++)
        if (crosses(b, a->hops[i]))
            return true;
    return false;
}

static bool shares_with_kept(const struct plan_route *routes, uint32_t route_count,
    const bool *is_kept, const struct plan_route *candidate)
{
    for (uint32_t i = 0; i < route_count; i++)
        if (is_kept[i] && share_link(&routes[i], candidate))
            return true;
    return false;
}

/* Ports take turns, so that none takes the links of another: first the first path of each port of
 * this length, then the second of each. */
static void keep_of_length(
    const struct plan_route *routes, uint32_t route_count, bool *is_kept, uint32_t switch_count)
{
    for (uint32_t number = 0; number < PLAN_PORT_PATHS; number++)
        for (uint32_t i = 0; i < route_count; i++)
            if (routes[i].switch_count == switch_count &&
                routes[i].ev % PLAN_PORT_PATHS == number &&
                !shares_with_kept(routes, route_count, is_kept, &routes[i]))
                is_kept[i] = true;
}

/* Moves the kept paths to the front and numbers those of each port from 0. */
static uint32_t close_ranks(struct plan_route *routes, uint32_t route_count, const bool *is_kept)
{
    uint32_t count = 0;
    uint32_t number = 0;

    for (uint32_t i = 0; i < route_count; i++) {
        uint32_t port = routes[i].ev / PLAN_PORT_PATHS;

        if (!is_kept[i])
            continue;
        number = count > 0 && routes[count - 1].ev / PLAN_PORT_PATHS == port ? number + 1 : 0;
        routes[count] = routes[i];
        routes[count++].ev = port * PLAN_PORT_PATHS + number;
    }
    return count;
}

uint32_t plan_disjoint_select(struct plan_route *routes, uint32_t route_count)
{
    bool is_kept[PATHS_MAX] = { false };

    assert(route_count <= PATHS_MAX);
    for (uint32_t switches = 1; switches <= PLAN_SWITCHES_MAX; switches++)
        keep_of_length(routes, route_count, is_kept, switches);
    return close_ranks(routes, route_count, is_kept);
}
