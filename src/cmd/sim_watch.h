/* SPDX-License-Identifier: Apache-2.0 */
/* What the terminal shows of a run of mrc sim while it goes on. */
#pragma once

#include "cmd/sim_progress.h"
#include "result/result.h"
#include "study/study.h"

struct sim_watch {
    bool is_live;
    bool shows_progress;
    struct live live;
    struct sim_progress progress;
};

/* The watch of a run; it lives in `watch`. */
struct study_watch sim_watch(struct sim_watch *watch);
