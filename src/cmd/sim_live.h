/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a simulation while it runs: what its record holds, through sim_view. */
#pragma once

#include "cmd/sim_view.h"
#include "files/files.h"
#include "measure/measure.h"

struct sim_live {
    struct sim_view view;
    size_t events_told;
};

void sim_live_init(struct sim_live *, const struct experiment *, FILE *to);
/* After each measure_sample(). */
void sim_live_show(struct sim_live *, const struct measure_record *);
void sim_live_finish(struct sim_live *);
