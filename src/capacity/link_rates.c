/* SPDX-License-Identifier: Apache-2.0 */
/* Computes healthy rates, then applies the faults one by one. */
#include "capacity/link_rates.h"

#include <stdalign.h>

#include "base/power.h"

#define LOSSY  0.01
#define MUCH   0.2
#define NEARLY 1e-6 /* fractions of 2^32 are rounded */

bool link_rates_is_lossy(const struct link_rate *rate)
{
    return rate->kept <= 1 - LOSSY + NEARLY;
}

bool link_rates_loses_much(double kept)
{
    return kept < 1 - MUCH - NEARLY;
}

/* ---- links ----------------------------------------------------------------------------------- */

static struct link_rate healthy_rate(const struct link_rates *rates, size_t link)
{
    const struct topology *topology = &rates->fabric->topology;
    struct topology_link_kind kind =
        link < rates->host_links ? topology->config.host_link : topology->config.uplink;
    struct topology_element element;
    bool is_there = topology->config.exception_count == 0 ||
                    topology_link_numbered(topology, link, &element, &kind);

    return (struct link_rate){ .bps = is_there ? (double)kind.rate_bps : 0, .kept = 1 };
}

/* Returns the place of a link with a fault, or a free place for it. */
static struct link_rates_harmed *place_of(const struct link_rates *rates, size_t link)
{
    uint32_t mask = rates->place_count - 1;
    uint32_t place = (uint32_t)(link * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

    while (rates->harmed[place].link != 0 && rates->harmed[place].link != link + 1)
        place = (place + 1) & mask;
    return &rates->harmed[place];
}

struct link_rate link_rates_of(const struct link_rates *rates, size_t link, enum link_way way)
{
    if (rates->place_count > 0) {
        const struct link_rates_harmed *harmed = place_of(rates, link);

        if (harmed->link != 0)
            return harmed->ways[way];
    }
    return healthy_rate(rates, link);
}

bool link_rates_are_usual(const struct link_rates *rates)
{
    return rates->harmed_count == 0 && rates->fabric->topology.config.exception_count == 0;
}

static struct link_rate *harmed_rate(struct link_rates *rates, size_t link, enum link_way way)
{
    struct link_rates_harmed *harmed = place_of(rates, link);

    if (harmed->link == 0) {
        struct link_rate rate = healthy_rate(rates, link);

        *harmed = (struct link_rates_harmed){ .link = link + 1, .ways = { rate, rate } };
    }
    return &harmed->ways[way];
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* A fault that is applied to the link directions it affects. */
struct spreading {
    struct link_rates *rates;
    const struct fault *fault;
};

static bool is_certain(const struct fault *fault)
{
    return fault_lost_share(fault) == FAULT_CERTAIN;
}

void link_rates_harm(struct link_rate *rate, const struct fault *fault)
{
    double kept = 1 - (double)fault_lost_share(fault) / (double)FAULT_CERTAIN;
    double most_bps = (double)fault_rate_bps(fault, UINT64_MAX);

    if (is_certain(fault)) {
        rate->bps = 0;
        return;
    }
    rate->kept *= kept;
    rate->bps *= kept;
    if (most_bps * rate->kept < rate->bps)
        rate->bps = most_bps * rate->kept;
}

static void add_path(
    struct link_rates *rates, uint32_t nic, enum link_way way, const struct fault *fault)
{
    struct link_rate alone = { .kept = 1 };

    if (!is_certain(fault)) {
        link_rates_harm(&alone, fault);
        if (!link_rates_is_lossy(&alone))
            return;
    }
    if (rates->paths)
        rates->paths[rates->path_count] = (struct link_rates_path){
            .nic = nic, .way = way, .ev = fault->ev, .is_dead = is_certain(fault)
        };
    rates->path_count++;
}

/* A link between switches carries only the EV that leads over it; a host link carries many EVs. */
static void spread_fault(void *context, struct topology_end from)
{
    const struct spreading *spreading = context;
    struct link_rates *rates = spreading->rates;
    const struct fault *fault = spreading->fault;
    const struct topology *topology = &rates->fabric->topology;
    struct topology_link_kind kind;
    struct topology_element link;
    enum link_way way;

    if (!topology_link_at(topology, from, &link, &kind) ||
        (fault->of_ev && !plan_ev_crosses(rates->fabric, fault->ev, &link)))
        return;
    way = topology_goes_up(topology, from) ? LINK_UP : LINK_DOWN;
    if (fault->of_ev && link.kind == TOPOLOGY_HOST_LINK)
        add_path(rates, link.nic, way, fault);
    else if (rates->harmed)
        link_rates_harm(harmed_rate(rates, topology_link_number(topology, from), way), fault);
    else
        rates->harmed_count++;
}

static void spread_faults(
    struct link_rates *rates, const struct fault *const *in_force, uint32_t in_force_count)
{
    for (uint32_t i = 0; i < in_force_count; i++)
        fault_cover(&rates->fabric->topology, in_force[i], spread_fault,
            &(struct spreading){ rates, in_force[i] });
}

/* Faults are spread twice; the first time, directions with a fault are only counted. */
void link_rates_init(struct link_rates *rates, struct arena *arena, const struct plan *fabric,
    const struct fault *const *in_force, uint32_t in_force_count)
{
    uint32_t path_max;

    *rates = (struct link_rates){ .fabric = fabric,
        .host_links = (size_t)fabric->topology.nic_count * fabric->topology.config.plane_count };
    spread_faults(rates, in_force, in_force_count);
    path_max = rates->path_count;
    rates->path_count = 0;
    if (rates->harmed_count > 0)
        rates->place_count = 2 * power_of_two_at_least(rates->harmed_count);
    rates->harmed = arena_take(
        arena, rates->place_count, sizeof(*rates->harmed), alignof(struct link_rates_harmed));
    rates->paths =
        arena_take(arena, path_max, sizeof(*rates->paths), alignof(struct link_rates_path));
    if (arena->memory)
        spread_faults(rates, in_force, in_force_count);
}
