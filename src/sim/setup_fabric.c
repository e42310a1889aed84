/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up ports, links and switches from the plan of the fabric. */
#include "sim/setup.h"

#include <assert.h>

#include "sim/egress.h"
#include "sim/group.h"

enum {
    NIC_QUEUE_BYTES = 64 * 1024, /* more than the two packets that may wait */
    UNLIMITED_BYTES = 1 << 30,
    PORT_KINDS = 6, /* with and without marks */
    STREAM_OF_PORTS = 1 << 30,
};

enum port_kind {
    AT_NIC,
    TO_HOST,
    TO_SWITCH,
};

/* Packets of InfiniBand are not in frames of Ethernet. */
uint16_t setup_framing_bytes(const struct sim *sim)
{
    return sim->ib ? 0 : sim->topology->config.framing_bytes;
}

static struct port_config port_config(const struct sim *sim, enum port_kind kind, bool marks)
{
    const struct topology_buffers *buffers = &sim->topology->config.buffers;
    uint16_t framing_bytes = setup_framing_bytes(sim);

    if (kind == AT_NIC)
        return (
            struct port_config){ .data.bytes = NIC_QUEUE_BYTES, .framing_bytes = framing_bytes };
    return (struct port_config){
        .data.bytes = kind == TO_HOST ? buffers->host_data_bytes : buffers->data_bytes,
        .control.bytes = buffers->control_bytes,
        .red_min_bytes = buffers->red_min_bytes,
        .red_max_bytes = buffers->red_max_bytes,
        .trimmed_bytes = buffers->trimmed_bytes,
        .framing_bytes = framing_bytes,
        .marks = marks,
        .trims = buffers->trims,
        .faces_host = kind == TO_HOST,
    };
}

/* Ports of one kind and rate share a profile. */
static const struct port_profile *profile_of(
    struct shard *shard, enum port_kind kind, uint64_t rate_bps, bool marks)
{
    struct port_config config = port_config(shard->sim, kind, marks);

    config.rate_bps = rate_bps;
    if (kind != AT_NIC && shard->policy && shard->policy->limits_data)
        config.data.bytes = UNLIMITED_BYTES;
    for (uint32_t i = 0; i < shard->profile_count; i++) {
        const struct port_config *known = &shard->profiles[i].config;

        if (known->rate_bps == rate_bps && known->data.bytes == config.data.bytes &&
            known->faces_host == config.faces_host && known->trims == config.trims &&
            known->marks == config.marks)
            return &shard->profiles[i];
    }
    assert(shard->profile_count < shard->sim->profile_max);
    port_profile_init(&shard->profiles[shard->profile_count], &config, &shard->slots);
    return &shard->profiles[shard->profile_count++];
}

/* Returns true if the port of a switch marks packets itself. */
static bool marks_at(const struct sim *sim, struct topology_end end, enum port_kind kind)
{
    const struct switch_policy *policy = sim->policy;

    if (policy && policy->marks)
        return false;
    return topology_marks(sim->topology, end) ||
           (policy && policy->marks_hosts && kind == TO_HOST &&
               sim->topology->config.buffers.marks);
}

/* A port without a cable also has a rate; packets that enter it are lost. */
static void init_port(struct sim *sim, uint32_t port, struct topology_end end, enum port_kind kind)
{
    struct shard *shard = setup_shard_of(sim, end.is_nic ? end.node : sim->nic_count + end.node);
    struct topology_link_kind link =
        kind == TO_SWITCH ? sim->topology->config.uplink : sim->topology->config.host_link;
    const struct port_profile *healthy;

    sim->links[port] = link_of_port(sim->topology, end, &link);
    sim->links[port].is_special |= egress_watches(shard);
    healthy = profile_of(shard, kind, link.rate_bps, kind != AT_NIC && marks_at(sim, end, kind));
    if (sim->healthy)
        sim->healthy[port] = (uint32_t)(healthy - shard->profiles);
    sim->port_counters[port] =
        (struct port_counters){ .seldom = &sim->port_losses[(size_t)port * PORT_COUNTERS_SELDOM] };
    port_init(&sim->ports[port], healthy, &sim->port_counters[port],
        prng_stream(sim->config.seed, (uint64_t)STREAM_OF_PORTS << 2 | port));
}

static void init_nic_ports(struct sim *sim, uint32_t nic)
{
    for (uint32_t p = 0; p < sim->plane_count; p++) {
        uint32_t port = sim->nics[nic].first_port + p;

        init_port(
            sim, port, (struct topology_end){ .is_nic = true, .node = nic, .port = p }, AT_NIC);
        if (sim->links[port].has_cable)
            sim->nics[nic].ports_up |= UINT32_C(1) << p;
    }
}

static void init_switch_ports(struct sim *sim, uint32_t index)
{
    const struct engine_switch *here = &sim->switches[index];

    for (uint32_t p = 0; p < here->port_count; p++)
        init_port(sim, here->first_port + p, (struct topology_end){ .node = index, .port = p },
            topology_port_faces_host(sim->topology, index, p) ? TO_HOST : TO_SWITCH);
}

