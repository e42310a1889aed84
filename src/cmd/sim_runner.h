/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an experiment, from its configuration to its JSON. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "cmd/sim_options.h"
#include "files/files.h"

struct sim_plan_run {
    struct experiment experiment; /* not to be moved */
    char label[EXPERIMENT_LABEL_BYTES + 32];
    json_t *settings; /* what the sweep set */
};

/* The "runs" entry of the result, without criteria. NULL after a complaint. */
json_t *sim_runner_run(struct sim_plan_run *, const struct sim_options *, bool shows_progress);

/* From a signal handler: the run shall end, and yield what there is. */
void sim_runner_interrupt(void);
bool sim_runner_was_interrupted(void);
