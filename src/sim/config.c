/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a configuration makes sense. */
#include "sim/fault.h"
#include "sim/problem.h"
#include "sim/sim.h"
#include "sim/workload.h"

static bool parameters_check(const struct parameters *parameters, struct sim_problem *problem)
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

bool sim_config_check(const struct sim_config *config, struct sim_problem *problem)
{
    return parameters_check(&config->parameters, problem) && workload_check(config, problem) &&
           fault_check(config, problem);
}
