/* SPDX-License-Identifier: Apache-2.0 */
/* Making a failing trial smaller: one simplification after the other is tried and kept if the
 * trial still fails in the same way, until none helps. */
#include <string.h>

#include "trial.h"

enum {
    RUNS_MAX = 400,
};

/* ---- simplifications: variant 0, 1, ... of each; false: there are no more
 * ------------------------ */

#define REMOVE(array, count, index)                                                                \
    memmove(&(array)[index], &(array)[(index) + 1], ((count) - (index)-1) * sizeof((array)[0]))

static bool drop_workload(struct trial *trial, uint32_t variant)
{
    if (variant >= trial->workload_count)
        return false;
    REMOVE(trial->workloads, trial->workload_count, variant);
    REMOVE(trial->nics, trial->workload_count, variant);
    trial->workload_count--;
    return true;
}

static bool drop_fault(struct trial *trial, uint32_t variant)
{
    if (variant >= trial->fault_count)
        return false;
    REMOVE(trial->faults, trial->fault_count, variant);
    REMOVE(trial->where, trial->fault_count, variant);
    trial->fault_count--;
    return true;
}

static bool drop_generator(struct trial *trial, uint32_t variant)
{
    if (variant >= trial->generator_count)
        return false;
    REMOVE(trial->generators, trial->generator_count, variant);
    trial->generator_count--;
    return true;
}

static bool drop_exception(struct trial *trial, uint32_t variant)
{
    if (variant >= trial->exception_count)
        return false;
    REMOVE(trial->exceptions, trial->exception_count, variant);
    trial->exception_count--;
    return true;
}

static bool drop_parameter(struct trial *trial, uint32_t variant)
{
    uint32_t index = TRIAL_TIMERS + variant;

    if (index >= trial->parameter_count)
        return false;
    REMOVE(trial->parameters, trial->parameter_count, index);
    trial->parameter_count--;
    return true;
}

static bool drop_place(struct trial *trial, uint32_t variant)
{
    uint32_t fault = variant / TRIAL_WHERE_MAX;
    uint32_t place = variant % TRIAL_WHERE_MAX;

    if (fault >= trial->fault_count)
        return false;
    if (place < trial->faults[fault].where_count && trial->faults[fault].where_count > 1) {
        REMOVE(trial->where[fault], trial->faults[fault].where_count, place);
        trial->faults[fault].where_count--;
    }
    return true;
}

static bool shorten_fault(struct trial *trial, uint32_t variant)
{
    struct sim_fault *fault = &trial->faults[variant];

    if (variant >= trial->fault_count)
        return false;
    if (fault->until_ps != SIM_NEVER_PS)
        fault->until_ps -= (fault->until_ps - fault->from_ps) / 2;
    return true;
}

static bool halve_bytes(struct trial *trial, uint32_t variant)
{
    if (variant >= trial->workload_count)
        return false;
    trial->workloads[variant].message_bytes = (trial->workloads[variant].message_bytes + 1) / 2;
    return true;
}

static bool halve_ranks(struct trial *trial, uint32_t variant)
{
    struct sim_workload *workload = &trial->workloads[variant / 2];
    uint32_t fewer =
        variant % 2 == 0 ? (workload->rank_count / 2 + 1) & ~1u : workload->rank_count - 1;

    if (variant / 2 >= trial->workload_count)
        return false;
    if (fewer >= 2 && fewer < workload->rank_count)
        workload->rank_count = fewer;
    if (workload->shift >= workload->rank_count)
        workload->shift = 1;
    return true;
}

/* One member of one workload back to the plainest there is. */
static bool plainer_workload(struct trial *trial, uint32_t variant)
{
    struct sim_workload *workload = &trial->workloads[variant / 10];

    if (variant / 10 >= trial->workload_count)
        return false;
    switch (variant % 10) {
    case 0:
        workload->iterations = 1;
        break;
    case 1:
        workload->qps = 1;
        break;
    case 2:
        workload->outstanding = 1;
        break;
    case 3:
        workload->start_ps = 0;
        break;
    case 4:
        workload->jitter_ps = 0;
        break;
    case 5:
        workload->stagger_ps = 0;
        break;
    case 6:
        workload->placement = SIM_PACKED;
        break;
    case 7:
        workload->first_nic = 0;
        break;
    case 8:
        workload->bidirectional = false;
        break;
    default:
        workload->kind = workload->kind == SIM_TRAINING ? workload->collective : workload->kind;
    }
    return true;
}

static bool smaller_fabric(struct trial *trial, uint32_t variant)
{
    struct fabric_config *wiring = &trial->wiring;

    switch (variant) {
    case 0:
        wiring->plane_count -= wiring->plane_count > 1;
        break;
    case 1:
        wiring->t1_count -= wiring->t1_count > 1;
        break;
    case 2:
        wiring->t0_count -= wiring->t0_count > 1;
        break;
    case 3:
        wiring->hosts_per_t0 -= wiring->hosts_per_t0 > 1;
        break;
    case 4:
        wiring->buffers.data_bytes = 0;
        break;
    case 5:
        wiring->buffers.control_bytes = 0;
        break;
    case 6:
        wiring->uplink.rate_bps = wiring->host_link.rate_bps;
        break;
    default:
        return false;
    }
    wiring->nic_count = wiring->t0_count * wiring->hosts_per_t0;
    return true;
}

static bool (*const simplifications[])(struct trial *, uint32_t variant) = {
    drop_workload,
    drop_generator,
    drop_fault,
    drop_exception,
    drop_place,
    halve_ranks,
    halve_bytes,
    smaller_fabric,
    plainer_workload,
    shorten_fault,
    drop_parameter,
};

/* ---- trying them
 * ---------------------------------------------------------------------------------- */

static bool still_fails(
    const struct trial *trial, enum trial_depth depth, enum trial_verdict verdict)
{
    struct trial own = *trial;
    struct trial_outcome outcome;
    struct sim_config config;
    struct trial_room room;
    char reason[256];

    if (own.workload_count == 0 || !trial_config(&own, &room, &config, reason))
        return false;
    trial_run(&own, depth, &outcome);
    return outcome.verdict == verdict;
}

/* Everything once; yields whether anything helped. */
static bool shrink_once(
    struct trial *trial, enum trial_depth depth, enum trial_verdict verdict, uint32_t *runs)
{
    bool has_shrunk = false;

    for (uint32_t i = 0; i < sizeof(simplifications) / sizeof(simplifications[0]); i++) {
        for (uint32_t variant = 0; *runs < RUNS_MAX;) {
            struct trial smaller = *trial;

            if (!simplifications[i](&smaller, variant))
                break;
            if (memcmp(&smaller, trial, sizeof(smaller)) != 0 &&
                ((*runs)++, still_fails(&smaller, depth, verdict))) {
                *trial = smaller;
                has_shrunk = true;
            } else {
                variant++;
            }
        }
    }
    return has_shrunk;
}

uint32_t trial_shrink(struct trial *trial, enum trial_depth depth, enum trial_verdict verdict)
{
    uint32_t runs = 0;

    while (shrink_once(trial, depth, verdict, &runs))
        ;
    return runs;
}
