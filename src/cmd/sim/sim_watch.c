/* SPDX-License-Identifier: Apache-2.0 */
/* Passes the progress of a run to the live view or to the progress line. */
#include "cmd/sim/sim_watch.h"

#include <time.h>

static double wall_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void on_begin(void *context, const struct study_run *run)
{
    struct sim_watch *watch = context;

    if (watch->is_live)
        live_init(&watch->live, &run->experiment, stderr);
    sim_progress_init(&watch->progress, run->label, run->experiment.sim.duration_ps,
        watch->shows_progress, wall_s());
}

static void on_step(void *context, const struct sim *sim)
{
    struct sim_watch *watch = context;

    sim_progress_show(&watch->progress, sim, wall_s());
}

static void on_sample(void *context, const struct measure_record *record)
{
    struct sim_watch *watch = context;

    if (watch->is_live)
        live_show(&watch->live, record);
}

static void on_end(void *context)
{
    struct sim_watch *watch = context;

    sim_progress_clear(&watch->progress);
    if (watch->is_live)
        live_finish(&watch->live);
}

struct study_watch sim_watch(struct sim_watch *watch)
{
    return (struct study_watch){ on_begin, on_step, on_sample, on_end, watch };
}
