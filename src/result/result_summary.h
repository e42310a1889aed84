/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a run as JSON: mrc-result(5). */
#pragma once

#include <jansson.h>

#include "base/counter_description.h"
#include "measure/measure.h"

/* `victim`: a workload, or MEASURE_NONE. */
json_t *result_summary(struct measure_record *, uint32_t victim);
json_t *result_summary_phases(const struct measure_record *);
json_t *result_summary_faults(const struct measure_record *);
/* Returns the number of faults of the experiment that would have begun after the end of the run. */
uint32_t result_summary_faults_not_begun(const struct measure_record *);
/* Returns null if it was not measured. */
json_t *result_summary_occupancy(const struct measure_record *);
json_t *result_summary_order(const struct measure_record *);
/* The settings and figures of RoCEv2. */
json_t *result_summary_roce(const struct measure_record *);
/* The settings and figures of UET. */
json_t *result_summary_uet(const struct measure_record *);
/* The settings and figures of InfiniBand. */
json_t *result_summary_infiniband(const struct measure_record *);
json_t *result_series(const struct measure_record *);
json_t *result_events(const struct measure_record *);

/* Returns counters by their names. */
json_t *result_summary_named(
    const struct counter_description *, const uint64_t *values, uint32_t count);

/* Returns the counters of all transports, since `from` or the beginning (NULL). */
json_t *result_summary_counters(const struct sim_totals *from, const struct sim_totals *until);

/* Sets flows, jain, and flow_fraction_min and _max, relative to equal shares of `ideal_bps`. */
void result_summary_set_fairness(json_t *, const struct measure_fairness *, uint64_t ideal_bps);

/* Returns the share of the capacity that was used; null if there was none. */
json_t *result_summary_share(const struct measure_share *);

/* Returns the names of the components that a fault affects. */
json_t *result_summary_elements(const struct fault *);
