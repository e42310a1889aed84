/* SPDX-License-Identifier: Apache-2.0 */
/* Completions and events of a running simulation. The context of the callbacks is the struct
 * sim_record. */
#pragma once

#include "cmd/sim_record.h"

void sim_record_on_event(void *context, const struct sim_event *);
void sim_record_on_completion(void *context, const struct sim_completion *);

/* Orders what happened since the last call and keeps it, as far as there is room for its kind. */
void sim_record_sort_events(struct sim_record *);
