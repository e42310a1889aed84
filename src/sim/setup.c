/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a simulation from its configuration. */
#include "sim/setup.h"

#include <assert.h>
#include <string.h>

#include "base/power.h"
#include "sim/actions.h"
#include "sim/agents.h"
#include "sim/group.h"
#include "sim/nic_model.h"
#include "sim/node_policy.h"
#include "sim/policy_buffer.h"
#include "sim/protocol.h"

enum {
    LINE = 64,
    WINDOW_PSNS_LEAST = 128,
    WINDOW_PSNS_MOST = 32768,
    PSNS_PER_MPR = 128,
};

/* Sets the parameters that the fabric determines. */
static void derive_parameters(struct sim *sim)
{
    const struct topology_config *fabric = &sim->topology->config;
    struct cc_settings settings;

    sim->parameters = sim->config.parameters;
    sim->parameters.link_bps = fabric->host_link.rate_bps * fabric->plane_count;
    sim->parameters.base_rtt =
        (sim->topology->base_rtt_ps + ENGINE_PS_PER_NS - 1) / ENGINE_PS_PER_NS;
    sim->parameters.slowest_bps = topology_slowest_bps(sim->topology);
    sim->parameters.share_bps = topology_share_bps(sim->topology);
    sim->parameters.network_trims = fabric->buffers.trims;
    sim->parameters.last_hop_ecn = fabric->buffers.marks && fabric->buffers.marks_hosts;
    transport_cc_settings(&sim->parameters, fabric->plane_count, &settings);
    cc_profile_init(&sim->cc, &settings);
}

static uint32_t window_psns(const struct sim *sim)
{
    uint32_t psns = sim->config.window_psns
                        ? sim->config.window_psns
                        : transport_mpr(&sim->parameters, &sim->cc) * (uint32_t)PSNS_PER_MPR;

    if (psns > WINDOW_PSNS_MOST)
        psns = WINDOW_PSNS_MOST;
    return psns > WINDOW_PSNS_LEAST ? power_of_two_at_least(psns) : WINDOW_PSNS_LEAST;
}

/* If the arena only measures, the group is `measured`. */
static void setup_group(struct sim *sim, struct arena *arena, struct group *measured)
{
    struct group *taken;

    if (!sim->config.group)
        return;
    assert(sim->shard_count > 1);
    taken = arena_take(arena, 1, sizeof(*taken), _Alignof(struct group));
    sim->group = taken ? taken : measured;
    group_init(sim->group, sim->config.group, sim->shard_count);
}

static void setup_faults(struct sim *sim, struct arena *arena)
{
    actions_init(sim, arena);
    fault_plan_init(&sim->faults, arena,
        &(struct fault_plan_config){ .fabric = sim->fabric,
            .seed = sim->config.seed,
            .faults = sim->config.faults,
            .fault_count = sim->config.fault_count,
            .generators = sim->config.generators,
            .generator_count = sim->config.generator_count,
            .until_ps = sim->config.duration_ps });
}

static void start_nics(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->nic_count; i++) {
        struct engine_nic *nic = &sim->nics[i];

        if (!group_has_node(sim, i))
            continue;
        nic->timer_ps = sim_engine_ps(sim->endpoint->deadline_ns(nic->endpoint));
        nic->turn_ps = nic->timer_ps < nic->work_ps ? nic->timer_ps : nic->work_ps;
        if (sim->agents && sim->agents->next_ps[i] < nic->turn_ps)
            nic->turn_ps = sim->agents->next_ps[i];
        if (nic->turn_ps != SIM_NEVER_PS)
            shard_wake(setup_shard_of(sim, i), i, nic->turn_ps);
    }
}

/* A test may have NICs or switches of its own. */
static void choose_protocol(struct sim *sim)
{
    sim->protocol = protocol_of(sim->config.protocol);
    sim->endpoint = sim->config.endpoint ? sim->config.endpoint : sim->protocol->endpoint;
    sim->policy = sim->config.policy;
    if (!sim->policy && sim->protocol->policy)
        sim->policy = sim->protocol->policy(&sim->config);
}

static struct sim *make_sim(
    struct arena *arena, const struct sim_config *config, size_t *scratch_bytes)
{
    union protocol_world measured_world = { 0 };
    struct sim measured;
    struct group measured_group;
    struct sim *taken = arena_take(arena, 1, sizeof(*taken), LINE);
    struct sim *sim = taken ? taken : &measured;

    /* captures and --wire support only packets of MRC */
    assert((!config->endpoint && config->protocol == SIM_MRC) ||
           (!config->wire && !config->observer.on_frame));
    /* frames and traces are observed as they occur */
    assert(
        config->shard_count <= 1 || (config->engine == SIM_WINDOWS && !config->observer.on_frame &&
                                        !config->observer.on_trace));
    memset(sim, 0, sizeof(*sim));
    sim->config = *config;
    choose_protocol(sim);
    sim->fabric = config->fabric;
    sim->topology = &config->fabric->topology;
    sim->nic_count = sim->topology->nic_count;
    sim->node_count = sim->nic_count + sim->topology->switch_count;
    sim->plane_count = sim->topology->config.plane_count;
    sim->shard_count = sim_shards_of(config);
    setup_group(sim, arena, &measured_group);
    derive_parameters(sim);
    sim->window_psns = window_psns(sim);
    if (sim->protocol->init)
        sim->protocol->init(sim, arena, &measured_world);
    policy_buffer_init(sim, arena);
    setup_fabric(sim, arena);
    node_policy_init(sim, arena);
    setup_work(sim, arena);
    nic_model_init(sim, arena);
    sim->has_slow_arrivals = sim->policy || sim->nic_models;
    sim->endpoint->setup(sim, arena);
    agents_init(sim, arena);
    setup_faults(sim, arena);
    *scratch_bytes = setup_shards_engine(sim, arena);
    if (taken)
        start_nics(taken);
    return taken;
}

struct sim *sim_init(struct arena *arena, const struct sim_config *config)
{
    size_t scratch_bytes;

    return make_sim(arena, config, &scratch_bytes);
}

size_t sim_measure(struct arena *arena, const struct sim_config *config)
{
    size_t scratch_bytes;

    make_sim(arena, config, &scratch_bytes);
    return scratch_bytes;
}
