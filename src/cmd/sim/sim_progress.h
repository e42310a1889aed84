/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line of a simulation on the terminal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

struct sim_progress {
    const char *label;
    uint64_t duration_ps;
    double began_s;
    double shown_s; /* time of the last update */
    bool is_shown;  /* a line is on the terminal */
    bool is_on;
};

void sim_progress_init(
    struct sim_progress *, const char *label, uint64_t duration_ps, bool is_wanted, double now_s);
/* Prints at most five times a second, beginning after two seconds. */
void sim_progress_show(struct sim_progress *, const struct sim *, double now_s);
void sim_progress_clear(struct sim_progress *);
