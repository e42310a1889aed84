/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from the fabric for InfiniBand, NICs with credits, and figures. */
#include "sim/ib_world.h"

#include "base/bits.h"
#include "base/power.h"
#include "sim/protocol.h"

enum {
    QUANTA_PER_LANE = 4, /* adaptive routing: of a buffer */
    READY_BITS = 32,
};

/* ---- set-up ---------------------------------------------------------------------------------- */

static void init_world(struct sim *sim, struct arena *arena, union protocol_world *measured)
{
    const struct ib_settings *settings = &sim->config.infiniband;
    struct ib_world *taken = arena_take(arena, 1, sizeof(*taken), _Alignof(struct ib_world));

    sim->ib = taken ? taken : &measured->infiniband.world;
    sim->ib->lane_count = settings->lanes;
    sim->ib->lane_blocks = ib_settings_lane_blocks(settings);
    sim->ib->packet_blocks =
        ib_credit_blocks(ib_settings_packet_bytes((uint32_t)sim->config.parameters.pmtu));
    sim->ib->quantum_shift = bits_highest(
        power_of_two_at_least(sim->ib->lane_blocks * IB_BLOCK_BYTES / QUANTA_PER_LANE));
    sim->ib->is_adaptive = settings->routing == IB_ADAPTIVE;
    sim->ib->link_retry = settings->link_retry;
    protocol_roce.init(sim, arena, measured);
}

/* Returns the room for packets of one lane that a port sends. Flow control acts at the ends of a
 * cable. In the simulator, packets and credit also pass the NIC or switch at the sending end, so
 * what is sent in that time is added to the buffer. */
static uint32_t room_blocks(const struct sim *sim, uint32_t port)
{
    const struct topology_config *config = &sim->topology->config;
    bool is_nic = port < sim->nic_count * sim->plane_count;
    uint64_t pipeline_ps = is_nic ? 2 * config->nic_latency_ps : config->switch_latency_ps;
    double bytes =
        (double)sim->ports[port].profile->config.rate_bps / 8 * (double)pipeline_ps / 1e12;
    double blocks = sim->ib->lane_blocks + bytes / IB_BLOCK_BYTES + 1;

    return blocks < IB_ROOM_BLOCKS_MAX ? (uint32_t)blocks : IB_ROOM_BLOCKS_MAX;
}

/* Both ends of the link behind a port know the room. */
static void init_lane(struct sim *sim, uint32_t port, uint32_t lane)
{
    const struct link *link = &sim->links[port];
    uint32_t count = sim->ib->lane_count;
    uint32_t room = room_blocks(sim, port);
    uint32_t peer = sim_engine_ports(sim, link->peer_node).first + link->peer_port;

    sim->ib->lanes[port * count + lane] = (struct ib_lane){ .credit.limit = (uint16_t)room,
        .is_free = link->peer_node < sim->nic_count };
    if (link->has_cable)
        sim->ib->buffers[peer * count + lane] = ib_buffer_of(room);
}

void ib_world_setup(struct sim *sim, struct arena *arena)
{
    struct ib_world *ib = sim->ib;
    uint32_t lane_count = sim->port_count * ib->lane_count;

    ib->lanes = arena_take(arena, lane_count, sizeof(*ib->lanes), _Alignof(struct ib_lane));
    ib->buffers = arena_take(arena, lane_count, sizeof(*ib->buffers), _Alignof(struct ib_buffer));
    ib->ports = arena_take(arena, sim->port_count, sizeof(*ib->ports), _Alignof(struct ib_port));
    ib->tiers = arena_take(arena, sim->topology->switch_count, sizeof(*ib->tiers), 1);
    if (!arena->memory)
        return;
    for (uint32_t i = 0; i < lane_count; i++)
        init_lane(sim, i / ib->lane_count, i % ib->lane_count);
    for (uint32_t i = 0; i < sim->topology->switch_count; i++) {
        struct topology_element element = topology_switch_at(sim->topology, i);

        ib->tiers[i] = (uint8_t)topology_place_of(&element).tier;
    }
}

