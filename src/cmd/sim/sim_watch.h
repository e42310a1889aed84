/* SPDX-License-Identifier: Apache-2.0 */
/* The display of a run of mrc sim on the terminal. */
#pragma once

#include "cmd/sim/sim_progress.h"
#include "result/result.h"
#include "study/study.h"

struct sim_watch {
    bool is_live;
    bool shows_progress;
    struct live live;
    struct sim_progress progress;
};

/* Returns callbacks that use `watch`, which must outlive the run. */
struct study_watch sim_watch(struct sim_watch *watch);
