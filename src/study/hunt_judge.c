/* SPDX-License-Identifier: Apache-2.0 */
/* Judges how bad a case is, and makes it as small as possible while it stays bad. */
#include <string.h>

#include "study/hunt_draw.h"

const char *hunt_fault_word(enum hunt_fault fault)
{
    static const char *const words[HUNT_FAULT_COUNT] = {
        [HUNT_LOW_TOTAL] = "total",
        [HUNT_LOW_FLOW] = "flow",
        [HUNT_STARVED] = "starved",
        [HUNT_FAILED_PATH] = "failed_path",
        [HUNT_QP_ERROR] = "qp_error",
        [HUNT_TIMEOUT] = "timeout",
        [HUNT_BROKEN] = "broken",
    };

    return words[fault];
}

bool hunt_is_promised(const struct hunt_class *class)
{
    return class->has_intact_plane && !class->has_small_buffers;
}

/* Returns 1 at the limit, more below it. */
static double shortfall(double fraction, double limit)
{
    return fraction < 0 ? 0 : (1 - fraction) / (1 - limit);
}

double hunt_badness(const struct hunt_figures *figures, enum hunt_fault fault)
{
    if (figures->outcome != HUNT_RAN)
        return fault == HUNT_BROKEN ? 2 : 0;
    switch (fault) {
    case HUNT_LOW_TOTAL:
        return shortfall(figures->capacity_fraction, 0.95);
    case HUNT_LOW_FLOW:
        return shortfall(figures->flow_fraction, 0.5);
    case HUNT_STARVED:
        return figures->starved_us / (2 * figures->settle_us);
    case HUNT_FAILED_PATH:
        return figures->failed_rtts / 10;
    case HUNT_QP_ERROR:
        return (double)figures->qp_errors * 2;
    case HUNT_TIMEOUT:
        return figures->class.forbids_timeouts ? (double)figures->timeouts * 2 : 0;
    default:
        return 0;
    }
}

/* ---- making it smaller ----------------------------------------------------------------------- */

struct wanted {
    const struct hunt_options *options;
    enum hunt_fault fault;
    double badness;
};

static bool is_as_bad(void *context, struct study_trial *trial)
{
    const struct wanted *wanted = context;
    struct hunt_figures figures;
    struct sim_config config;
    struct study_room room;

    if (!study_config(trial, &room, &config, figures.reason))
        return false;
    hunt_time(trial, &room.fabric);
    config.duration_ps = trial->duration_ps;
    if (!hunt_is_fair(trial, &config, 2 * hunt_hops_max(wanted->options)))
        return false;
    hunt_run_apart(trial, &figures);
    return hunt_badness(&figures, wanted->fault) >= wanted->badness;
}

uint32_t hunt_shrink(struct study_trial *trial, enum hunt_fault fault,
    const struct hunt_options *options, uint32_t runs_max)
{
    struct wanted wanted = { .options = options, .fault = fault };
    struct hunt_figures figures;

    hunt_run_apart(trial, &figures);
    wanted.badness = 0.7 * hunt_badness(&figures, fault);
    if (wanted.badness < 1) /* the case must stay bad */
        wanted.badness = 1;
    return study_shrink(trial, is_as_bad, &wanted, runs_max);
}
