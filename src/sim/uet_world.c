/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from the fabric for all NICs and switches of UET, and their figures. */
#include "sim/uet_world.h"

#include "sim/policy_buffer.h"
#include "sim/policy_ecmp.h"
#include "sim/protocol.h"
#include "sim/setup.h"

enum {
    PACKETS_PER_NIC = 256,
    PACKETS_PER_FLOW = 16,
};

static struct uet_fabric fabric_of(const struct sim *sim)
{
    const struct topology_config *config = &sim->topology->config;

    return (struct uet_fabric){ .mtu_bytes = (uint32_t)sim->parameters.pmtu,
        .framing_bytes = config->framing_bytes,
        .line_bps = config->host_link.rate_bps * config->plane_count,
        .base_rtt_ps = sim->topology->base_rtt_ps,
        .trims = config->buffers.trims };
}

/* Returns the maximum number of packets that one connection has posted. */
static uint64_t posted_packets(const struct sim *sim)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < sim->config.workload_count; i++) {
        const struct sim_workload *workload = &sim->config.workloads[i];
        uint64_t each = workload_largest_bytes(workload) / sim->parameters.pmtu + 1;
        uint64_t packets = each * setup_queue_depth(workload);

        most = packets > most ? packets : most;
    }
    return most;
}

static void init_world(struct sim *sim, struct arena *arena, union protocol_world *measured)
{
    struct uet_fabric fabric = fabric_of(sim);

    sim->uet = arena_take(arena, 1, sizeof(*sim->uet), _Alignof(struct uet_world));
    if (!sim->uet)
        sim->uet = &measured->uet;
    sim->uet->profile = uet_profile_of(&sim->config.uet, &fabric);
    uet_profile_limit(&sim->uet->profile, posted_packets(sim));
}

static uint32_t ranges_of(const struct sim *sim, uint32_t depth)
{
    (void)depth;
    return sim->uet->profile.window_packets;
}

/* All sequence numbers of all connections may be in flight, and as many answers. */
static uint64_t packets_of(const struct sim *sim)
{
    return (uint64_t)sim->nic_count * PACKETS_PER_NIC +
           (uint64_t)sim->flow_count * (2 * sim->uet->profile.window_packets + PACKETS_PER_FLOW);
}

/* ---- switches -------------------------------------------------------------------------------- */

static const struct switch_policy policy_window = { .marks_hosts = true,
    .forward = policy_ecmp_forward,
    .admit = policy_buffer_admit,
    .sent = policy_buffer_release,
    .lost = policy_buffer_release };

static const struct switch_policy policy_credits = { .forward = policy_ecmp_forward,
    .admit = policy_buffer_admit,
    .sent = policy_buffer_release,
    .lost = policy_buffer_release };

/* With credits, the receiver controls the port to it, and marks there would slow down twice. */
static const struct switch_policy *policy_of(const struct sim_config *config)
{
    return config->uet.cc == UET_CC_NSCC ? &policy_window : &policy_credits;
}

static bool check_settings(const struct sim_config *config, struct problem *problem)
{
    return uet_settings_check(&config->uet, problem);
}

const struct protocol protocol_uet = {
    .endpoint = &endpoint_uet,
    .policy = policy_of,
    .check = check_settings,
    .init = init_world,
    .ranges = ranges_of,
    .packets = packets_of,
};

/* ---- figures --------------------------------------------------------------------------------- */

bool sim_uet(const struct sim *sim, struct sim_uet *out)
{
    *out = (struct sim_uet){ 0 };
    if (!sim->uet)
        return false;
    for (uint32_t nic = 0; nic < sim->nic_count; nic++)
        for (uint32_t i = 0; i < UET_COUNTER_COUNT; i++)
            out->counters[i] += sim->uet->nics[nic].counters[i];
    return true;
}
