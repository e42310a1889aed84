/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of a failure, from the steps of two runs of the simulator. */
#pragma once

#include <stdint.h>

#include <jansson.h>

/* Returns the mean of the steps of a run, without the first, in seconds; 0: too few ended. */
double job_cost_step_s(const json_t *run);

/* Returns the cost that job_events.h describes. `run` has a fault, `quiet` has none. `steps`: how
 * many the work has. */
json_t *job_cost_of(const json_t *run, const json_t *quiet, uint32_t steps);

/* Returns the cost over several seeds, and releases theirs: the mean of each number, and what most
 * of them say of restarts; `stall_around_s` is half of the 95 % confidence interval of the stall.
 */
json_t *job_cost_mean(json_t **costs, uint32_t count);
