/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a run, as JSON: mrc-result(5). */
#pragma once

#include <jansson.h>

#include "cmd/sim_record.h"

json_t *sim_summary(struct sim_record *);
json_t *sim_summary_phases(const struct sim_record *);
json_t *sim_series(const struct sim_record *);
json_t *sim_events_json(const struct sim_record *);

/* What all transports counted, since `from` or the beginning (NULL). */
json_t *sim_summary_counters(const struct sim_totals *from, const struct sim_totals *until);

/* count, min, p50, p99, p999, max in microseconds. Sorts the durations. */
json_t *sim_summary_distribution(struct sim_numbers *durations_ps);

/* Payload bytes in a time, as bit/s. */
uint64_t sim_summary_bps(uint64_t bytes, uint64_t duration_ps);
