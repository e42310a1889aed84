/* SPDX-License-Identifier: Apache-2.0 */
/* What limits the rate of a simulation, in sentences. */
#pragma once

#include <jansson.h>

#include "result/result_capacity.h"

/* An array of sentences, the most important first. Flows of the limits are pairs. */
json_t *result_limits(const struct result_capacity *, const struct capacity_limits *);
