/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of a pair in two tiers: computes the addresses and follows them as switches do. */
#include <string.h>

#include "plan/plan.h"
#include "plan/plan_cost.h"
#include "wire/usid.h"

/* Returns the port for a uSID that is not the switch's own. False: no route. */
static bool look_up(const struct plan *plan, uint32_t switch_index, uint16_t usid, uint32_t *port)
{
    struct plan_range ranges[PLAN_RANGES_MAX];
    uint32_t count = plan_routes(plan, switch_index, ranges, PLAN_RANGES_MAX);

    for (uint32_t i = 0; i < count; i++)
        if (usid >= ranges[i].first_usid && usid <= ranges[i].last_usid) {
            *port = ranges[i].first_port + (uint32_t)(usid - ranges[i].first_usid);
            return true;
        }
    return false;
}

static bool cross(const struct plan *plan, struct plan_route *route, struct topology_end *at)
{
    struct topology_link_kind kind;
    struct topology_element link;
    struct topology_end peer;

    if (!topology_link_at(&plan->topology, *at, &link, &kind) ||
        !topology_peer(&plan->topology, *at, &peer))
        return false;
    plan_cost_add(route, route->switch_count, plan->topology.config.framing_bytes, kind.rate_bps,
        kind.delay_ps);
    *at = peer;
    return true;
}

static void read_usids(struct plan_route *route)
{
    route->usid_count = 0;
    while (route->usid_count < USID_COUNT_MAX) {
        uint16_t usid = usid_get(&route->outer, route->usid_count);

        if (usid == 0)
            return;
        route->usids[route->usid_count++] = usid;
    }
}

/* Returns false if a link of the path is missing. */
static bool follow_route(const struct plan *plan, uint32_t from, struct plan_route *route)
{
    struct topology_end at = {
        .is_nic = true, .node = from, .port = plan_ev_path(plan, route->ev).plane
    };

    route->rate_bps = UINT64_MAX;
    route->one_way_ps = 2 * plan->topology.config.nic_latency_ps;
    route->switch_count = 0;
    route->hops[0] = (struct graph_end){ from, at.port };
    for (uint32_t i = 1; i < route->usid_count; i++) {
        if (!cross(plan, route, &at) || !look_up(plan, at.node, route->usids[i], &at.port))
            return false;
        route->one_way_ps += plan->topology.config.switch_latency_ps;
        route->hops[++route->switch_count] =
            (struct graph_end){ plan->topology.nic_count + at.node, at.port };
    }
    if (route->switch_count == 3) {
        struct topology_links links =
            topology_links_of_top(&plan->topology, route->hops[2].node - plan->topology.nic_count,
                route->hops[1].node - plan->topology.nic_count);

        route->middle_links = links.count;
        route->middle_bps = links.rate_bps;
    }
    return cross(plan, route, &at);
}

uint32_t plan_pair_scratch(const struct plan *plan)
{
    return plan->topology.graph ? plan_graph_scratch(plan->topology.graph) : 0;
}

/* Removes paths with an SRH, which users of the plan do not expect. In a very large graph the
 * longest path is estimated from samples. */
static uint32_t without_srh(struct plan_route *routes, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (plan_route_srh_bytes(&routes[i]) == 0)
            routes[kept++] = routes[i];
    return kept;
}

uint32_t plan_pair_routes(const struct plan *plan, uint32_t from, uint32_t to, uint32_t *scratch,
    struct plan_route *routes, uint32_t route_max)
{
    struct plan_generate paths;
    uint32_t count = 0;

    if (plan->topology.graph) {
        count = plan_graph_routes(&plan->graph, from, to, scratch, routes, route_max);
        return plan->uses_srh || count > route_max ? count : without_srh(routes, count);
    }
    paths = plan_paths(plan, from, to);
    for (uint32_t plane = 0; plane < paths.plane_count; plane++)
        for (uint32_t uplink = 0; uplink < paths.uplink_count; uplink++) {
            struct plan_route route = { .ev = plan_ev(plan, (struct ev_path){ plane, uplink }) };

            route.outer = plan_outer(plan, from, to, route.ev);
            read_usids(&route);
            if (!follow_route(plan, from, &route))
                continue;
            if (count < route_max)
                routes[count] = route;
            count++;
        }
    return count;
}

void plan_pair_name(const struct plan *plan, uint32_t node, char out[static TOPOLOGY_NAME_BYTES])
{
    struct topology_element element = { .kind = TOPOLOGY_NIC, .nic = node };

    if (node >= plan->topology.nic_count)
        element = topology_switch_at(&plan->topology, node - plan->topology.nic_count);
    topology_name(&element, out);
}
