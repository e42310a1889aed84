/* SPDX-License-Identifier: Apache-2.0 */
/* Completions and events of a running simulation. The context of the callbacks is the struct
 * measure_record. */
#pragma once

#include "measure/measure.h"

void measure_events_on_event(void *context, const struct sim_event *);
void measure_events_on_completion(void *context, const struct sim_completion *);

/* Sorts the events since the last call and keeps as many of each kind as there is room for. */
void measure_events_sort(struct measure_record *);
