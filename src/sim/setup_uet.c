/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up NICs of UET: for each flow a connection over all ways between its two NICs.
 *
 * What a NIC takes is proportional to its numbers. To measure, one NIC has all connections. */
#include "sim/setup.h"
#include "sim/uet_world.h"
#include "sim/ways.h"
#include "sim/workload.h"

enum {
    ALIGNMENT = 8,
    NIC_ARRAYS = 8, /* besides one for each port; each is padded by less than ALIGNMENT */
    STREAM_OF_ENTROPY = 6,
};

static uint32_t rank_nic(const struct sim *sim, uint32_t rank)
{
    return sim->ranks[rank].nic;
}

static void count_flow(struct uet_nic_config *from, struct uet_nic_config *to, uint32_t depth)
{
    from->outlet_count++;
    from->event_count += depth;
    to->inlet_count++;
    to->event_count += depth;
}

/* ---- connections ----------------------------------------------------------------------------- */

/* Both ends have the same ways, in opposite directions. */
static void connect_ends(struct sim *sim, struct arena *arena, const struct engine_flow *flow,
    struct uet_peer *there, struct uet_peer *back)
{
    uint32_t from = rank_nic(sim, flow->from);
    uint32_t to = rank_nic(sim, flow->to);
    struct way ways[TOPOLOGY_PLANES_MAX];
    uint32_t count = ways_find(sim, from, to, ways);

    there->nic = to;
    there->ways = arena_take(arena, sim->plane_count, sizeof(*there->ways), ALIGNMENT);
    back->nic = from;
    back->ways = arena_take(arena, sim->plane_count, sizeof(*back->ways), ALIGNMENT);
    there->way_count = count < sim->uet->profile.paths ? count : sim->uet->profile.paths;
    back->way_count = there->way_count;
    for (uint32_t i = 0; i < there->way_count; i++) {
        there->ways[i] = (struct uet_way){ .port = ways[i].from_port,
            .label = ways_label(sim, from, to, ways[i].to_port, 0) };
        back->ways[i] = (struct uet_way){ .port = ways[i].to_port,
            .label = ways_label(sim, to, from, ways[i].from_port, 0) };
    }
}

/* `outlet_index`, `inlet_index`: the next free places at the two NICs. */
static void connect_flow(struct sim *sim, struct arena *arena, uint32_t index,
    uint32_t *outlet_index, uint32_t *inlet_index)
{
    const struct engine_flow *flow = &sim->flows[index];
    const struct uet_profile *profile = &sim->uet->profile;
    struct uet_outlet *outlet = &sim->uet->nics[rank_nic(sim, flow->from)].outlets[*outlet_index];
    struct uet_inlet *inlet = &sim->uet->nics[rank_nic(sim, flow->to)].inlets[*inlet_index];
    struct prng prng = prng_stream(sim->config.seed, (uint64_t)STREAM_OF_ENTROPY << 40 | index);
    uint16_t source_port = (uint16_t)prng_next(&prng);

    outlet->peer =
        (struct uet_peer){ .flow = index, .dest = *inlet_index, .source_port = source_port };
    inlet->peer =
        (struct uet_peer){ .flow = index, .dest = *outlet_index, .source_port = source_port };
    connect_ends(sim, arena, flow, &outlet->peer, &inlet->peer);
    uet_sender_init(&outlet->sender, arena, profile, flow->depth, prng);
    uet_receiver_init(&inlet->receiver, arena, profile, flow->depth);
    cc_on_link_rate(
        &outlet->sender.nscc, sim->topology->config.host_link.rate_bps * outlet->peer.way_count);
    sim->uet->outlets[index] = (*outlet_index)++;
    (*inlet_index)++;
}

static void make_nics(struct sim *sim, struct arena *arena, struct uet_nic_config *configs)
{
    for (uint32_t i = 0; i < sim->flow_count; i++)
        count_flow(&configs[rank_nic(sim, sim->flows[i].from)],
            &configs[rank_nic(sim, sim->flows[i].to)], sim->flows[i].depth);
    for (uint32_t i = 0; i < sim->nic_count; i++) {
        configs[i].nic = i;
        configs[i].port_count = sim->plane_count;
        uet_nic_init(&sim->uet->nics[i], arena, &sim->uet->profile, &configs[i]);
        sim->nics[i].endpoint = &sim->uet->nics[i];
        configs[i].outlet_count = 0; /* from here on: those that are connected */
        configs[i].inlet_count = 0;
    }
    for (uint32_t i = 0; i < sim->flow_count; i++)
        connect_flow(sim, arena, i, &configs[rank_nic(sim, sim->flows[i].from)].outlet_count,
            &configs[rank_nic(sim, sim->flows[i].to)].inlet_count);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void measure_flows(
    const struct sim *sim, struct arena *arena, uint32_t count, uint32_t depth)
{
    const struct uet_profile *profile = &sim->uet->profile;

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t end = 0; end < 2; end++)
            arena_take(arena, sim->plane_count, sizeof(struct uet_way), ALIGNMENT);
        uet_sender_init(NULL, arena, profile, depth, (struct prng){ 0 });
        uet_receiver_init(NULL, arena, profile, depth);
    }
}

static void measure_all(const struct sim *sim, struct arena *arena)
{
    struct uet_nic_config config = { .port_count = sim->plane_count };

    for (uint32_t nic = 1; nic < sim->nic_count; nic++)
        uet_nic_init(NULL, arena, &sim->uet->profile, &config);
    for (uint32_t w = 0; w < sim->config.workload_count; w++) {
        const struct sim_workload *workload = &sim->config.workloads[w];
        uint32_t depth = workload_outstanding_max(workload);
        uint32_t count = workload_flow_count(workload);

        depth = depth > 0 ? depth : 1;
        for (uint32_t i = 0; i < count; i++)
            count_flow(&config, &config, depth);
        measure_flows(sim, arena, count, depth);
    }
    uet_nic_init(NULL, arena, &sim->uet->profile, &config);
    arena_take(
        arena, sim->nic_count, (NIC_ARRAYS + (size_t)sim->plane_count) * ALIGNMENT, ALIGNMENT);
}

void setup_uet(struct sim *sim, struct arena *arena)
{
    struct uet_world *uet = sim->uet;
    struct uet_nic_config *configs;

    ecmp_init(&uet->ecmp, arena, sim->topology,
        &(struct ecmp_config){
            .seed = sim->config.seed, .is_polarised = sim->config.uet.polarised });
    sim->ecmp = &uet->ecmp;
    uet->nics = arena_take(arena, sim->nic_count, sizeof(*uet->nics), ALIGNMENT);
    uet->outlets = arena_take(arena, sim->flow_count, sizeof(*uet->outlets), ALIGNMENT);
    configs = arena_take(arena, sim->nic_count, sizeof(*configs), ALIGNMENT);
    if (arena->memory)
        make_nics(sim, arena, configs);
    else
        measure_all(sim, arena);
}
