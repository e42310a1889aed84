/* SPDX-License-Identifier: Apache-2.0 */
/* The random times of convergence, and the work of a subnet manager. Only additions and
 * multiplications, so that every machine draws the same values. */
#include "base/prng.h"
#include "rival/routing/convergence.h"

#include <stddef.h>

#define PS_PER_US UINT64_C(1000000)

enum {
    PREFIX_US = 20, /* to write one destination into a table */
    SMP_US = 50,    /* round trip of a management packet */
    SMPS_AT_ONCE = 4,
    LIDS_PER_SMP = 64,
    SMPS_PER_PORT = 2,
    COMPUTE_US = 100, /* per switch */
    NORMAL_SUM = 12,  /* uniform numbers whose sum has a standard deviation of 1 */
    SQUARINGS = 12,
};

const char *const convergence_set_words[CONVERGENCE_SET_COUNT + 1] = {
#define CONVERGENCE_SET(ID, name, least, most, silence, repair, repair_spread, notice,             \
    notice_spread, table, hold, late, late_least, late_most, meaning)                              \
    name,
#include "rival/routing/convergence_sets.def"
    NULL,
};

struct constants {
    uint32_t detection_least_us;
    uint32_t detection_most_us;
    uint32_t silence_us;
    uint32_t repair_us;
    uint32_t repair_percent;
    uint32_t notice_us;
    uint32_t notice_percent;
    uint32_t table_us;
    uint32_t hold_us;
    uint32_t late_permille;
    uint32_t late_least_us;
    uint32_t late_most_us;
};

static const struct constants sets[CONVERGENCE_SET_COUNT] = {
#define CONVERGENCE_SET(ID, name, least, most, silence, repair, repair_spread, notice,             \
    notice_spread, table, hold, late, late_least, late_most, meaning)                              \
    { least, most, silence, repair, repair_spread, notice, notice_spread, table, hold, late,       \
        late_least, late_most },
#include "rival/routing/convergence_sets.def"
};

static double uniform(struct prng *prng)
{
    return (double)(prng_next(prng) >> 11) / (double)(UINT64_C(1) << 53);
}

static uint64_t between_ps(uint32_t least_us, uint32_t most_us, struct prng *prng)
{
    return (uint64_t)((least_us + (most_us - least_us) * uniform(prng)) * (double)PS_PER_US);
}

/* (1 + x / 2^n)^(2^n) is e^x, to a thousandth for the x that occur. */
static double exponential(double x)
{
    double power = 1 + x / (1 << SQUARINGS);

    for (uint32_t i = 0; i < SQUARINGS; i++)
        power *= power;
    return power;
}

/* A log-normal time: median times e^(spread z), z normal. */
static uint64_t about_ps(uint32_t median_us, uint32_t spread_percent, struct prng *prng)
{
    double z = -NORMAL_SUM / 2.0;

    for (uint32_t i = 0; i < NORMAL_SUM; i++)
        z += uniform(prng);
    return (uint64_t)(median_us * (double)PS_PER_US * exponential(z * spread_percent / 100));
}

uint64_t convergence_detection_ps(enum convergence_set set, struct prng *prng)
{
    return between_ps(sets[set].detection_least_us, sets[set].detection_most_us, prng);
}

uint64_t convergence_silence_ps(enum convergence_set set)
{
    return sets[set].silence_us > 0 ? sets[set].silence_us * PS_PER_US : CONVERGENCE_NEVER_PS;
}

uint64_t convergence_repair_ps(enum convergence_set set, struct prng *prng)
{
    const struct constants *constants = &sets[set];
    uint64_t repair_ps = about_ps(constants->repair_us, constants->repair_percent, prng);

    if (prng_below(prng, 1000) < constants->late_permille)
        repair_ps += between_ps(constants->late_least_us, constants->late_most_us, prng);
    return repair_ps;
}

uint64_t convergence_notice_ps(enum convergence_set set, uint32_t prefix_count, struct prng *prng)
{
    const struct constants *constants = &sets[set];
    uint64_t table_us = constants->table_us;

    if (table_us > 0)
        table_us += (uint64_t)prefix_count * PREFIX_US;
    return about_ps(constants->notice_us, constants->notice_percent, prng) + table_us * PS_PER_US;
}

uint64_t convergence_hold_down_ps(enum convergence_set set)
{
    return sets[set].hold_us * PS_PER_US;
}

static uint64_t smps_ps(uint64_t count)
{
    return count * SMP_US * PS_PER_US / SMPS_AT_ONCE;
}

struct convergence_size convergence_size_of(const struct topology *topology)
{
    uint32_t planes = topology->config.plane_count;
    uint32_t subnets = topology->graph ? 1 : planes;
    struct convergence_size size = { .switch_count = topology->switch_count / subnets };
    uint32_t nic_ports = topology->nic_count * (planes / subnets);

    size.lid_count = nic_ports + size.switch_count;
    size.port_count = nic_ports;
    for (uint32_t i = 0; i < size.switch_count; i++)
        size.port_count += topology_port_count(topology, i);
    return size;
}

struct convergence_sweep convergence_sweep_of(const struct convergence_size *size)
{
    uint64_t blocks = (size->lid_count + LIDS_PER_SMP - 1) / LIDS_PER_SMP;
    struct convergence_sweep sweep = { .discovery_smps = size->port_count * SMPS_PER_PORT,
        .table_smps = size->switch_count * blocks };

    sweep.before_ps =
        smps_ps(sweep.discovery_smps) + (uint64_t)size->switch_count * COMPUTE_US * PS_PER_US;
    sweep.tables_ps = smps_ps(sweep.table_smps);
    return sweep;
}