static bool check_settings(const struct sim_config *config, struct problem *problem)
{
    const struct topology *topology = &config->fabric->topology;
    uint32_t planes = topology->config.plane_count;
    uint32_t lanes = config->infiniband.lanes * planes;
    uint32_t lids = convergence_size_of(topology).lid_count;

    if (!ib_settings_check(&config->infiniband, (uint32_t)config->parameters.pmtu, problem))
        return false;
    if (lanes > READY_BITS)
        return problem_is(problem, "lanes", "NICs with % ports can have % lanes together, not %",
            (struct problem_numbers){ planes, READY_BITS, lanes });
    problem->section = "";
    if (lids > IB_LIDS_MAX)
        return problem_is(problem, "fabric",
            "a subnet of InfiniBand has at most % LIDs, and NICs and switches need %: make it "
            "smaller, or divide it into planes",
            (struct problem_numbers){ IB_LIDS_MAX, lids, 0 });
    return true;
}

/* ---- NICs ------------------------------------------------------------------------------------ */

/* Returns the ports of `ready_ports` whose lane has credit for any packet, as ports of the NIC's
 * protocol. */
static uint32_t ready_lanes(
    const struct shard *shard, uint32_t nic, uint32_t ready_ports, uint32_t lane)
{
    const struct ib_world *ib = shard->sim->ib;
    uint32_t ready = 0;

    for (uint32_t p = 0; p < shard->plane_count; p++) {
        uint32_t index = (shard->nics[nic].first_port + p) * ib->lane_count + lane;

        if (ready_ports >> p & 1 && ib_lane_permits(&ib->lanes[index], ib->packet_blocks))
            ready |= UINT32_C(1) << (p * ib->lane_count + lane);
    }
    return ready;
}

/* The lanes of a NIC take turns. */
bool ib_world_send(struct shard *shard, uint32_t nic, uint32_t ready_ports,
    struct roce_leaving *leaving, uint64_t now_ps)
{
    struct ib_world *ib = shard->sim->ib;
    struct ib_port *first = &ib->ports[shard->nics[nic].first_port];

    for (uint32_t i = 0; i < ib->lane_count; i++) {
        uint32_t lane = (first->turn + i) % ib->lane_count;
        uint32_t ready = ready_lanes(shard, nic, ready_ports, lane);
        uint32_t index;

        if (ready == 0 ||
            !roce_nic_send(shard->nics[nic].endpoint,
                (struct roce_ready){ .answers = ready, .data = ready }, leaving, now_ps))
            continue;
        index = shard->nics[nic].first_port * ib->lane_count + leaving->port;
        ib_credit_spend(&ib->lanes[index].credit,
            ib_credit_blocks(roce_packet_bytes(&leaving->packet, IB_HEADER_BYTES)));
        leaving->port /= ib->lane_count;
        first->turn = (lane + 1) % ib->lane_count;
        return true;
    }
    return false;
}

/* ---- the protocol ---------------------------------------------------------------------------- */

static const struct switch_policy *policy_of(const struct sim_config *config)
{
    (void)config;
    return &policy_ib;
}

static uint32_t ranges_of(const struct sim *sim, uint32_t depth)
{
    return protocol_roce.ranges(sim, depth);
}

static uint64_t packets_of(const struct sim *sim)
{
    return protocol_roce.packets(sim);
}

const struct protocol protocol_infiniband = {
    .endpoint = &endpoint_roce,
    .policy = policy_of,
    .check = check_settings,
    .init = init_world,
    .ranges = ranges_of,
    .packets = packets_of,
};

/* ---- figures --------------------------------------------------------------------------------- */

uint32_t ib_world_waiting(const struct sim *sim, uint32_t port)
{
    return sim->ib->ports[port].waiting_bytes;
}

bool sim_infiniband(const struct sim *sim, struct sim_infiniband *out)
{
    uint32_t peak = 0;

    *out = (struct sim_infiniband){ 0 };
    if (!sim->ib)
        return false;
    roce_world_count(sim, out->counters);
    for (uint32_t i = 0; i < sim->port_count; i++) {
        out->link_repeats += sim->ib->ports[i].repeats;
        out->credit_frames += sim->ib->ports[i].frames;
        out->waits += sim->ib->ports[i].waits;
    }
    for (uint32_t i = 0; i < sim->port_count * sim->ib->lane_count; i++)
        if (sim->ib->buffers[i].peak > peak)
            peak = sim->ib->buffers[i].peak;
    out->buffer_peak_bytes = (uint64_t)peak * IB_BLOCK_BYTES;
    out->lane_bytes = (uint64_t)sim->ib->lane_blocks * IB_BLOCK_BYTES;
    return true;
}
