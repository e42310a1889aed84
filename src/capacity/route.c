/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which routes of a flow can be used. */
#include "capacity/route.h"

static const struct link_merge_plane *plane_of(const struct link_merge *merge, uint32_t plane)
{
    return &merge->planes[plane];
}

static uint32_t ev_of(const struct link_merge *merge, const struct route *route)
{
    const struct link_merge_plane *plane = plane_of(merge, route->plane);

    return plan_ev(merge->rates->fabric,
        (struct ev_path){ .plane = plane->first,
            .uplink = route->is_local ? 0 : plane->uplinks[route->uplinks].first });
}

uint32_t route_steps(const struct link_merge *merge, const struct route *route,
    struct plan_step out[static PLAN_LINKS_MAX])
{
    return plan_steps(merge->rates->fabric, route->demand->from_nic, route->demand->to_nic,
        ev_of(merge, route), out);
}

/* Within a leaf, all EVs of a plane are one path. */
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

/* Links of NICs may be lossy, because all paths of a plane cross them, unless they lose much. */
bool route_is_open(const struct link_merge *merge, const struct route *route, bool takes_lossy)
{
    const struct capacity_demand *demand = route->demand;
    uint32_t ev = ev_of(merge, route);
    struct plan_step steps[PLAN_LINKS_MAX];
    uint32_t count;
    double kept = 1;

    if (merge->is_usual && merge->rates->path_count == 0) /* all links work */
        return is_allowed(merge, route, ev);
    count = plan_steps(merge->rates->fabric, demand->from_nic, demand->to_nic, ev, steps);
    for (uint32_t i = 0; i < count; i++) {
        struct link_rate rate =
            link_rates_of(merge->rates, steps[i].link, steps[i].goes_up ? LINK_UP : LINK_DOWN);
        bool is_of_nic = i == 0 || i + 1 == count;

        if (rate.bps <= 0 || (!is_of_nic && !takes_lossy && link_rates_is_lossy(&rate)))
            return false;
        kept *= rate.kept;
    }
    if (!takes_lossy && link_rates_loses_much(kept))
        return false;
    return is_allowed(merge, route, ev) && !is_ev_out(merge, route, ev, takes_lossy);
}

bool route_leads_back(const struct link_merge *merge, const struct route *there)
{
    struct capacity_demand demand = { .from_nic = there->demand->to_nic,
        .to_nic = there->demand->from_nic };
    struct route back = { .demand = &demand, .plane = there->plane, .is_local = there->is_local };
    uint32_t uplinks_count = back.is_local ? 1 : merge->planes[back.plane].uplinks_count;

    for (; back.uplinks < uplinks_count; back.uplinks++)
        if (route_is_open(merge, &back, true))
            return true;
    return false;
}
