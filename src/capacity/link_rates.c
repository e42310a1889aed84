/* SPDX-License-Identifier: Apache-2.0 */
/* Computes healthy rates, then applies the faults one by one. */
#include "capacity/link_rates.h"

#include <stdalign.h>

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

/* ---- healthy --------------------------------------------------------------------------------- */

static void set_healthy(struct link_rates *rates, size_t link_count)
{
    for (size_t i = 0; i < link_count; i++) {
        struct topology_element link;
        struct topology_link_kind kind;
        bool is_there = topology_link_numbered(&rates->fabric->topology, i, &link, &kind);
        struct link_rate rate = { .bps = is_there ? (double)kind.rate_bps : 0, .kept = 1 };

        *link_rates_of(rates, i, LINK_UP) = rate;
        *link_rates_of(rates, i, LINK_DOWN) = rate;
    }
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
    else if (rates->links)
        link_rates_harm(link_rates_of(rates, topology_link_number(topology, from), way), fault);
}

void link_rates_init(struct link_rates *rates, struct arena *arena, const struct plan *fabric,
    const struct fault *const *in_force, uint32_t in_force_count)
{
    size_t link_count = topology_link_count(&fabric->topology);
    uint32_t path_max = 0;

    *rates = (struct link_rates){ .fabric = fabric };
    for (uint32_t i = 0; i < in_force_count; i++)
        fault_cover(&fabric->topology, in_force[i], spread_fault,
            &(struct spreading){ rates, in_force[i] });
    path_max = rates->path_count;
    rates->path_count = 0;
    rates->links =
        arena_take(arena, 2 * link_count, sizeof(*rates->links), alignof(struct link_rate));
    rates->paths =
        arena_take(arena, path_max, sizeof(*rates->paths), alignof(struct link_rates_path));
    if (!arena->memory)
        return;
    set_healthy(rates, link_count);
    for (uint32_t i = 0; i < in_force_count; i++)
        fault_cover(&fabric->topology, in_force[i], spread_fault,
            &(struct spreading){ rates, in_force[i] });
}
