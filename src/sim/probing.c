/* SPDX-License-Identifier: Apache-2.0 */
/* Probes walk through the fabric, one after the other. */
#include <assert.h>

#include "base/prng.h"
#include "sim/setup.h"
#include "sim/sim_probing.h"

enum {
    LINE = 64,
    VERDICT_MAX = 1024,
    LOST_MAX = 1 << 16,
    HOPS_MAX = 16, /* a probe that still travels is lost: a table is wrong */
};

/* A lost probe, in the report of the port that misses it. */
struct missing {
    uint32_t owner; /* NIC and port */
    struct map_loss loss;
};

struct sim_probing {
    struct sim_probing_config config;
    struct map map;
    struct fault_plan faults;
    struct switch_table *tables;
    uint32_t *first_port; /* of a switch */
    struct link *links;   /* by port: those of NICs, then those of switches */
    struct fault_link *link_faults;
    uint32_t plane_count;
    struct missing *missing; /* of the round */
    uint32_t missing_count;
    uint32_t missing_max;
    struct map_loss *sorted;
    uint32_t *positions; /* by owner */
    struct sim_probing_totals totals;
};

/* ---- the fabric ------------------------------------------------------------------------------ */

static const struct topology *topology_of(const struct sim_probing *probing)
{
    return &probing->config.fabric->topology;
}

static uint32_t owner_count(const struct sim_probing *probing)
{
    return topology_of(probing)->nic_count * probing->plane_count;
}

static uint32_t port_of(const struct sim_probing *probing, struct topology_end end)
{
    return end.is_nic ? end.node * probing->plane_count + end.port
                      : probing->first_port[end.node] + end.port;
}

static void wire_port(struct sim_probing *probing, struct topology_end end)
{
    struct topology_link_kind kind = { 0 };

    probing->links[port_of(probing, end)] = link_of_port(topology_of(probing), end, &kind);
}

static void wire_fabric(
    struct sim_probing *probing, struct plan_range *ranges, struct switch_range *routes)
{
    const struct topology *topology = topology_of(probing);
    uint32_t next_port = owner_count(probing);

    for (uint32_t nic = 0; nic < topology->nic_count; nic++)
        for (uint32_t port = 0; port < probing->plane_count; port++)
            wire_port(probing, (struct topology_end){ .is_nic = true, .node = nic, .port = port });
    for (uint32_t i = 0; i < topology->switch_count; i++) {
        uint32_t count = topology_port_count(topology, i);

        setup_table(probing->config.fabric, i, ranges, &routes, &probing->tables[i]);
        probing->first_port[i] = next_port;
        next_port += count;
        for (uint32_t port = 0; port < count; port++)
            wire_port(probing, (struct topology_end){ .node = i, .port = port });
    }
}

static uint32_t total_ports(const struct sim_probing *probing)
{
    uint32_t count = owner_count(probing);

    for (uint32_t i = 0; i < topology_of(probing)->switch_count; i++)
        count += topology_port_count(topology_of(probing), i);
    return count;
}

static struct map_config map_config_of(const struct sim_probing_config *config)
{
    return (struct map_config){ .fabric = config->fabric,
        .round_periods = config->round_periods,
        .verdict_max = VERDICT_MAX,
        .lost_max = LOST_MAX };
}

static struct fault_plan_config fault_config_of(const struct sim_probing_config *config)
{
    return (struct fault_plan_config){ .fabric = config->fabric,
        .seed = config->seed,
        .faults = config->faults,
        .fault_count = config->fault_count,
        .generators = config->generators,
        .generator_count = config->generator_count,
        .until_ps = config->period_count * config->period_ps };
}

/* Takes the memory of all parts. */
static void take_memory(struct sim_probing *at, struct arena *arena)
{
    const struct plan *fabric = at->config.fabric;
    uint32_t switches = fabric->topology.switch_count;
    uint32_t ports = total_ports(at);
    struct map_config map_config = map_config_of(&at->config);
    struct fault_plan_config fault_config = fault_config_of(&at->config);
    uint32_t routes_max = plan_routes_max(fabric);

    at->missing_max = owner_count(at) * at->config.round_periods * 8;
    at->tables = arena_take(arena, switches, sizeof(*at->tables), LINE);
    at->first_port = arena_take(arena, switches, sizeof(*at->first_port), LINE);
    at->links = arena_take(arena, ports, sizeof(*at->links), LINE);
    at->link_faults = arena_take(arena, ports, sizeof(*at->link_faults), LINE);
    at->missing = arena_take_raw(arena, at->missing_max, sizeof(*at->missing), LINE);
    at->sorted = arena_take_raw(arena, at->missing_max, sizeof(*at->sorted), LINE);
    at->positions = arena_take(arena, owner_count(at) + 1u, sizeof(*at->positions), LINE);
    map_init(&at->map, arena, &map_config);
    fault_plan_init(&at->faults, arena, &fault_config);
    struct plan_range *ranges = arena_take(arena, routes_max, sizeof(*ranges), LINE);
    struct switch_range *routes =
        arena_take_raw(arena, (size_t)switches * routes_max, sizeof(*routes), LINE);

    if (arena->memory)
        wire_fabric(at, ranges, routes);
}

struct sim_probing *sim_probing_init(struct arena *arena, const struct sim_probing_config *config)
{
    struct sim_probing made = { .config = *config,
        .plane_count = config->fabric->topology.config.plane_count };
    struct sim_probing *probing = arena_take(arena, 1, sizeof(*probing), LINE);

    take_memory(&made, arena);
    if (probing)
        *probing = made;
    return probing;
}

/* ---- a probe --------------------------------------------------------------------------------- */

