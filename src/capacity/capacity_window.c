/* SPDX-License-Identifier: Apache-2.0 */
/* How long windows and steps are. */
#include "capacity/capacity.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t narrowest_bps(const struct sim_config *config)
{
    uint64_t bps = topology_narrowest_bps(&config->fabric->topology);

    for (uint32_t i = 0; i < config->fault_count; i++)
        bps = fault_rate_bps(&config->faults[i], bps);
    return bps;
}

/* Returns the time of a full packet on the narrowest link. */
static uint64_t packet_ps(const struct sim_config *config)
{
    enum { BITS = 4224 * 8, MILLION = 1000000 };

    return BITS * (SIM_PS_PER_S / MILLION) / (narrowest_bps(config) / MILLION);
}

uint64_t capacity_window_ps(const struct sim_config *config)
{
    enum { LEAST_PS = 20000000, RTTS = 4, PACKETS = 64 };

    return larger(
        LEAST_PS, larger(RTTS * config->fabric->topology.base_rtt_ps, PACKETS * packet_ps(config)));
}

uint64_t capacity_step_ps(const struct sim_config *config)
{
    enum { STEPS = 4, STEPS_OF_COLLECTIVES = 32 };
    uint32_t steps = STEPS;

    for (uint32_t i = 0; i < config->workload_count; i++)
        if (!sim_workload_is(config->workloads[i].kind, SIM_STEADY))
            steps = STEPS_OF_COLLECTIVES;
    return capacity_window_ps(config) / steps;
}
