/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a configuration. */
#include "base/problem.h"
#include "sim/job_place.h"
#include "sim/protocol.h"
#include "sim/sim.h"
#include "sim/workload.h"

static bool parameters_check(const struct parameters *parameters, struct problem *problem)
{
    for (uint32_t i = 0; i < parameter_count; i++) {
        const struct parameter_description *known = &parameter_descriptions[i];
        uint64_t value = parameters_get(parameters, i);

        if (known->unit && (value < known->minimum || value > known->maximum)) {
            problem->section = "parameters";
            problem->index = i;
            return problem_is(problem, known->name, "% is not between % and %",
                (struct problem_numbers){ value, known->minimum, known->maximum });
        }
    }
    return true;
}

static bool faults_check(const struct sim_config *config, struct problem *problem)
{
    for (uint32_t i = 0; i < config->fault_count; i++) {
        *problem = (struct problem){ .section = "faults", .index = i };
        if (!fault_check(config->fabric, &config->faults[i], problem))
            return false;
    }
    for (uint32_t i = 0; i < config->generator_count; i++) {
        *problem = (struct problem){ .section = "generators", .index = i };
        if (!fault_generator_check(config->fabric, &config->generators[i], problem))
            return false;
    }
    return true;
}

static bool topology_check(const struct sim_config *config, struct problem *problem)
{
    const struct topology_config *topology = &config->fabric->topology.config;

    if (topology->plane_count > TOPOLOGY_PLANES_MAX)
        return problem_is(problem, "fabric", "a NIC has % ports; at most % can be simulated",
            (struct problem_numbers){ topology->plane_count, TOPOLOGY_PLANES_MAX, 0 });
    if (topology->radix > TOPOLOGY_RADIX_MAX)
        return problem_is(problem, "fabric", "a switch has % ports; at most % can be simulated",
            (struct problem_numbers){ topology->radix, TOPOLOGY_RADIX_MAX, 0 });
    return true;
}

static bool protocol_check(const struct sim_config *config, struct problem *problem)
{
    const struct protocol *protocol = protocol_of(config->protocol);

    return !protocol->check || protocol->check(config, problem);
}

static bool map_check(const struct sim_config *config, struct problem *problem)
{
    uint64_t least_ps = 2 * config->fabric->topology.base_rtt_ps;

    *problem = (struct problem){ .section = "map" };
    if (config->map.period_ps == 0)
        return true;
    if (config->protocol != SIM_MRC)
        return problem_is(
            problem, "period", "only NICs of MRC send probes", (struct problem_numbers){ 0, 0, 0 });
    if (config->group)
        return problem_is(problem, "period",
            "probes need all NICs in one process: start without mpirun",
            (struct problem_numbers){ 0, 0, 0 });
    if (config->map.period_ps < least_ps)
        return problem_is(problem, "period", "% ns is less than two round trips, % ns",
            (struct problem_numbers){ config->map.period_ps / 1000, least_ps / 1000, 0 });
    return true;
}

bool sim_config_check(const struct sim_config *config, struct problem *problem)
{
    return topology_check(config, problem) && parameters_check(&config->parameters, problem) &&
           job_place_check(config, problem) && workload_check(config, problem) &&
           faults_check(config, problem) && protocol_check(config, problem) &&
           map_check(config, problem);
}
