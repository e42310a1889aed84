/* SPDX-License-Identifier: Apache-2.0 */
/* The sums over the NICs of a fabric: counters of transports and states of EVs. */
#pragma once

#include <jansson.h>

/* Adds the answers `stat` and the list of QPs of a NIC to an object of sums, which begins empty. */
void dashboard_sums_add(json_t *sums, const json_t *stat, const json_t *qps);

/* Returns "nics" of a sample: what changed between two sums. `before` is NULL for the first
 * sample. */
json_t *dashboard_sums_compare(const json_t *before, const json_t *now, double interval_s);
