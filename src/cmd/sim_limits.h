/* SPDX-License-Identifier: Apache-2.0 */
/* What limits the rate of a simulation, in sentences. */
#pragma once

#include <jansson.h>

#include "cmd/sim_capacity.h"

/* An array of sentences, the most important first. Flows of the limits are pairs. */
json_t *sim_limits_json(const struct sim_capacity *, const struct capacity_limits *);
