/* SPDX-License-Identifier: Apache-2.0 */
/* Faults as requests to a fabric have them (lab/soft_request.h), to and from struct fault. */
#pragma once

#include <jansson.h>

#include "network/network.h"

/* Kind, direction, parameters and times; the caller adds where. */
json_t *fault_request_of(const struct fault *);

/* The same of a fault that a fabric has recorded. */
struct fault fault_request_read(const json_t *);

/* A fault that lasts and waits `factor` times as long, or an equal part of that. */
struct fault fault_request_slowed(const struct fault *, uint64_t factor);
struct fault fault_request_sped_up(const struct fault *, uint64_t factor);
