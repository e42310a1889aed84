/* SPDX-License-Identifier: Apache-2.0 */
/* The guarantees of the transport, and the time from which a case is judged. */
#include "capacity/capacity.h"
#include "study/hunt.h"

#define US(count) ((count)*UINT64_C(1000000))
#define MS(count) ((count)*UINT64_C(1000000000))

#define PACKET_BYTES  UINT64_C(4224) /* a full packet on the wire */
#define HEADER_BYTES  128
#define LOSSY_PERCENT 1

enum {
    SETTLE_RTTS = 50,
    SETTLE_PACKETS = 200,
    TIMEOUT_RTTS = 25,
    BDPS_HELD = 2,
    BDPS_POSTED = 4,
    PSNS_PER_MPR = 128,
    MPR_MOST = 255,
    STEPS_PER_SAMPLE = 4,
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* Returns the rate of the slowest link, including exceptions and slow faults. */
static uint64_t narrowest_bps_of(const struct study_trial *trial, const struct topology *topology)
{
    uint64_t narrowest_bps = topology_slowest_bps(topology);

    for (uint32_t i = 0; i < trial->exception_count; i++)
        if (!trial->exceptions[i].missing)
            narrowest_bps = smaller(narrowest_bps, trial->exceptions[i].rate_bps);
    for (uint32_t i = 0; i < trial->fault_count; i++)
        narrowest_bps = fault_rate_bps(&trial->faults[i], narrowest_bps);
    return narrowest_bps;
}

static uint64_t nic_bps(const struct study_trial *trial, uint32_t nic)
{
    uint64_t sum_bps = trial->wiring.plane_count * trial->wiring.host_link.rate_bps;

    for (uint32_t i = 0; i < trial->exception_count; i++) {
        const struct topology_exception *exception = &trial->exceptions[i];

        if (exception->link.kind == TOPOLOGY_HOST_LINK && exception->link.nic == nic)
            sum_bps += exception->rate_bps - trial->wiring.host_link.rate_bps;
    }
    return sum_bps;
}

static uint64_t fastest_bps(const struct study_trial *trial)
{
    uint64_t most_bps = 0;

    for (uint32_t nic = 0; nic < trial->wiring.nic_count; nic++)
        most_bps = larger(most_bps, nic_bps(trial, nic));
    return most_bps;
}

/* Computed in ns and Mb/s, so that products fit. */
static uint64_t carried_bytes(uint64_t rate_bps, uint64_t time_ps)
{
    return rate_bps / 1000000 * (time_ps / 1000) / 8000;
}

uint64_t hunt_bdp_bytes(const struct study_trial *trial, const struct topology *topology)
{
    return carried_bytes(fastest_bps(trial), topology->base_rtt_ps);
}

/* ---- times ----------------------------------------------------------------------------------- */

uint64_t hunt_settle_ps(const struct study_trial *trial, const struct topology *topology)
{
    uint64_t packet_ps =
        PACKET_BYTES * 8 * (SIM_PS_PER_S / 1000000) / (narrowest_bps_of(trial, topology) / 1000000);

    return larger(MS(1), larger(SETTLE_RTTS * topology->base_rtt_ps, SETTLE_PACKETS * packet_ps));
}

static uint64_t last_change_ps(const struct study_trial *trial)
{
    uint64_t last_ps = 0;

    for (uint32_t i = 0; i < trial->fault_count; i++) {
        const struct fault *fault = &trial->faults[i];

        last_ps =
            larger(last_ps, fault->until_ps == SIM_NEVER_PS ? fault->from_ps : fault->until_ps);
    }
    return last_ps;
}

/* Phases and samples begin at steps of the capacity, so that mrc sim stops at the same times as the
 * hunt. */
void hunt_time(struct study_trial *trial, const struct plan *fabric)
{
    const struct sim_config config = { .fabric = fabric,
        .workloads = trial->workloads,
        .workload_count = trial->workload_count,
        .faults = trial->faults,
        .fault_count = trial->fault_count };
    uint64_t step_ps = capacity_step_ps(&config);
    uint64_t settle_ps = hunt_settle_ps(trial, &fabric->topology);
    uint64_t settled_ps = last_change_ps(trial) + settle_ps;

    trial->settled_ps = (settled_ps + step_ps - 1) / step_ps * step_ps;
    trial->duration_ps = trial->settled_ps + (settle_ps + step_ps - 1) / step_ps * step_ps;
    trial->sample_ps = STEPS_PER_SAMPLE * step_ps;
}

/* ---- effort ---------------------------------------------------------------------------------- */

static uint64_t offered_bps(const struct sim_workload *workload, const struct study_trial *trial)
{
    uint64_t bps = fastest_bps(trial);

    return workload->kind == SIM_INCAST ? bps : bps * workload->rank_count;
}

uint64_t hunt_hops(const struct study_trial *trial, const struct sim_config *config)
{
    uint32_t packet_bytes = (uint32_t)config->parameters.pmtu + HEADER_BYTES;
    uint64_t hops_tenths = topology_leaf_count(&config->fabric->topology) > 1 ? 44 : 22;
    uint64_t sum_bps = 0;

    for (uint32_t i = 0; i < trial->workload_count; i++)
        sum_bps += offered_bps(&trial->workloads[i], trial);
    return carried_bytes(sum_bps, trial->duration_ps) / packet_bytes * hops_tenths / 10;
}

/* ---- guarantees ------------------------------------------------------------------------------ */

/* Returns the bytes that a pair of ranks has posted at once. */
static uint64_t posted_bytes(const struct sim_workload *workload)
{
    if (sim_workload_is(workload->kind, SIM_STEADY))
        return workload->message_bytes * workload->outstanding * workload->qps;
    if (sim_workload_is(sim_workload_pattern(workload), SIM_DIVIDED))
        return workload->message_bytes / workload->rank_count;
    return workload->message_bytes;
}

bool hunt_is_fair(
    const struct study_trial *trial, const struct sim_config *config, uint64_t hops_max)
{
    uint64_t bdp = hunt_bdp_bytes(trial, &config->fabric->topology);
    uint64_t mpr = config->parameters.mpr ? config->parameters.mpr : MPR_MOST;
    uint64_t held = mpr * PSNS_PER_MPR * config->parameters.pmtu;

    for (uint32_t i = 0; i < trial->workload_count; i++) {
        const struct sim_workload *workload = &trial->workloads[i];

        if (workload->iterations != 0 || sim_message_bytes(workload) < HUNT_MESSAGE_BYTES_MIN ||
            posted_bytes(workload) < BDPS_POSTED * bdp ||
            (held > 0 && held * workload->qps < BDPS_HELD * bdp))
            return false;
    }
    return hunt_hops(trial, config) <= hops_max;
}

bool hunt_has_small_buffers(const struct study_trial *trial, const struct topology *topology)
{
    const struct topology_buffers *buffers = &topology->config.buffers;

    return !buffers->trims &&
           (buffers->data_bytes <
                   carried_bytes(trial->wiring.uplink.rate_bps, topology->base_rtt_ps) ||
               buffers->host_data_bytes <
                   carried_bytes(trial->wiring.host_link.rate_bps, topology->base_rtt_ps));
}

static uint32_t planes_of(const struct topology_element *element)
{
    return element->kind == TOPOLOGY_NIC ? UINT32_MAX : UINT32_C(1) << element->plane;
}

bool hunt_has_intact_plane(const struct study_trial *trial)
{
    uint32_t intact = (UINT32_C(1) << trial->wiring.plane_count) - 1;

    for (uint32_t i = 0; i < trial->exception_count; i++)
        if (trial->exceptions[i].missing)
            intact &= ~planes_of(&trial->exceptions[i].link);
    for (uint32_t i = 0; i < trial->fault_count; i++)
        for (uint32_t k = 0; k < trial->faults[i].where_count; k++)
            intact &= ~planes_of(&trial->where[i][k]);
    return intact != 0;
}

/* Returns true if random loss is at most 1 % in each direction everywhere. */
static bool loses_little(const struct study_trial *trial)
{
    for (uint32_t i = 0; i < trial->fault_count; i++) {
        uint64_t lost = fault_lost_share(&trial->faults[i]);

        if (lost < FAULT_CERTAIN && lost > UINT32_MAX / 100 * LOSSY_PERCENT)
            return false;
    }
    return true;
}

bool hunt_forbids_timeouts(const struct study_trial *trial, const struct sim_config *config)
{
    uint64_t timeout_ps = UINT64_C(1024000) << config->parameters.timeout;

    return hunt_has_intact_plane(trial) && loses_little(trial) &&
           timeout_ps >= TIMEOUT_RTTS * config->fabric->topology.base_rtt_ps;
}
