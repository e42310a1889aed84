/* SPDX-License-Identifier: Apache-2.0 */
/* Passes the progress of a run to the live view or to the progress line. */
#include "study/study_view.h"

#include "study/study_clock.h"

static void on_begin(void *context, const struct study_run *run)
{
    struct study_view *view = context;

    if (view->is_live)
        live_init(&view->live, &run->experiment, stderr);
    study_progress_init(&view->progress, run->label, run->experiment.sim.duration_ps,
        view->shows_progress, study_clock_s());
}

static void on_step(void *context, const struct sim *sim)
{
    struct study_view *view = context;

    study_progress_show(&view->progress, sim, study_clock_s());
}

static void on_sample(void *context, const struct measure_record *record)
{
    struct study_view *view = context;

    if (view->is_live)
        live_show(&view->live, record);
}

static void on_end(void *context)
{
    struct study_view *view = context;

    study_progress_clear(&view->progress);
    if (view->is_live)
        live_finish(&view->live);
}

struct study_watch study_view_watch(struct study_view *view)
{
    return (struct study_watch){ on_begin, on_step, on_sample, on_end, view };
}
