/* SPDX-License-Identifier: Apache-2.0 */
/* Gives every job NICs that no other job has. */
#pragma once

#include "base/arena.h"
#include "sim/sim.h"

/* Checks that there are enough NICs. */
bool job_place_check(const struct sim_config *, struct problem *);

/* Returns the NICs of all jobs, one job after the other; NULL if the arena only measures. First
 * the listed NICs are taken, then those of the other jobs in order. */
uint32_t *job_place_all(struct arena *, const struct sim_config *);

/* Returns the NICs of a job in this list. */
static inline const uint32_t *job_place_of(
    const uint32_t *nics, const struct sim_config *config, const struct sim_job *job)
{
    for (const struct sim_job *before = config->jobs; before < job; before++)
        nics += before->nic_count;
    return nics;
}
