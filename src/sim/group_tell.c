/* SPDX-License-Identifier: Apache-2.0 */
/* What members tell the leader for its queries. It is written where a query of one process finds
 * it: into the shards, flows and ports of other members. */
#include <assert.h>
#include <string.h>

#include "sim/group.h"
#include "sim/setup.h"

/* ---- sums ------------------------------------------------------------------------------------ */

struct told_sums {
    uint64_t hash;
    uint64_t packet_hops;
    uint64_t plane_bytes[TOPOLOGY_PLANES_MAX];
    struct sim_order order;
    struct sim_totals totals;
};

static void tell_sums(const struct sim *sim)
{
    shard_sum(sim);
    for (uint32_t i = 0; i < sim->group->shard_count; i++) {
        const struct shard *shard = &sim->shards[sim->group->first_shard + i];
        struct told_sums sums = { .hash = shard->hash,
            .packet_hops = shard->packet_hops,
            .order = shard->order,
            .totals = shard->totals };

        for (uint32_t p = 0; p < TOPOLOGY_PLANES_MAX; p++)
            sums.plane_bytes[p] = shard->plane_bytes[p];
        group_send(sim, GROUP_LEADER, &sums, sizeof(sums));
    }
}

static void hear_sums(const struct sim *sim, uint32_t from, struct group_message *message)
{
    struct shard *shard =
        &sim->shards[group_first_shard(sim->group->members, from, sim->shard_count)];

    for (; message->bytes > 0; shard++) {
        struct told_sums sums;

        group_take(message, &sums, sizeof(sums));
        shard->hash = sums.hash;
        shard->packet_hops = sums.packet_hops;
        shard->order = sums.order;
        shard->totals = sums.totals;
        for (uint32_t p = 0; p < TOPOLOGY_PLANES_MAX; p++)
            shard->plane_bytes[p] = sums.plane_bytes[p];
    }
}

/* ---- ports ----------------------------------------------------------------------------------- */

struct told_port {
    uint32_t index;
    uint32_t data_bytes;
    uint32_t control_bytes;
    uint64_t lost;
    uint64_t lost_control;
    uint64_t counters[PORT_COUNTER_COUNT];
};

static bool is_untouched(const struct told_port *told)
{
    uint64_t sum = told->lost;

    for (uint32_t i = 0; i < PORT_COUNTER_COUNT; i++)
        sum |= told->counters[i];
    return sum == 0;
}

static void tell_port(const struct sim *sim, uint32_t port)
{
    struct told_port told = { .index = port,
        .data_bytes = sim->ports[port].queues[PORT_DATA].bytes,
        .control_bytes = sim->ports[port].queues[PORT_CONTROL].bytes,
        .lost = sim->port_details[port].lost,
        .lost_control = sim->port_details[port].lost_control };

    for (uint32_t i = 0; i < PORT_COUNTER_COUNT; i++)
        told.counters[i] = port_counter(&sim->port_counters[port], i);
    if (!is_untouched(&told))
        group_send(sim, GROUP_LEADER, &told, sizeof(told));
}

static void tell_ports(const struct sim *sim)
{
    for (uint32_t node = 0; node < sim->node_count; node++) {
        struct engine_ports ports = sim_engine_ports(sim, node);

        for (uint32_t i = 0; i < ports.count && group_has_node(sim, node); i++)
            tell_port(sim, ports.first + i);
    }
}

static void hear_ports(const struct sim *sim, struct group_message *message)
{
    while (message->bytes > 0) {
        struct told_port told;

        group_take(message, &told, sizeof(told));
        sim->ports[told.index].queues[PORT_DATA].bytes = told.data_bytes;
        sim->ports[told.index].queues[PORT_CONTROL].bytes = told.control_bytes;
        sim->port_details[told.index].lost = told.lost;
        sim->port_details[told.index].lost_control = told.lost_control;
        memcpy(sim->port_counters[told.index].often, told.counters,
            PORT_COUNTERS_OFTEN * sizeof(uint64_t));
        memcpy(sim->port_counters[told.index].seldom, &told.counters[PORT_COUNTERS_OFTEN],
            PORT_COUNTERS_SELDOM * sizeof(uint64_t));
    }
}

/* ---- longest queues -------------------------------------------------------------------------- */

struct told_peak {
    uint64_t bytes;
    struct topology_end at;
};

