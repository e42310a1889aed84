/* SPDX-License-Identifier: Apache-2.0 */
/* Places jobs on NICs: the first that are free, free ones at random, or one of each leaf in turn.
 */
#include "sim/job_place.h"

#include <assert.h>
#include <stdalign.h>

#include "base/bits.h"
#include "base/prng.h"
#include "base/problem.h"

#define JOB_ENTITY UINT64_C(0x6a6f62)

struct placing {
    const struct topology *topology;
    uint64_t *taken; /* bitmap of NICs */
    uint32_t *nics;  /* of the job */
    uint32_t count;
};

static bool list_check(const struct sim_job *job, uint32_t nic_count, struct problem *problem)
{
    for (uint32_t i = 0; job->placement == SIM_LIST && i < job->nic_count; i++)
        if (job->nics[i] >= nic_count)
            return problem_is(problem, "nics", "NIC %, but the fabric has %",
                (struct problem_numbers){ job->nics[i], nic_count, 0 });
    return true;
}

bool job_place_check(const struct sim_config *config, struct problem *problem)
{
    uint32_t nic_count = config->fabric->topology.nic_count;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < config->job_count; i++) {
        const struct sim_job *job = &config->jobs[i];

        *problem = (struct problem){ .section = "jobs", .index = i };
        sum += job->nic_count;
        if (job->nic_count < 2)
            return problem_is(problem, "nics", "% NICs: at least 2",
                (struct problem_numbers){ job->nic_count, 0, 0 });
        if (sum > nic_count)
            return problem_is(problem, "nics",
                "this job needs % NICs, but only % of the fabric are left",
                (struct problem_numbers){ job->nic_count, nic_count + job->nic_count - sum, 0 });
        if (!list_check(job, nic_count, problem))
            return false;
    }
    return true;
}

static bool is_free(const struct placing *placing, uint32_t nic)
{
    return !bits_test(placing->taken, nic);
}

static void take_nic(struct placing *placing, uint32_t nic)
{
    assert(is_free(placing, nic));
    bits_set(placing->taken, nic);
    placing->nics[placing->count++] = nic;
}

static void take_first(struct placing *placing, uint32_t wanted)
{
    for (uint32_t nic = 0; placing->count < wanted; nic++)
        if (is_free(placing, nic))
            take_nic(placing, nic);
}

/* In each round, the first free NIC of every leaf; NICs of a leaf have adjacent numbers. */
static void take_spread(struct placing *placing, uint32_t wanted)
{
    while (placing->count < wanted) {
        uint32_t last_leaf = UINT32_MAX;

        for (uint32_t nic = 0; nic < placing->topology->nic_count && placing->count < wanted;
             nic++) {
            uint32_t leaf = topology_leaf_of(placing->topology, nic);

            if (leaf == last_leaf || !is_free(placing, nic))
                continue;
            take_nic(placing, nic);
            last_leaf = leaf;
        }
    }
}

/* Draws from all NICs until one is free; if few are free, the next free one is as good. */
static void take_random(struct placing *placing, uint32_t wanted, struct prng prng)
{
    uint32_t nic_count = placing->topology->nic_count;

    while (placing->count < wanted) {
        uint32_t nic = prng_below(&prng, nic_count);

        for (uint32_t tries = 0; tries < 64 && !is_free(placing, nic); tries++)
            nic = prng_below(&prng, nic_count);
        while (!is_free(placing, nic))
            nic = (nic + 1) % nic_count;
        take_nic(placing, nic);
    }
}

static void place_job(struct placing *placing, const struct sim_job *job, struct prng prng)
{
    switch (job->placement) {
    case SIM_PACKED:
        take_first(placing, job->nic_count);
        break;
    case SIM_SPREAD:
        take_spread(placing, job->nic_count);
        break;
    case SIM_RANDOM:
        take_random(placing, job->nic_count, prng);
        break;
    case SIM_LIST:
        for (uint32_t i = 0; i < job->nic_count; i++)
            take_nic(placing, job->nics[i]);
        break;
    }
}

static uint32_t count_nics(const struct sim_config *config)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < config->job_count; i++)
        count += config->jobs[i].nic_count;
    return count;
}

uint32_t *job_place_all(struct arena *arena, const struct sim_config *config)
{
    const struct topology *topology = &config->fabric->topology;
    uint32_t *all = arena_take(arena, count_nics(config), sizeof(*all), alignof(uint32_t));
    uint64_t *taken = arena_take(arena, config->job_count > 0 ? topology->nic_count / 64 + 1 : 0,
        sizeof(*taken), alignof(uint64_t));

    for (uint32_t round = 0; all && round < 2; round++) {
        struct placing placing = { .topology = topology, .taken = taken, .nics = all };

        for (uint32_t i = 0; i < config->job_count; i++) {
            const struct sim_job *job = &config->jobs[i];

            placing.count = 0;
            if ((job->placement == SIM_LIST) == (round == 0))
                place_job(&placing, job, prng_stream(config->seed, JOB_ENTITY << 32 | i));
            placing.nics += job->nic_count;
        }
    }
    return all;
}