/* Carries a probe over the link behind a port. False: it is lost or damaged. */
static bool cross_link(struct sim_probing *probing, uint32_t port, uint64_t *now_ps)
{
    struct link_packet packet = { .end_ps = *now_ps };
    struct link_passage passage;

    probing->totals.hops++;
    if (link_refusal(&probing->links[port], &probing->link_faults[port]) != LOSS_REASON_COUNT)
        return false;
    if (fault_link_is_healthy(&probing->link_faults[port])) {
        *now_ps = link_arrival_ps(&probing->links[port], *now_ps);
        return true;
    }
    packet.coin = prng_stream(probing->config.seed ^ probing->totals.probes, port).state;
    passage = link_carry(
        &probing->links[port], &probing->link_faults[port], probing->faults.holds, &packet);
    *now_ps = passage.arrives_ps;
    return !passage.is_lost && !passage.is_damaged;
}

/* Returns whether the probe arrives where it should. */
static bool walk_probe(struct sim_probing *probing, const struct map_slot *slot,
    const struct map_probe *probe, uint64_t now_ps)
{
    struct ipv6_addr outer = plan_trail_outer(probing->config.fabric, &probe->trail);
    uint32_t nic_count = topology_of(probing)->nic_count;
    uint32_t port = slot->nic * probing->plane_count + slot->port;

    for (uint32_t hop = 0; hop < HOPS_MAX; hop++) {
        struct topology_end at = link_peer(&probing->links[port], nic_count);
        struct switch_way way;

        if (!cross_link(probing, port, &now_ps))
            return false;
        if (at.is_nic)
            return at.node == probe->to_nic && at.port == probe->to_port;
        way = switch_table_forward(&probing->tables[at.node], &outer);
        if (way.reason != DROP_NONE)
            return false;
        port = probing->first_port[at.node] + way.port;
    }
    return false;
}

/* ---- a round --------------------------------------------------------------------------------- */

static void miss(
    struct sim_probing *probing, const struct map_slot *slot, const struct map_probe *probe)
{
    uint32_t period = (uint32_t)(slot->period - map_period(&probing->map));

    probing->totals.lost++;
    if (probing->missing_count == probing->missing_max)
        return;
    probing->missing[probing->missing_count++] =
        (struct missing){ .owner = probe->to_nic * probing->plane_count + probe->to_port,
            .loss = { .period = (uint16_t)period, .slot = (uint8_t)slot->number } };
}

static void probe_port(struct sim_probing *probing, struct map_slot *slot, uint64_t now_ps)
{
    uint32_t count = map_schedule_count(&probing->map.schedule, slot->nic, slot->port);
    struct map_probe probe;

    for (slot->number = 0; slot->number < count; slot->number++) {
        if (!map_schedule_at(&probing->map.schedule, slot, &probe))
            continue;
        probing->totals.probes++;
        if (!walk_probe(probing, slot, &probe, now_ps))
            miss(probing, slot, &probe);
    }
}

static void apply_faults(struct sim_probing *probing, uint64_t before_ps)
{
    struct fault_action action;

    while (fault_pop(&probing->faults, before_ps, &action))
        if (action.kind == FAULT_LINK_IMPAIRED || action.kind == FAULT_LINK_RELIEVED)
            fault_plan_apply(
                &probing->faults, &probing->link_faults[port_of(probing, action.end)], &action);
}

static void probe_period(struct sim_probing *probing, uint64_t period)
{
    uint64_t now_ps = period * probing->config.period_ps;

    apply_faults(probing, now_ps + 1);
    for (uint32_t nic = 0; nic < topology_of(probing)->nic_count; nic++)
        for (uint32_t port = 0; port < probing->plane_count; port++) {
            struct map_slot slot = { .nic = nic, .port = port, .period = period };

            probe_port(probing, &slot, now_ps);
        }
}

/* Groups losses by the port that reports them; within a port they stay in order. */
static void sort_missing(struct sim_probing *probing)
{
    uint32_t owners = owner_count(probing);
    uint32_t sum = 0;

    for (uint32_t i = 0; i <= owners; i++)
        probing->positions[i] = 0;
    for (uint32_t i = 0; i < probing->missing_count; i++)
        probing->positions[probing->missing[i].owner]++;
    for (uint32_t i = 0; i <= owners; i++) {
        uint32_t count = probing->positions[i];

        probing->positions[i] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < probing->missing_count; i++)
        probing->sorted[probing->positions[probing->missing[i].owner]++] = probing->missing[i].loss;
}

/* After sorting, a position is the end of the losses of its port. */
static void report_port(struct sim_probing *probing, uint32_t owner)
{
    uint32_t first = owner == 0 ? 0 : probing->positions[owner - 1];

    map_report(&probing->map, &(struct map_report){ .nic = owner / probing->plane_count,
                                  .port = owner % probing->plane_count,
                                  .periods = probing->config.round_periods,
                                  .lost = &probing->sorted[first],
                                  .lost_count = probing->positions[owner] - first });
}

void sim_probing_round(struct sim_probing *probing)
{
    uint64_t first = map_period(&probing->map);

    probing->missing_count = 0;
    for (uint32_t i = 0; i < probing->config.round_periods; i++)
        probe_period(probing, first + i);
    sort_missing(probing);
    for (uint32_t owner = 0; owner < owner_count(probing); owner++)
        report_port(probing, owner);
    map_close_round(&probing->map);
}

const struct map *sim_probing_map(const struct sim_probing *probing)
{
    return &probing->map;
}

struct sim_probing_totals sim_probing_totals(const struct sim_probing *probing)
{
    return probing->totals;
}