static void tell_peaks(struct sim *sim)
{
    shard_find_peaks(sim);
    for (uint32_t i = 0; i < sim->group->shard_count; i++) {
        const struct shard *shard = &sim->shards[sim->group->first_shard + i];
        struct told_peak told = { .bytes = shard->peak_bytes, .at = shard->peak_at };

        group_send(sim, GROUP_LEADER, &told, sizeof(told));
    }
}

static void hear_peaks(const struct sim *sim, uint32_t from, struct group_message *message)
{
    struct shard *shard =
        &sim->shards[group_first_shard(sim->group->members, from, sim->shard_count)];

    for (; message->bytes > 0; shard++) {
        struct told_peak told;

        group_take(message, &told, sizeof(told));
        shard->peak_bytes = told.bytes;
        shard->peak_at = told.at;
    }
}

/* ---- EVs ------------------------------------------------------------------------------------- */

static void tell_ev_counts(const struct sim *sim)
{
    struct sim_ev_counts counts = shard_ev_counts(sim);

    group_send(sim, GROUP_LEADER, &counts, sizeof(counts));
}

static void hear_ev_counts(const struct sim *sim, struct group_message *message)
{
    struct sim_ev_counts counts;

    group_take(message, &counts, sizeof(counts));
    sim->group->ev_counts.usable += counts.usable;
    sim->group->ev_counts.bad += counts.bad;
}

static void tell_evs(const struct sim *sim, uint32_t flow_index)
{
    struct sim_ev evs[PATH_EV_COUNT_MAX];
    uint32_t count;

    if (!group_has_node(sim, sim->ranks[sim->flows[flow_index].from].nic))
        return;
    count = sim_flow_evs(sim, flow_index, evs);
    group_send(sim, GROUP_LEADER, evs, count * sizeof(evs[0]));
}

uint32_t group_fetch_evs(
    const struct sim *sim, uint32_t flow_index, struct sim_ev out[static PATH_EV_COUNT_MAX])
{
    uint32_t nic = sim->ranks[sim->flows[flow_index].from].nic;
    struct group_message message;
    uint32_t count;

    group_give(sim, (struct group_order){ .kind = GROUP_EVS, .value = flow_index });
    group_exchange(sim);
    message = group_received(sim, group_member_of(sim, setup_shard_of(sim, nic)->number));
    count = (uint32_t)(message.bytes / sizeof(out[0]));
    assert(count <= PATH_EV_COUNT_MAX);
    group_take(&message, out, count * sizeof(out[0]));
    return count;
}

/* ---- all of it ------------------------------------------------------------------------------- */

void group_answer(struct sim *sim, struct group_order order)
{
    switch (order.kind) {
    case GROUP_SUMS:
        tell_sums(sim);
        break;
    case GROUP_FLOWS:
        group_tell_flows(sim, GROUP_LEADER);
        break;
    case GROUP_PORTS:
        tell_ports(sim);
        break;
    case GROUP_PEAKS:
        tell_peaks(sim);
        break;
    case GROUP_EV_COUNTS:
        tell_ev_counts(sim);
        break;
    case GROUP_EVS:
        tell_evs(sim, (uint32_t)order.value);
        break;
    case GROUP_RUN:
    case GROUP_END:
        assert(false);
    }
    group_exchange(sim);
}

static void hear_member(const struct sim *sim, enum group_order_kind kind, uint32_t from)
{
    struct group_message message = group_received(sim, from);

    switch (kind) {
    case GROUP_SUMS:
        hear_sums(sim, from, &message);
        return;
    case GROUP_FLOWS:
        group_hear_flows(sim, &message);
        return;
    case GROUP_PORTS:
        hear_ports(sim, &message);
        return;
    case GROUP_PEAKS:
        hear_peaks(sim, from, &message);
        return;
    case GROUP_EV_COUNTS:
        hear_ev_counts(sim, &message);
        return;
    case GROUP_EVS:
    case GROUP_RUN:
    case GROUP_END:
        assert(false);
    }
}

void group_fetch(const struct sim *sim, struct group_order order)
{
    struct group *group = sim->group;

    if (!group || group->known & UINT32_C(1) << order.kind)
        return;
    if (order.kind != GROUP_PEAKS) /* which a query resets */
        group->known |= UINT32_C(1) << order.kind;
    if (order.kind == GROUP_EV_COUNTS)
        group->ev_counts = (struct sim_ev_counts){ 0 };
    group_give(sim, order);
    group_exchange(sim);
    for (uint32_t i = 0; i < group->members->count; i++)
        if (i != GROUP_LEADER)
            hear_member(sim, order.kind, i);
}
