/* SPDX-License-Identifier: Apache-2.0 */
/* A line on the terminal while a simulation runs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

struct sim_progress {
    const char *label;
    uint64_t duration_ps;
    double began_s;
    double shown_s; /* last time */
    bool is_shown;  /* there is something to clear */
    bool is_on;
};

void sim_progress_init(
    struct sim_progress *, const char *label, uint64_t duration_ps, bool is_wanted, double now_s);
/* At most five times a second, and not before two seconds have passed. */
void sim_progress_show(struct sim_progress *, const struct sim *, double now_s);
void sim_progress_clear(struct sim_progress *);
