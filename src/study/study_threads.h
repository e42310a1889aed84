/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a run. */
#pragma once

#include "carrier/carrier.h"
#include "study/study_run.h"

struct study_threads {
    struct carrier_threads *team; /* NULL: one thread */
};

/* Decides how many threads run the simulation, starts them and enters them in its configuration.
 * Returns 0 or a negative errno. */
int study_threads_open(struct study_threads *, struct sim_config *, const struct study_manner *);
/* Zero if there is one thread. */
struct carrier_times study_threads_times(const struct study_threads *);
void study_threads_close(struct study_threads *);
