/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a bad case smaller: tries one simplification after the other and keeps it if the case is
 * still bad, until none helps. */
#include <string.h>

#include "study/study.h"

/* ---- simplifications: variant 0, 1, ... of each; false: no more variants --------------------- */

#define REMOVE(array, count, index)                                                                \
    memmove(&(array)[index], &(array)[(index) + 1], ((count) - (index)-1) * sizeof((array)[0]))

static bool drop_workload(struct study_trial *trial, uint32_t variant)
{
    if (variant >= trial->workload_count)
        return false;
    REMOVE(trial->workloads, trial->workload_count, variant);
    REMOVE(trial->nics, trial->workload_count, variant);
    trial->workload_count--;
    return true;
}

static bool drop_fault(struct study_trial *trial, uint32_t variant)
{
    if (variant >= trial->fault_count)
        return false;
    REMOVE(trial->faults, trial->fault_count, variant);
    REMOVE(trial->where, trial->fault_count, variant);
    trial->fault_count--;
    return true;
}

static bool drop_generator(struct study_trial *trial, uint32_t variant)
{
    if (variant >= trial->generator_count)
        return false;
    REMOVE(trial->generators, trial->generator_count, variant);
    trial->generator_count--;
    return true;
}

static bool drop_exception(struct study_trial *trial, uint32_t variant)
{
    if (variant >= trial->exception_count)
        return false;
    REMOVE(trial->exceptions, trial->exception_count, variant);
    trial->exception_count--;
    return true;
}

static bool drop_parameter(struct study_trial *trial, uint32_t variant)
{
    uint32_t index = trial->kept_parameters + variant;

    if (index >= trial->parameter_count)
        return false;
    REMOVE(trial->parameters, trial->parameter_count, index);
    trial->parameter_count--;
    return true;
}

static bool drop_place(struct study_trial *trial, uint32_t variant)
{
    uint32_t fault = variant / STUDY_WHERE_MAX;
    uint32_t place = variant % STUDY_WHERE_MAX;

    if (fault >= trial->fault_count)
        return false;
    if (place < trial->faults[fault].where_count && trial->faults[fault].where_count > 1) {
        REMOVE(trial->where[fault], trial->faults[fault].where_count, place);
        trial->faults[fault].where_count--;
    }
    return true;
}

static bool shorten_fault(struct study_trial *trial, uint32_t variant)
{
    struct fault *fault = &trial->faults[variant];

    if (variant >= trial->fault_count)
        return false;
    if (fault->until_ps != SIM_NEVER_PS)
        fault->until_ps -= (fault->until_ps - fault->from_ps) / 2;
    return true;
}

static bool halve_bytes(struct study_trial *trial, uint32_t variant)
{
    if (variant >= trial->workload_count)
        return false;
    trial->workloads[variant].message_bytes = (trial->workloads[variant].message_bytes + 1) / 2;
    return true;
}

static bool halve_ranks(struct study_trial *trial, uint32_t variant)
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

/* Resets one member of one workload to its simplest value. */
static bool plainer_workload(struct study_trial *trial, uint32_t variant)
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
        workload->kind = sim_workload_pattern(workload);
    }
    return true;
}

static void plain_latencies(struct topology_config *wiring)
{
    struct topology_config plain;

    topology_config_init(&plain);
    wiring->switch_latency_ps = plain.switch_latency_ps;
    wiring->nic_latency_ps = plain.nic_latency_ps;
}

static bool smaller_fabric(struct study_trial *trial, uint32_t variant)
{
    return topology_config_shrink(&trial->wiring, variant);
}

static bool plainer_fabric(struct study_trial *trial, uint32_t variant)
{
    struct topology_config *wiring = &trial->wiring;

    switch (variant) {
    case 0:
        wiring->buffers.data_bytes = 0;
        return true;
    case 1:
        wiring->buffers.host_data_bytes = 0;
        return true;
    case 2:
        wiring->buffers.control_bytes = 0;
        return true;
    case 3:
        wiring->uplink.rate_bps = wiring->host_link.rate_bps;
        return true;
    case 4:
        wiring->uplink.delay_ps = wiring->host_link.delay_ps;
        return true;
    case 5:
        wiring->buffers.trims = true;
        return true;
    case 6:
        wiring->buffers.marks = true;
        return true;
    case 7:
        plain_latencies(wiring);
        return true;
    default:
        return false;
    }
}

static bool (*const simplifications[])(struct study_trial *, uint32_t variant) = {
    drop_workload,
    drop_generator,
    drop_fault,
    drop_exception,
    drop_place,
    halve_ranks,
    halve_bytes,
    smaller_fabric,
    plainer_fabric,
    plainer_workload,
    shorten_fault,
    drop_parameter,
};

/* ---- search ---------------------------------------------------------------------------------- */

struct shrinking {
    struct study_trial *smallest;
    bool (*is_bad)(void *context, struct study_trial *);
    void *context;
    uint32_t runs;
    uint32_t runs_max;
};

static bool is_still_bad(struct shrinking *shrinking, struct study_trial *smaller)
{
    struct study_trial own = *smaller;
    struct sim_config config;
    struct study_room room;
    char reason[STUDY_REASON_BYTES];

    shrinking->runs++;
    if (own.workload_count == 0 || !study_config(&own, &room, &config, reason))
        return false;
    return shrinking->is_bad(shrinking->context, smaller);
}

/* A simplification changes a copy in place, so padding bytes are equal to those of the original. */
static bool differs(const void *trial, const void *original)
{
    return memcmp(trial, original, sizeof(struct study_trial)) != 0;
}

/* Tries everything once. Returns true if anything helped. */
static bool shrink_once(struct shrinking *shrinking)
{
    bool has_shrunk = false;

    for (uint32_t i = 0; i < sizeof(simplifications) / sizeof(simplifications[0]); i++) {
        for (uint32_t variant = 0; shrinking->runs < shrinking->runs_max;) {
            struct study_trial smaller;

            memcpy(&smaller, shrinking->smallest, sizeof(smaller));
            if (!simplifications[i](&smaller, variant))
                break;
            if (differs(&smaller, shrinking->smallest) && is_still_bad(shrinking, &smaller)) {
                memcpy(shrinking->smallest, &smaller, sizeof(smaller));
                has_shrunk = true;
            } else {
                variant++;
            }
        }
    }
    return has_shrunk;
}

uint32_t study_shrink(struct study_trial *trial,
    bool (*is_bad)(void *context, struct study_trial *), void *context, uint32_t runs_max)
{
    struct shrinking shrinking = {
        .smallest = trial, .is_bad = is_bad, .context = context, .runs_max = runs_max
    };

    while (shrink_once(&shrinking))
        ;
    return shrinking.runs;
}
