/* SPDX-License-Identifier: Apache-2.0 */
/* Follows what the ranks of rings hold. */
#include "capacity/capacity_ring.h"

#include "capacity/capacity_cache.h"

enum {
    ROUNDS = 2, /* what is true of a pair reaches every pair of its ring in two */
    STEPS_OF_CHUNK = 2,
    STEPS_AHEAD = 4,
};

/* ---- rings ----------------------------------------------------------------------------------- */

static bool is_ring(const struct sim_workload *workload)
{
    enum sim_workload_kind pattern = sim_workload_pattern(workload);

    return pattern == SIM_ALL_REDUCE || pattern == SIM_REDUCE_SCATTER || pattern == SIM_ALL_GATHER;
}

/* Returns what a pair that does well may have under way: two round trips and some packets on each
 * link. */
static double under_way_bits(const struct topology *topology, double nic_bps)
{
    enum { ROUND_TRIPS = 2, PACKETS = 4, PACKET_BITS = 4224 * 8 };
    double base_rtt_s = (double)topology->base_rtt_ps / (double)SIM_PS_PER_S;

    return ROUND_TRIPS * base_rtt_s * nic_bps +
           (double)PACKETS * PACKET_BITS * topology->config.plane_count;
}

static struct capacity_forward forward_of(
    const struct sim_config *config, const struct sim_workload *workload)
{
    const struct topology_config *fabric = &config->fabric->topology.config;
    double nic_bps = (double)fabric->host_link.rate_bps * fabric->plane_count;
    double step_s = (double)capacity_step_ps(config) / (double)SIM_PS_PER_S;
    double chunk_bits = 8 * (double)workload->message_bytes / workload->rank_count;

    return (struct capacity_forward){ .chunk_bits = chunk_bits,
        .step_bits = nic_bps * step_s,
        .slack_bits =
            chunk_bits / workload->outstanding + under_way_bits(&config->fabric->topology, nic_bps),
        .given_bits = chunk_bits };
}

/* Pair i of a ring leads from rank i to the next one. */
static void add_ring(struct capacity_forward *forwards, uint32_t first, uint32_t count,
    const struct capacity_forward *each)
{
    for (uint32_t i = 0; i < count; i++) {
        forwards[first + i] = *each;
        forwards[first + i].feeder = first + (i ? i - 1 : count - 1) + 1;
    }
}

bool capacity_ring_find(struct capacity_forward *forwards, const struct capacity_pair *pairs,
    uint32_t pair_count, const struct sim_config *config)
{
    bool is_found = false;

    for (uint32_t first = 0; first < pair_count;) {
        const struct sim_workload *workload = &config->workloads[pairs[first].workload];
        struct capacity_forward each = forward_of(config, workload);
        uint32_t count = 1;

        while (first + count < pair_count && pairs[first + count].workload == pairs[first].workload)
            count++;
        if (is_ring(workload) && each.chunk_bits >= STEPS_OF_CHUNK * each.step_bits) {
            add_ring(forwards, first, count, &each);
            is_found = true;
        }
        first += count;
    }
    for (uint32_t i = 0; i < pair_count; i++)
        if (pairs[i].group != i)
            forwards[i].is_shared = forwards[pairs[i].group].is_shared = true;
    return is_found;
}

/* ---- following ------------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double fed_bits(const struct capacity_forward *forwards, uint32_t pair)
{
    return forwards[pair].chunk_bits + forwards[forwards[pair].feeder - 1].fluid_bits;
}

void capacity_ring_flow(struct capacity_forward *forwards, uint32_t pair_count,
    const double *rate_bps, const double *due_bits, double time_s)
{
    for (uint32_t i = 0; i < pair_count; i++) {
        forwards[i].before_bits = forwards[i].fluid_bits;
        forwards[i].fluid_bits += rate_bps[i] * time_s;
    }
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < pair_count; i++)
            if (forwards[i].feeder)
                forwards[i].fluid_bits = larger(forwards[i].before_bits,
                    smaller(forwards[i].fluid_bits, fed_bits(forwards, i)));
    for (uint32_t i = 0; i < pair_count; i++) {
        forwards[i].fluid_bits = larger(forwards[i].fluid_bits, forwards[i].placed_bits);
        if (!forwards[i].is_shared)
            forwards[i].fluid_bits = larger(forwards[i].fluid_bits, due_bits[i]);
    }
}

/* Returns the bits of a rank that its pair was not due before. */
static double held_bits(
    struct capacity_forward *forward, const struct capacity_forward *feeder, double due)
{
    double there = forward->chunk_bits + feeder->placed_bits - forward->placed_bits;
    double held = forward->given_bits + feeder->fluid_bits - due;
    double most = there + forward->slack_bits + STEPS_AHEAD * forward->step_bits;
    double near = smaller(larger(held, there - forward->slack_bits), most);

    forward->given_bits += near - held;
    return near;
}

void capacity_ring_tie(
    struct capacity_forward *forwards, uint32_t pair_count, const double *due_bits)
{
    for (uint32_t i = 0; i < pair_count; i++) {
        struct capacity_forward *forward = &forwards[i];
        double held;

        if (forward->feeder == 0 || forward->is_shared)
            continue;
        held = held_bits(forward, &forwards[forward->feeder - 1], due_bits[i]);
        if (held < forward->step_bits / 2)
            forward->is_tied = true;
        else if (held > forward->step_bits)
            forward->is_tied = false;
    }
}

void capacity_ring_starve(
    const struct capacity_forward *forwards, uint32_t pair_count, bool *is_outstanding)
{
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < pair_count; i++)
            if (forwards[i].is_tied && !is_outstanding[forwards[i].feeder - 1])
                is_outstanding[i] = false;
}

void capacity_ring_limit(
    const struct capacity_forward *forwards, uint32_t pair_count, double *rate_bps)
{
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < pair_count; i++)
            if (forwards[i].is_tied)
                rate_bps[i] = smaller(rate_bps[i], rate_bps[forwards[i].feeder - 1]);
}
