/* SPDX-License-Identifier: Apache-2.0 */
/* Healthy rates, then one fault after the other. */
#include "capacity/link_rates.h"

#include <stdalign.h>

#define LOSSY  0.01
#define NEARLY 1e-6 /* fractions of 2^32 are rounded */

bool link_rates_is_lossy(const struct link_rate *rate)
{
    return rate->kept <= 1 - LOSSY + NEARLY;
}

/* ---- healthy --------------------------------------------------------------------------------- */

static void set_both_ways(
    struct link_rate *rates, const struct topology *topology, struct topology_end end)
{
    struct topology_element link;
    struct topology_link_kind kind;
    double bps = topology_link_at(topology, end, &link, &kind) ? (double)kind.rate_bps : 0;

    rates[LINK_UP] = rates[LINK_DOWN] = (struct link_rate){ .bps = bps, .kept = 1 };
}

static void set_healthy(struct link_rates *rates)
{
    const struct topology *topology = &rates->fabric->topology;
    const struct topology_config *config = &topology->config;

    for (uint32_t nic = 0; nic < topology->nic_count; nic++)
        for (uint32_t plane = 0; plane < config->plane_count; plane++)
            set_both_ways(link_rates_host(rates, nic, plane, LINK_UP), topology,
                (struct topology_end){ .is_nic = true, .node = nic, .port = plane });
    for (uint32_t plane = 0; plane < config->plane_count; plane++)
        for (uint32_t t0 = 0; t0 < config->t0_count; t0++) {
            struct topology_element element = { .kind = TOPOLOGY_T0, .plane = plane, .t0 = t0 };
            uint32_t node = topology_switch_index(topology, &element);

            for (uint32_t t1 = 0; t1 < config->t1_count; t1++)
                set_both_ways(link_rates_uplink(rates, plane, t0, t1, LINK_UP), topology,
                    (struct topology_end){ .node = node, .port = config->hosts_per_t0 + t1 });
        }
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* A fault on its way over the link directions it covers. */
struct spreading {
    struct link_rates *rates;
    const struct fault *fault;
};

static double kept_by(const struct fault *fault)
{
    return 1 - fault->probability / 4294967296.0;
}

void link_rates_harm(struct link_rate *rate, const struct fault *fault)
{
    switch (fault->kind) {
    case FAULT_LOSS:
    case FAULT_CORRUPT:
        rate->kept *= kept_by(fault);
        rate->bps *= kept_by(fault);
        break;
    case FAULT_SLOW:
        if ((double)fault->rate_bps * rate->kept < rate->bps)
            rate->bps = (double)fault->rate_bps * rate->kept;
        break;
    default:
        rate->bps = 0;
    }
}

static void add_path(
    struct link_rates *rates, uint32_t nic, enum link_way way, const struct fault *fault)
{
    struct link_rate alone = { .kept = 1 };

    if (fault->kind != FAULT_BLACKHOLE) {
        link_rates_harm(&alone, fault);
        if (!link_rates_is_lossy(&alone))
            return;
    }
    if (rates->paths)
        rates->paths[rates->path_count] = (struct link_rates_path){
            .nic = nic, .way = way, .ev = fault->ev, .is_dead = fault->kind == FAULT_BLACKHOLE
        };
    rates->path_count++;
}

static void spread_to_host(
    const struct spreading *spreading, uint32_t nic, uint32_t plane, enum link_way way)
{
    struct link_rates *rates = spreading->rates;
    const struct fault *fault = spreading->fault;

    if (!fault->of_ev) {
        if (rates->host)
            link_rates_harm(link_rates_host(rates, nic, plane, way), fault);
    } else if (plan_ev_path(rates->fabric, fault->ev).plane == plane) {
        add_path(rates, nic, way, fault);
    }
}

/* The uplink to a T1 carries the one EV that leads there. */
static void spread_to_uplink(
    const struct spreading *spreading, const struct topology_element *link, enum link_way way)
{
    struct link_rates *rates = spreading->rates;
    const struct fault *fault = spreading->fault;
    struct ev_path path = plan_ev_path(rates->fabric, fault->ev);

    if (fault->of_ev && (path.plane != link->plane || path.uplink != link->t1))
        return;
    if (rates->uplink)
        link_rates_harm(link_rates_uplink(rates, link->plane, link->t0, link->t1, way), fault);
}

static void spread(void *context, struct topology_end from)
{
    const struct spreading *spreading = context;
    const struct topology *topology = &spreading->rates->fabric->topology;
    struct topology_link_kind kind;
    struct topology_element link;
    enum link_way way;

    if (!topology_link_at(topology, from, &link, &kind))
        return;
    way = topology_goes_up(topology, from) ? LINK_UP : LINK_DOWN;
    if (link.kind == TOPOLOGY_HOST_LINK)
        spread_to_host(spreading, link.nic, link.plane, way);
    else
        spread_to_uplink(spreading, &link, way);
}

void link_rates_init(struct link_rates *rates, struct arena *arena, const struct plan *fabric,
    const struct fault *const *in_force, uint32_t in_force_count)
{
    const struct topology_config *config = &fabric->topology.config;
    size_t host_links = (size_t)fabric->topology.nic_count * config->plane_count;
    size_t uplinks = (size_t)config->plane_count * config->t0_count * config->t1_count;
    uint32_t path_max = 0;

    *rates = (struct link_rates){ .fabric = fabric };
    for (uint32_t i = 0; i < in_force_count; i++)
        fault_cover(
            &fabric->topology, in_force[i], spread, &(struct spreading){ rates, in_force[i] });
    path_max = rates->path_count;
    rates->path_count = 0;
    rates->host =
        arena_take(arena, 2 * host_links, sizeof(*rates->host), alignof(struct link_rate));
    rates->uplink =
        arena_take(arena, 2 * uplinks, sizeof(*rates->uplink), alignof(struct link_rate));
    rates->paths =
        arena_take(arena, path_max, sizeof(*rates->paths), alignof(struct link_rates_path));
    if (!arena->memory)
        return;
    set_healthy(rates);
    for (uint32_t i = 0; i < in_force_count; i++)
        fault_cover(
            &fabric->topology, in_force[i], spread, &(struct spreading){ rates, in_force[i] });
}