static void init_ports_of_shard(void *argument, uint32_t shard)
{
    struct sim *sim = argument;

    for (uint32_t node = 0; node < sim->node_count; node++)
        if (!shard_owns(&sim->shards[shard], node))
            continue;
        else if (node < sim->nic_count)
            init_nic_ports(sim, node);
        else
            init_switch_ports(sim, node - sim->nic_count);
}

void setup_table(const struct plan *fabric, uint32_t index, struct plan_range *ranges,
    struct switch_range **routes, struct switch_table *table)
{
    struct topology_element element = topology_switch_at(&fabric->topology, index);
    struct plan_names names = plan_names(fabric, &element);
    uint32_t count = plan_routes(fabric, index, ranges, plan_routes_max(fabric));

    for (uint32_t i = 0; i < count; i++)
        (*routes)[i] = (struct switch_range){ .first_usid = ranges[i].first_usid,
            .last_usid = ranges[i].last_usid,
            .first_port = ranges[i].first_port };
    switch_table_init(table, plan_block(fabric, element.plane), names.first, *routes, count);
    if (names.count > 1)
        switch_table_add_names(table, names.step, names.count - 1);
    *routes += count > SWITCH_RANGES_MAX ? count : 0;
}

static void init_switches(struct sim *sim, struct plan_range *ranges, struct switch_range *routes)
{
    uint32_t port = sim->nic_count * sim->plane_count;
    uint32_t word = 0;

    for (uint32_t i = 0; i < sim->topology->switch_count; i++) {
        struct engine_switch *here = &sim->switches[i];

        here->first_port = port;
        here->first_word = word;
        here->port_count = topology_port_count(sim->topology, i);
        setup_table(sim->fabric, i, ranges, &routes, &here->table);
        port += here->port_count;
        word += (here->port_count + 63) / 64;
    }
}

/* Returns an upper bound of the number of different link rates of a graph. */
static uint32_t graph_rates(const struct sim *sim)
{
    const struct graph *graph = sim->topology->graph;
    uint32_t count = 0;

    for (uint32_t i = 0; graph && i < graph->link_count; i++)
        count += i == 0 || graph->links[i].rate_bps != graph->links[i - 1].rate_bps;
    return count;
}

static void count_ports(struct sim *sim)
{
    sim->port_count = sim->nic_count * sim->plane_count;
    sim->word_count = 0;
    for (uint32_t i = 0; i < sim->topology->switch_count; i++) {
        uint32_t count = topology_port_count(sim->topology, i);

        sim->port_count += count;
        sim->word_count += (count + 63) / 64;
    }
    sim->profile_max = PORT_KINDS * (1 + sim->topology->config.exception_count + graph_rates(sim) +
                                        sim->config.fault_count + sim->config.generator_count);
}

void setup_fabric(struct sim *sim, struct arena *arena)
{
    enum { LINE = 64 };
    uint32_t routes_max = plan_routes_max(sim->fabric);
    struct plan_range *ranges;
    struct switch_range *routes;

    count_ports(sim);
    sim->ports = arena_take_raw(arena, sim->port_count, sizeof(*sim->ports), LINE);
    sim->links = arena_take_raw(arena, sim->port_count, sizeof(*sim->links), LINE);
    if (sim->config.fault_count + sim->config.generator_count > 0)
        sim->healthy = arena_take_raw(arena, sim->port_count, sizeof(*sim->healthy), LINE);
    sim->port_details = arena_take(arena, sim->port_count, sizeof(*sim->port_details), LINE);
    arena->spare_bytes += sim->port_count * sizeof(*sim->port_details);
    sim->port_counters = arena_take_raw(arena, sim->port_count, sizeof(*sim->port_counters), LINE);
    sim->port_losses = arena_take(
        arena, (size_t)sim->port_count * PORT_COUNTERS_SELDOM, sizeof(*sim->port_losses), LINE);
    sim->waiting = arena_take(arena, sim->word_count, sizeof(*sim->waiting), LINE);
    sim->used = arena_take(arena, sim->word_count, sizeof(*sim->used), LINE);
    sim->switches = arena_take(arena, sim->topology->switch_count, sizeof(*sim->switches), LINE);
    sim->nics = arena_take(arena, sim->nic_count, sizeof(*sim->nics), LINE);
    setup_shards(sim, arena);
    ranges = arena_take(arena, routes_max, sizeof(*ranges), LINE);
    routes = packets_take_memory(arena, sim->topology->switch_count, routes_max * sizeof(*routes));
    if (!arena->memory)
        return;
    sim->fastest_bps = topology_fastest_bps(sim->topology);
    for (uint32_t nic = 0; nic < sim->nic_count; nic++)
        sim->nics[nic].first_port = nic * sim->plane_count;
    init_switches(sim, ranges, routes);
    shard_each(sim, init_ports_of_shard, sim);
    /* links and neighbours of nodes that other members of the group run */
    for (uint32_t i = 0; i < sim->shard_count; i++)
        if (!group_has(sim->group, i))
            init_ports_of_shard(sim, i);
}
