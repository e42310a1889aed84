/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from the fabric for all NICs of RoCEv2, and their figures. */
#include "sim/roce_world.h"

#include "sim/protocol.h"
#include "sim/setup.h"

enum {
    PACKETS_PER_NIC = 256,
    PACKETS_PER_QP = 8,
    FRAMES_PER_PORT = 32, /* InfiniBand: that return credit */
};

static struct roce_fabric fabric_of(const struct sim *sim)
{
    const struct topology_config *config = &sim->topology->config;

    return (struct roce_fabric){ .mtu_bytes = (uint32_t)sim->parameters.pmtu,
        .framing_bytes = setup_framing_bytes(sim),
        .line_bps = config->host_link.rate_bps,
        .base_rtt_ps = sim->topology->base_rtt_ps };
}

static void init_world(struct sim *sim, struct arena *arena, union protocol_world *measured)
{
    struct roce_fabric fabric = fabric_of(sim);

    sim->roce = arena_take(arena, 1, sizeof(*sim->roce), _Alignof(struct roce_world));
    if (!sim->roce)
        sim->roce = &measured->roce;
    sim->roce->profile = sim->ib ? ib_settings_profile(&sim->config.infiniband, &fabric)
                                 : roce_profile_of(&sim->config.roce, &fabric);
}

static uint32_t ranges_of(const struct sim *sim, uint32_t depth)
{
    const struct roce_profile *profile = &sim->roce->profile;
    uint32_t pieces = profile->qps * sim->plane_count;

    return pieces * (depth + (roce_profile_keeps_early(profile) ? profile->window_packets : 0));
}

/* Queues, as if each were full of whole packets twice, and the links. */
static uint64_t packets_of(const struct sim *sim)
{
    const struct topology_config *config = &sim->topology->config;
    const struct topology_buffers *buffers = &config->buffers;
    uint64_t queue = buffers->data_bytes > buffers->host_data_bytes ? buffers->data_bytes
                                                                    : buffers->host_data_bytes;
    uint64_t held = sim->ib ? sim->config.infiniband.buffer_bytes : queue;
    double path =
        (double)config->host_link.rate_bps / 8 * (double)sim->topology->base_rtt_ps / 1e12;
    uint64_t on_path = (uint64_t)(path / (double)sim->parameters.pmtu) + 1;
    uint64_t ports = sim->port_count;

    return ports * (2 * held / sim->parameters.pmtu + (sim->ib ? FRAMES_PER_PORT : 0) + 4) +
           (uint64_t)sim->nic_count * (PACKETS_PER_NIC + 4 * on_path * sim->plane_count) +
           (uint64_t)sim->flow_count * sim->plane_count * sim->roce->profile.qps * PACKETS_PER_QP;
}

static const struct switch_policy *policy_of(const struct sim_config *config)
{
    return config->roce.pfc ? &policy_roce_lossless : &policy_roce;
}

static bool check_settings(const struct sim_config *config, struct problem *problem)
{
    return roce_settings_check(&config->roce, problem) && policy_roce_check(config, problem);
}

const struct protocol protocol_roce = {
    .endpoint = &endpoint_roce,
    .policy = policy_of,
    .check = check_settings,
    .init = init_world,
    .ranges = ranges_of,
    .packets = packets_of,
};

void roce_world_count(const struct sim *sim, uint64_t counters[static ROCE_COUNTER_COUNT])
{
    for (uint32_t nic = 0; nic < sim->nic_count; nic++)
        for (uint32_t i = 0; i < ROCE_COUNTER_COUNT; i++)
            counters[i] += sim->roce->nics[nic].counters[i];
}

bool sim_roce(const struct sim *sim, struct sim_roce *out)
{
    *out = (struct sim_roce){ 0 };
    if (!sim->roce || sim->ib)
        return false;
    out->routing_messages = sim->roce->routing.convergence.messages;
    roce_world_count(sim, out->counters);
    for (uint32_t i = 0; sim->config.roce.pfc && i < sim->topology->switch_count; i++) {
        const struct pfc *pfc = &sim->roce->pfcs[i];

        out->pauses += pfc->pause_count;
        if (pfc->peak_bytes > out->headroom_peak_bytes)
            out->headroom_peak_bytes = pfc->peak_bytes;
        if (pfc->config.buffer_bytes - pfc->pool_bytes > out->headroom_bytes)
            out->headroom_bytes = pfc->config.buffer_bytes - pfc->pool_bytes;
        out->storms += sim->roce->watches[i].storm_count;
        out->watchdog_dropped += sim->roce->watches[i].dropped;
    }
    return true;
}
