/* SPDX-License-Identifier: Apache-2.0 */
/* Converts between struct fault and the faults in requests to a fabric (lab/soft_request.h). */
#pragma once

#include <jansson.h>

#include "control/request_line.h"
#include "network/network.h"

/* Writes a request with kind, direction, parameters and times. The caller adds the place. */
void fault_request_write(const struct fault *, struct request_line *);

/* Returns a fault that a fabric has recorded. */
struct fault fault_request_read(const json_t *);

/* Multiply or divide the times of a fault by `factor`. */
struct fault fault_request_slowed(const struct fault *, uint64_t factor);
struct fault fault_request_sped_up(const struct fault *, uint64_t factor);
