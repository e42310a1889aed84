/* SPDX-License-Identifier: Apache-2.0 */
/* Which ways through a fabric can be used. */
#include "capacity/route.h"

bool route_is_local(const struct topology *topology, const struct capacity_demand *demand)
{
    return topology_t0_of(topology, demand->from_nic) == topology_t0_of(topology, demand->to_nic);
}

static const struct link_merge_plane *plane_of(const struct link_merge *merge, uint32_t plane)
{
    return &merge->planes[plane];
}

static bool works(const struct link_rate *rate, bool takes_lossy)
{
    return rate->bps > 0 && (takes_lossy || !link_rates_is_lossy(rate));
}

static uint32_t ev_of(const struct link_merge *merge, const struct route *route)
{
    const struct link_merge_plane *plane = plane_of(merge, route->plane);

    return plan_ev(
        merge->rates->fabric, (struct ev_path){ .plane = plane->first,
                                  .uplink = route->is_local ? 0 : plane->t1s[route->t1s].first });
}

/* Within a T0, all EVs of a plane are one path. */
static bool is_allowed(const struct link_merge *merge, const struct route *route, uint32_t ev)
{
    const struct plan *fabric = merge->rates->fabric;
    const struct capacity_demand *demand = route->demand;

    for (uint32_t i = 0; i < demand->ev_count; i++)
        if (demand->evs[i] == ev ||
            (route->is_local &&
                plan_ev_path(fabric, demand->evs[i]).plane == plan_ev_path(fabric, ev).plane))
            return true;
    return demand->ev_count == 0;
}

static bool is_ev_out(
    const struct link_merge *merge, const struct route *route, uint32_t ev, bool takes_lossy)
{
    for (uint32_t i = 0; i < merge->rates->path_count; i++) {
        const struct link_rates_path *path = &merge->rates->paths[i];
        uint32_t nic = path->way == LINK_UP ? route->demand->from_nic : route->demand->to_nic;

        if (path->ev == ev && path->nic == nic && (path->is_dead || !takes_lossy))
            return true;
    }
    return false;
}

bool route_is_open(const struct link_merge *merge, const struct route *route, bool takes_lossy)
{
    const struct link_rates *rates = merge->rates;
    const struct link_merge_plane *plane = plane_of(merge, route->plane);
    const struct capacity_demand *demand = route->demand;
    uint32_t ev = ev_of(merge, route);
    uint32_t t1;

    if (link_rates_host(rates, demand->from_nic, plane->first, LINK_UP)->bps <= 0 ||
        link_rates_host(rates, demand->to_nic, plane->first, LINK_DOWN)->bps <= 0 ||
        !is_allowed(merge, route, ev) || is_ev_out(merge, route, ev, takes_lossy))
        return false;
    if (route->is_local)
        return true;
    t1 = plane->t1s[route->t1s].first;
    return works(
               link_rates_uplink(rates, plane->first,
                   topology_t0_of(&merge->rates->fabric->topology, demand->from_nic), t1, LINK_UP),
               takes_lossy) &&
           works(
               link_rates_uplink(rates, plane->first,
                   topology_t0_of(&merge->rates->fabric->topology, demand->to_nic), t1, LINK_DOWN),
               takes_lossy);
}

bool route_leads_back(const struct link_merge *merge, const struct route *there)
{
    struct capacity_demand demand = { .from_nic = there->demand->to_nic,
        .to_nic = there->demand->from_nic };
    struct route back = { .demand = &demand, .plane = there->plane, .is_local = there->is_local };
    uint32_t t1s_count = back.is_local ? 1 : merge->planes[back.plane].t1s_count;

    for (; back.t1s < t1s_count; back.t1s++)
        if (route_is_open(merge, &back, true))
            return true;
    return false;
}
