/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up NICs of RoCEv2: for each flow a connection, with QPs on every port that both ends have.
 *
 * What a NIC takes is proportional to its numbers. To measure, one NIC has all connections. */
#include <assert.h>

#include "sim/ib_world.h"
#include "sim/roce_world.h"
#include "sim/setup.h"
#include "sim/ways.h"
#include "sim/workload.h"

enum {
    ALIGNMENT = 8,
    NIC_ARRAYS = 9, /* besides one for each port; each is padded by less than ALIGNMENT */
    SOURCE_PORTS_FIRST = 0xc000,
    SOURCE_PORTS = 0x4000,
    STREAM_OF_SOURCE_PORTS = 5,
};

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Returns the number of lanes of each port. To the NIC, a lane is a port. */
static uint32_t lanes_of(const struct sim *sim)
{
    return sim->ib ? sim->ib->lane_count : 1;
}

/* Switches of InfiniBand know the NIC, by its LID. */
static struct ecmp_label label_of(
    const struct sim *sim, struct ecmp_label label, uint32_t to, uint32_t lane)
{
    if (sim->ib)
        label.flow = to;
    label.lane = lane;
    return label;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void add_flow(
    struct roce_nic_config *from, struct roce_nic_config *to, uint32_t qps, uint32_t depth)
{
    from->outlet_count++;
    from->sender_count += qps;
    from->event_count += depth;
    to->inlet_count++;
    to->receiver_count += qps;
    to->event_count += depth;
}

static uint32_t nic_of(const struct sim *sim, uint32_t rank)
{
    return sim->ranks[rank].nic;
}

static void count_flows(const struct sim *sim, struct roce_nic_config *configs)
{
    struct way ways[TOPOLOGY_PLANES_MAX];

    for (uint32_t i = 0; i < sim->flow_count; i++) {
        uint32_t from = nic_of(sim, sim->flows[i].from);
        uint32_t to = nic_of(sim, sim->flows[i].to);
        uint32_t qps = ways_find(sim, from, to, ways) * sim->roce->profile.qps;

        add_flow(&configs[from], &configs[to], qps, sim->flows[i].depth);
    }
}

/* ---- connections ----------------------------------------------------------------------------- */

/* The next free place at a NIC. */
struct place {
    uint32_t outlet;
    uint32_t inlet;
    uint32_t sender;
    uint32_t receiver;
};

static void connect_qp(struct sim *sim, struct arena *arena, const struct engine_flow *flow,
    struct place places[2], struct way way, uint16_t source_port)
{
    uint32_t from = nic_of(sim, flow->from);
    uint32_t to = nic_of(sim, flow->to);
    uint32_t at_sender = places[0].sender++;
    uint32_t at_receiver = places[1].receiver++;
    struct roce_sender *sender = &sim->roce->nics[from].senders[at_sender];
    struct roce_receiver *receiver = &sim->roce->nics[to].receivers[at_receiver];
    uint32_t lane = flow->workload % lanes_of(sim);

    roce_sender_init(sender, arena, &sim->roce->profile, flow->depth);
    sender->connection = places[0].outlet;
    sender->to_nic = to;
    sender->dest_qp = at_receiver;
    sender->port = way.from_port * lanes_of(sim) + lane;
    sender->label = label_of(sim, ways_label(sim, from, to, way.to_port, source_port), to, lane);
    roce_receiver_init(receiver, arena, &sim->roce->profile);
    receiver->connection = places[1].inlet;
    receiver->to_nic = from;
    receiver->dest_qp = at_sender;
    receiver->port = way.to_port * lanes_of(sim) + lane;
    receiver->label =
        label_of(sim, ways_label(sim, to, from, way.from_port, source_port), from, lane);
}

static void connect_flow(
    struct sim *sim, struct arena *arena, uint32_t index, struct place *from, struct place *to)
{
    const struct engine_flow *flow = &sim->flows[index];
    struct roce_outlet *outlet = &sim->roce->nics[nic_of(sim, flow->from)].outlets[from->outlet];
    struct roce_inlet *inlet = &sim->roce->nics[nic_of(sim, flow->to)].inlets[to->inlet];
    struct prng prng =
        prng_stream(sim->config.seed, (uint64_t)STREAM_OF_SOURCE_PORTS << 40 | index);
    struct place places[2] = { *from, *to };
    struct way ways[TOPOLOGY_PLANES_MAX];
    uint32_t way_count = ways_find(sim, nic_of(sim, flow->from), nic_of(sim, flow->to), ways);

    *outlet = (struct roce_outlet){ .flow = index,
        .first_sender = from->sender,
        .port_count = way_count,
        .depth = flow->depth,
        .messages = arena_take(arena, flow->depth, sizeof(*outlet->messages), ALIGNMENT) };
    inlet->flow = index;
    message_arrivals_init(&inlet->arrivals, arena, flow->depth);
    for (uint32_t i = 0; i < way_count * sim->roce->profile.qps; i++)
        connect_qp(sim, arena, flow, places, ways[i / sim->roce->profile.qps],
            (uint16_t)(SOURCE_PORTS_FIRST + prng_below(&prng, SOURCE_PORTS)));
    sim->roce->outlets[index] = from->outlet;
    from->outlet++;
    from->sender = places[0].sender;
    to->inlet++;
    to->receiver = places[1].receiver;
}

static void setup_nics(
    struct sim *sim, struct arena *arena, struct roce_nic_config *configs, struct place *places)
{
    for (uint32_t i = 0; i < sim->nic_count; i++) {
        configs[i].port_count = sim->plane_count * lanes_of(sim);
        roce_nic_init(&sim->roce->nics[i], arena, &sim->roce->profile, &configs[i]);
        sim->nics[i].endpoint = &sim->roce->nics[i];
    }
    for (uint32_t i = 0; i < sim->flow_count; i++)
        connect_flow(sim, arena, i, &places[nic_of(sim, sim->flows[i].from)],
            &places[nic_of(sim, sim->flows[i].to)]);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void measure_flow(const struct sim *sim, struct arena *arena, uint32_t depth, uint32_t qps)
{
    struct message_arrivals measured;

    arena_take(arena, depth, sizeof(struct roce_departure), ALIGNMENT);
    message_arrivals_init(&measured, arena, depth);
    for (uint32_t i = 0; i < qps; i++) {
        roce_sender_init(NULL, arena, &sim->roce->profile, depth);
        roce_receiver_init(NULL, arena, &sim->roce->profile);
    }
}

static void measure_nics(const struct sim *sim, struct arena *arena)
{
    uint32_t qps = sim->plane_count * sim->roce->profile.qps;
    const struct roce_nic_config none = { .port_count = sim->plane_count * lanes_of(sim) };
    struct roce_nic_config all = none;

    for (uint32_t w = 0; w < sim->config.workload_count; w++) {
        const struct sim_workload *workload = &sim->config.workloads[w];
        uint32_t depth = workload_outstanding_max(workload);

        depth = depth > 0 ? depth : 1;
        for (uint32_t i = 0; i < workload_flow_count(workload); i++) {
            add_flow(&all, &all, qps, depth);
            measure_flow(sim, arena, depth, qps);
        }
    }
    for (uint32_t i = 0; i < sim->nic_count; i++)
        roce_nic_init(NULL, arena, &sim->roce->profile, i == 0 ? &all : &none);
    arena_take(
        arena, sim->nic_count, (NIC_ARRAYS + (size_t)sim->plane_count) * ALIGNMENT, ALIGNMENT);
}

static enum convergence_set convergence_of(const struct sim_config *config)
{
    if (config->protocol != SIM_INFINIBAND)
        return config->roce.convergence;
    return config->infiniband.recovery == IB_SHIELD ? CONVERGENCE_SHIELD
                                                    : CONVERGENCE_SUBNET_MANAGER;
}

void setup_roce(struct sim *sim, struct arena *arena)
{
    const struct roce_settings *settings = &sim->config.roce;
    struct roce_world *roce = sim->roce;
    struct roce_nic_config *configs;
    struct place *places;

    routing_init(&roce->routing, arena, sim->topology,
        &(struct routing_config){ .kind = settings->routing,
            .flowlet_gap_ps = settings->flowlet_gap_ps,
            .convergence = convergence_of(&sim->config),
            .ecmp = { .seed = sim->config.seed, .is_polarised = settings->polarised } });
    sim->ecmp = &roce->routing.ecmp;
    sim->routing = &roce->routing;
    if (sim->ib)
        ib_world_setup(sim, arena);
    else
        policy_roce_init(sim, arena);
    roce->nics = arena_take(arena, sim->nic_count, sizeof(*roce->nics), ALIGNMENT);
    roce->outlets = arena_take(arena, sim->flow_count, sizeof(*roce->outlets), ALIGNMENT);
    configs = arena_take(arena, sim->nic_count, sizeof(*configs), ALIGNMENT);
    places = arena_take(arena, sim->nic_count, sizeof(*places), ALIGNMENT);
    if (!arena->memory) {
        measure_nics(sim, arena);
        return;
    }
    count_flows(sim, configs);
    setup_nics(sim, arena, configs, places);
}
