/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line of a simulation on the terminal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

struct study_progress {
    const char *label;
    uint64_t duration_ps;
    double began_s;
    double shown_s;    /* time of the last update */
    bool is_under_way; /* the next two are known */
    uint64_t first_ps; /* virtual time at which this process began, and the packet-hops before */
    uint64_t first_hops;
    bool is_shown; /* a line is on the terminal */
    bool is_on;
};

void study_progress_init(
    struct study_progress *, const char *label, uint64_t duration_ps, bool is_wanted, double now_s);
/* Prints at most five times a second, beginning after two seconds. */
void study_progress_show(struct study_progress *, const struct sim *, double now_s);
void study_progress_clear(struct study_progress *);
