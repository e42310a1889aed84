/* SPDX-License-Identifier: Apache-2.0 */
/* Faults by the seed: any kind, anywhere, at any time. */
#include "scenario.h"

enum chaos_kind {
    CHAOS_LOSE,
    CHAOS_CORRUPT,
    CHAOS_KILL,
    CHAOS_PORT_DOWN,
    CHAOS_DUPLICATE, /* from here on nothing gets lost */
    CHAOS_MARK,
    CHAOS_TRIM,
    CHAOS_DELAY,
    CHAOS_KIND_COUNT,
};

static uint32_t some_or_any(struct prng *prng, uint32_t count)
{
    return prng_below(prng, 3) ? FAULT_ANY : prng_below(prng, count);
}

static uint32_t some_but(struct prng *prng, uint32_t count, uint32_t spared)
{
    uint32_t chosen = prng_below(prng, spared < count && count > 1 ? count - 1 : count);

    return spared < count && count > 1 && chosen >= spared ? chosen + 1 : chosen;
}

static struct fault_where somewhere(
    struct prng *prng, const struct network *network, uint32_t spared_plane)
{
    struct fault_where where = fault_everywhere();

    where.from = some_or_any(prng, network_host_count(network));
    where.to = some_or_any(prng, network_host_count(network));
    where.uplink = some_or_any(prng, network_uplink_count(network));
    where.plane = spared_plane == FAULT_ANY
                      ? some_or_any(prng, network_plane_count(network))
                      : some_but(prng, network_plane_count(network), spared_plane);
    if (prng_below(prng, 2))
        where.traffic = prng_below(prng, 2) ? FAULT_DATA : FAULT_CONTROL;
    return where;
}

static void set_effect(
    struct prng *prng, enum chaos_kind kind, uint64_t base_rtt_ps, struct fault_rule *fault)
{
    uint32_t probability = FAULT_PERMILLE(1) * (1 + prng_below(prng, 300));

    switch (kind) {
    case CHAOS_LOSE:
        fault->chance[FAULT_LOSS] = probability;
        break;
    case CHAOS_CORRUPT:
        fault->chance[FAULT_CORRUPT] = probability;
        break;
    case CHAOS_KILL:
        fault->chance[FAULT_DOWN] = FAULT_ALWAYS;
        break;
    case CHAOS_DUPLICATE:
        fault->chance[FAULT_DUPLICATE] = probability;
        break;
    case CHAOS_MARK:
        fault->chance[FAULT_MARK] = probability;
        break;
    case CHAOS_TRIM:
        fault->chance[FAULT_TRIM] = probability;
        break;
    default:
        fault->chance[FAULT_DELAY] = probability;
        fault->delay_max_ps = 1 + prng_next(prng) % base_rtt_ps;
        break;
    }
}

static void add_one(
    struct scenario *scenario, struct prng *prng, const struct scenario_chaos *chaos)
{
    struct network *network = scenario->network;
    uint64_t from_ps = prng_below(prng, 3) ? prng_next(prng) % chaos->until_ps : 0;
    uint64_t until_ps = from_ps + 1 + prng_next(prng) % chaos->until_ps;
    enum chaos_kind kind = (enum chaos_kind)prng_below(prng, CHAOS_KIND_COUNT);
    uint32_t spared = kind < CHAOS_DUPLICATE ? chaos->spared_plane : FAULT_ANY;
    uint64_t base_rtt_ps = NS(transport_parameters(network_transport(network, 0))->base_rtt);
    struct fault_rule fault = { .where = somewhere(prng, network, spared) };
    uint32_t host;

    if (until_ps > chaos->until_ps)
        until_ps = chaos->until_ps;
    if (from_ps >= until_ps)
        return;
    if (kind == CHAOS_PORT_DOWN && chaos->ports) {
        host = prng_below(prng, network_host_count(network));
        network_port_down_between(
            network, host, some_but(prng, network_plane_count(network), spared), from_ps, until_ps);
        return;
    }
    set_effect(prng, kind == CHAOS_PORT_DOWN ? CHAOS_KILL : kind, base_rtt_ps, &fault);
    network_fault_between(network, &fault, from_ps, until_ps);
}

void scenario_chaos(struct scenario *scenario, uint64_t seed, const struct scenario_chaos *chaos)
{
    struct prng prng = prng_stream(seed, 0xc4a05);
    uint32_t count = 1 + prng_below(&prng, chaos->faults_max);
    struct fault_rule everywhere = { .where = fault_everywhere(),
        .chance[FAULT_LOSS] = chaos->spared_loss };

    if (chaos->spared_loss > 0)
        network_fault_between(scenario->network, &everywhere, 0, chaos->until_ps);
    for (uint32_t i = 0; i < count; i++)
        add_one(scenario, &prng, chaos);
}
