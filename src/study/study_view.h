/* SPDX-License-Identifier: Apache-2.0 */
/* The display of a run on the terminal. */
#pragma once

#include "result/result.h"
#include "study/study_progress.h"
#include "study/study_run.h"

struct study_view {
    bool is_live;
    bool shows_progress;
    struct live live;
    struct study_progress progress;
};

/* Returns callbacks that use the view, which must outlive the run. */
struct study_watch study_view_watch(struct study_view *);
