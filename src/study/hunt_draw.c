/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a case from its number. */
#include "study/hunt_draw.h"

#include <stdio.h>
#include <string.h>

#define HOPS_MAX UINT64_C(4000000)

static void set_parameters(struct study_trial *trial, const struct hunt_options *options)
{
    for (uint32_t i = 0; i < options->parameter_count; i++)
        study_set_parameter(trial, options->parameters[i].name, options->parameters[i].value);
    trial->kept_parameters = trial->parameter_count;
}

static void try_to_draw(
    struct study_trial *trial, const struct hunt_options *options, struct prng *prng)
{
    memset(trial, 0, sizeof(*trial));
    trial->seed = prng_next(prng) >> 32;
    set_parameters(trial, options);
    hunt_draw_wiring(trial, prng);
    hunt_draw_work(trial, options, prng);
    hunt_draw_faults(trial, options, prng);
}

/* Removes half of the ranks, in pairs. Returns false if there are only two. */
static bool take_ranks_away(struct study_trial *trial)
{
    bool has_changed = false;

    for (uint32_t i = 0; i < trial->workload_count; i++) {
        struct sim_workload *workload = &trial->workloads[i];
        uint32_t fewer = (workload->rank_count / 2 + 1) & ~1u;

        if (fewer >= workload->rank_count)
            continue;
        workload->rank_count = fewer;
        if (workload->shift >= fewer)
            workload->shift = 1;
        has_changed = true;
    }
    return has_changed;
}

/* Reduces the ranks of a case that takes too long. */
static bool is_good(struct study_trial *trial, const struct hunt_options *options)
{
    char reason[STUDY_REASON_BYTES];
    struct sim_config config;
    struct study_room room;

    do {
        if (!study_config(trial, &room, &config, reason))
            return false;
        hunt_time(trial, &room.fabric);
        config.duration_ps = trial->duration_ps;
        if (hunt_is_fair(trial, &config, hunt_hops_max(options)))
            return true;
    } while (hunt_hops(trial, &config) > hunt_hops_max(options) && take_ranks_away(trial));
    return false;
}

uint64_t hunt_hops_max(const struct hunt_options *options)
{
    return options->hops_max ? options->hops_max : HOPS_MAX;
}

/* Draws again if a case does not fit, because the limits depend on all parts together. */
void hunt_draw(struct study_trial *trial, const struct hunt_options *options, uint32_t index)
{
    for (uint64_t attempt = 0;; attempt++) {
        struct prng prng = prng_stream(options->seed, (uint64_t)index << 32 | attempt);

        try_to_draw(trial, options, &prng);
        if (is_good(trial, options))
            return;
    }
}
