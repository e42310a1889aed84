/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a simulation while it runs: what its record holds, through sim_view. */
#pragma once

#include "cmd/sim_record.h"
#include "cmd/sim_view.h"

struct sim_live {
    struct sim_view view;
    size_t events_told;
};

/* The record must have its experiment; nothing has to have run yet. */
void sim_live_init(struct sim_live *, const struct sim_record *, FILE *to);
/* After each sim_record_sample(). */
void sim_live_show(struct sim_live *, const struct sim_record *);
void sim_live_finish(struct sim_live *);
