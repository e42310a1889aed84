/* SPDX-License-Identifier: Apache-2.0 */
/* Agents in simulated NICs. What belongs to a NIC is used by its shard only. */
#include "sim/agents.h"

#include <assert.h>

#include "base/bits.h"
#include "sim/egress.h"

enum {
    LINE = 64,
    VERDICT_MAX = 1024,
    LOST_MAX = 1 << 16,
    ROUNDS_KEPT = 4, /* that which is open, one that may still arrive, and those to come */
};

/* ---- set-up ---------------------------------------------------------------------------------- */

static struct map_config map_config_of(const struct sim *sim)
{
    return (struct map_config){ .fabric = sim->fabric,
        .round_periods = sim->config.map.round_periods,
        .verdict_max = VERDICT_MAX,
        .lost_max = LOST_MAX };
}

/* Spreads the agents over the first period. */
static void start_agents(const struct sim *sim, struct agents *agents)
{
    for (uint32_t nic = 0; nic < sim->nic_count; nic++)
        agents->next_ps[nic] = sim_engine_mix(sim->config.seed, nic) % agents->period_ps;
}

void agents_init(struct sim *sim, struct arena *arena)
{
    struct map_config config = map_config_of(sim);
    struct agents made = { .period_ps = sim->config.map.period_ps,
        .kept_periods = ROUNDS_KEPT * config.round_periods };
    struct agents *agents;

    if (made.period_ps == 0)
        return;
    agents = arena_take(arena, 1, sizeof(*agents), LINE);
    made.next_ps = arena_take(arena, sim->nic_count, sizeof(*made.next_ps), LINE);
    made.arrived = arena_take(arena, (size_t)sim->nic_count * sim->plane_count * made.kept_periods,
        sizeof(*made.arrived), LINE);
    made.lost =
        arena_take(arena, (size_t)config.round_periods * MAP_SLOTS_MAX, sizeof(*made.lost), LINE);
    map_init(&made.map, arena, &config);
    if (!agents)
        return;
    start_agents(sim, &made);
    *agents = made;
    sim->agents = agents;
}

uint64_t agents_packets(const struct sim *sim)
{
    uint64_t ports = (uint64_t)sim->nic_count * sim->plane_count;

    return sim->config.map.period_ps == 0 ? 0 : ports * MAP_SLOTS_MAX / 2;
}

/* ---- probes ---------------------------------------------------------------------------------- */

static uint64_t *arrived_at(const struct shard *shard, uint32_t nic, uint32_t port, uint64_t period)
{
    const struct agents *agents = shard->sim->agents;
    size_t owner = (size_t)nic * shard->plane_count + port;

    return &agents->arrived[owner * agents->kept_periods + period % agents->kept_periods];
}

static void send_probe(struct shard *shard, const struct map_slot *slot,
    const struct map_probe *probe, uint64_t now_ps)
{
    uint32_t port = shard->nics[slot->nic].first_port + slot->port;
    uint32_t handle = packets_take(&shard->packets);
    struct packet packet = { 0 };
    struct port_entry entry;

    if (handle == PACKETS_NONE) {
        shard->status = SIM_OUT_OF_MEMORY;
        return;
    }
    map_packet_write(slot, &packet);
    packets_store(&shard->packets.all[handle], &packet, slot->nic, probe->to_nic);
    shard->packets.outer[handle] = plan_trail_outer(shard->fabric, &probe->trail);
    entry = (struct port_entry){ .handle = handle,
        .length_bytes = (uint16_t)(packet_nominal_bytes(&packet) + ENGINE_OUTER_BYTES),
        .class = packet.class,
        .ecn = packet.ecn };
    shard->packets_sent++;
    egress_advance(shard, port, now_ps);
    egress_enter(shard, port, &entry, now_ps);
}

/* Forgets the period that will use the same place, before the first probe of it may arrive. */
static void send_period(struct shard *shard, struct map_slot *slot, uint64_t now_ps)
{
    const struct map_schedule *schedule = &shard->sim->agents->map.schedule;
    uint32_t count = map_schedule_count(schedule, slot->nic, slot->port);
    struct map_probe probe;

    *arrived_at(shard, slot->nic, slot->port,
        slot->period + shard->sim->agents->map.config.round_periods) = 0;
    for (slot->number = 0; slot->number < count; slot->number++)
        if (map_schedule_at(schedule, slot, &probe))
            send_probe(shard, slot, &probe, now_ps);
}

