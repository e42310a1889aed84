/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from the fabric for all NICs of RoCEv2, and their figures. */
#include "sim/roce_world.h"

enum {
    PACKETS_PER_NIC = 256,
    PACKETS_PER_QP = 8,
};

static struct roce_fabric fabric_of(const struct sim *sim)
{
    const struct topology_config *config = &sim->topology->config;

    return (struct roce_fabric){ .mtu_bytes = (uint32_t)sim->parameters.pmtu,
        .framing_bytes = config->framing_bytes,
        .line_bps = config->host_link.rate_bps,
        .base_rtt_ps = sim->topology->base_rtt_ps };
}

void roce_world_init(struct sim *sim, struct arena *arena, struct roce_world *measured)
{
    struct roce_fabric fabric = fabric_of(sim);

    sim->roce = arena_take(arena, 1, sizeof(*sim->roce), _Alignof(struct roce_world));
    if (!sim->roce)
        sim->roce = measured;
    sim->roce->profile = roce_profile_of(&sim->config.roce, &fabric);
}

uint32_t roce_world_ranges(const struct sim *sim, uint32_t depth)
{
    const struct roce_profile *profile = &sim->roce->profile;
    uint32_t pieces = profile->qps * sim->plane_count;

    return pieces * (depth + (profile->selective ? profile->window_packets : 0));
}

/* Queues, as if each were full of whole packets twice, and the links. */
uint64_t roce_world_packets(const struct sim *sim)
{
    const struct topology_config *config = &sim->topology->config;
    const struct topology_buffers *buffers = &config->buffers;
    uint64_t queue = buffers->data_bytes > buffers->host_data_bytes ? buffers->data_bytes
                                                                    : buffers->host_data_bytes;
    double path =
        (double)config->host_link.rate_bps / 8 * (double)sim->topology->base_rtt_ps / 1e12;
    uint64_t on_path = (uint64_t)(path / (double)sim->parameters.pmtu) + 1;
    uint64_t ports = sim->port_count;

    return ports * (2 * queue / sim->parameters.pmtu + 4) +
           (uint64_t)sim->nic_count * (PACKETS_PER_NIC + 4 * on_path * sim->plane_count) +
           (uint64_t)sim->flow_count * sim->plane_count * sim->roce->profile.qps * PACKETS_PER_QP;
}

bool sim_roce(const struct sim *sim, struct sim_roce *out)
{
    *out = (struct sim_roce){ 0 };
    if (!sim->roce)
        return false;
    for (uint32_t nic = 0; nic < sim->nic_count; nic++)
        for (uint32_t i = 0; i < ROCE_COUNTER_COUNT; i++)
            out->counters[i] += sim->roce->nics[nic].counters[i];
    for (uint32_t i = 0; sim->config.roce.pfc && i < sim->topology->switch_count; i++) {
        const struct pfc *pfc = &sim->roce->switches[i].pfc;

        out->pauses += pfc->pause_count;
        if (pfc->peak_bytes > out->headroom_peak_bytes)
            out->headroom_peak_bytes = pfc->peak_bytes;
    }
    return true;
}
