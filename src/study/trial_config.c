/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the configuration of a simulation from a case. */
#include <string.h>

#include "study/study.h"

bool study_set_parameter(struct study_trial *trial, const char *name, const char *value)
{
    struct study_parameter *parameter = &trial->parameters[trial->parameter_count];

    if (trial->parameter_count == STUDY_PARAMETERS_MAX || strlen(name) >= STUDY_NAME_BYTES ||
        strlen(value) >= STUDY_VALUE_BYTES)
        return false;
    memcpy(parameter->name, name, strlen(name) + 1);
    memcpy(parameter->value, value, strlen(value) + 1);
    trial->parameter_count++;
    return true;
}

static bool wire_up(struct study_trial *trial, struct study_room *room, char *reason)
{
    struct topology_problem problem = { .member = "" };
    struct topology_config wiring = trial->wiring;

    memcpy(room->exceptions, trial->exceptions, sizeof(room->exceptions));
    wiring.exceptions = room->exceptions;
    wiring.exception_count = trial->exception_count;
    if (plan_init(&room->fabric, &wiring, room->sorted, &problem))
        return true;
    snprintf(reason, STUDY_REASON_BYTES, "%s: %s", problem.member, problem.reason);
    return false;
}

bool study_config(struct study_trial *trial, struct study_room *room, struct sim_config *config,
    char reason[static STUDY_REASON_BYTES])
{
    struct problem problem = { .section = "", .member = "" };

    if (!wire_up(trial, room, reason))
        return false;
    for (uint32_t i = 0; i < trial->workload_count; i++)
        trial->workloads[i].nics = trial->nics[i];
    for (uint32_t i = 0; i < trial->fault_count; i++)
        trial->faults[i].where = trial->where[i];
    *config = (struct sim_config){ .fabric = &room->fabric,
        .seed = trial->seed,
        .workloads = trial->workloads,
        .workload_count = trial->workload_count,
        .faults = trial->faults,
        .fault_count = trial->fault_count,
        .generators = trial->generators,
        .generator_count = trial->generator_count,
        .duration_ps = trial->duration_ps };
    parameters_init(&config->parameters, TIMERS_HARDWARE);
    for (uint32_t i = 0; i < trial->parameter_count; i++)
        if (parameters_set(&config->parameters, trial->parameters[i].name,
                trial->parameters[i].value) != PARAMETERS_OK) {
            snprintf(reason, STUDY_REASON_BYTES, "parameter %s has no value %s",
                trial->parameters[i].name, trial->parameters[i].value);
            return false;
        }
    if (sim_config_check(config, &problem))
        return true;
    snprintf(reason, STUDY_REASON_BYTES, "%s %u %s: %s", problem.section, problem.index,
        problem.member, problem.reason);
    return false;
}