void agents_turn(struct shard *shard, uint32_t nic, uint64_t now_ps)
{
    struct agents *agents = shard->sim->agents;

    for (; agents->next_ps[nic] <= now_ps; agents->next_ps[nic] += agents->period_ps)
        for (uint32_t port = 0; port < shard->plane_count; port++) {
            struct map_slot slot = {
                .nic = nic, .port = port, .period = agents->next_ps[nic] / agents->period_ps
            };

            send_period(shard, &slot, now_ps);
        }
    shard->nics[nic].room_ps = 0;
}

bool agents_take(struct shard *shard, uint32_t nic, uint32_t port, uint32_t packet)
{
    const struct packets_record *record = &shard->packets.all[packet];
    struct map_slot slot;
    struct packet loaded;

    if (record->opcode != OPCODE_ENDPOINT_REQUEST)
        return false;
    packets_load(record, shard->fabric, &loaded);
    if (!map_packet_read(&loaded, 0, &slot))
        return false;
    *arrived_at(shard, nic, port, slot.period) |= UINT64_C(1) << slot.number;
    packets_give_back(&shard->packets, packet);
    return true;
}

/* ---- the data path --------------------------------------------------------------------------- */

static uint32_t end_of_flows(const struct sim *sim, uint32_t rank)
{
    return rank + 1 < sim->rank_count ? sim->ranks[rank + 1].first_out : sim->flow_count;
}

/* Returns the flow that sends with this QP; NULL: the QP only receives. */
static const struct engine_flow *flow_of(const struct sim *sim, uint32_t nic, uint64_t qpn)
{
    for (uint32_t rank = sim->nics[nic].first_rank; rank != ENGINE_NONE;
         rank = sim->ranks[rank].next_on_nic)
        for (uint32_t i = sim->ranks[rank].first_out; i < end_of_flows(sim, rank); i++)
            if (sim->flows[sim->flow_out[i]].qpn_out == qpn)
                return &sim->flows[sim->flow_out[i]];
    return NULL;
}

static bool is_avoided(uint64_t state)
{
    return state == EV_ASSUMED_BAD || state == EV_DENIED;
}

void agents_ev_changed(struct sim *sim, const struct sim_event *event)
{
    bool is_bad = is_avoided(event->values[2]);
    const struct engine_flow *flow;

    if (is_bad == is_avoided(event->values[4]))
        return;
    flow = flow_of(sim, event->subject, event->values[0]);
    if (flow)
        map_ev_changed(&sim->agents->map, event->subject, sim->ranks[flow->to].nic,
            (uint32_t)event->values[1], is_bad);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void report_port(struct sim *sim, uint32_t nic, uint32_t port)
{
    struct agents *agents = sim->agents;
    struct map_report report = {
        .nic = nic, .port = port, .periods = agents->map.config.round_periods, .lost = agents->lost
    };
    uint32_t count = map_schedule_count(&agents->map.schedule, nic, port);

    if (count == 0)
        return;
    for (uint32_t i = 0; i < report.periods; i++) {
        uint64_t lost = ~*arrived_at(&sim->shards[0], nic, port, map_period(&agents->map) + i);

        if (count < MAP_SLOTS_MAX)
            lost &= (UINT64_C(1) << count) - 1;
        for (; lost != 0; lost &= lost - 1)
            agents->lost[report.lost_count++] =
                (struct map_loss){ .period = (uint16_t)i, .slot = (uint8_t)bits_lowest(lost) };
    }
    agents->probes += (uint64_t)count * report.periods;
    map_report(&agents->map, &report);
}

/* The probes of a round have a whole round more to arrive. */
static uint64_t close_ps(const struct agents *agents)
{
    return (map_period(&agents->map) + UINT64_C(2) * agents->map.config.round_periods) *
           agents->period_ps;
}

void agents_close_rounds(struct sim *sim)
{
    while (sim->now_ps >= close_ps(sim->agents)) {
        for (uint32_t nic = 0; nic < sim->nic_count; nic++)
            for (uint32_t port = 0; port < sim->plane_count; port++)
                report_port(sim, nic, port);
        map_close_round(&sim->agents->map);
    }
}

const struct map *sim_map(const struct sim *sim)
{
    return sim->agents ? &sim->agents->map : NULL;
}
