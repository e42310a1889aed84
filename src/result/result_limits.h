/* SPDX-License-Identifier: Apache-2.0 */
/* Describes what limits the rate of a simulation, in sentences. */
#pragma once

#include <jansson.h>

#include "result/result_capacity.h"

/* Returns an array of sentences, the most important first. The flows of the limits are pairs. */
json_t *result_limits(const struct result_capacity *, const struct capacity_limits *);
