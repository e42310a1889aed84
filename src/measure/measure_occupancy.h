/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths of queues as shares of time. */
#pragma once

#include "measure/measure.h"

void measure_occupancy_sample(struct measure_record *);
